// What a choice of parts does to a run, as a text: equal texts, equal runs to the bit. A map that is rounded before it is only moved
// (reshaped, transposed) is the same as one that is rounded behind that, and one rounded for all its readers as one rounded for each.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/trials/quantized_parts.h"
#include "core/joined.h"
#include "kernels/op.h"

namespace visq::analysis {
namespace {

using Place = std::pair<int, int>;  ///< node and slot
using Roundings = std::map<Place, const TensorInfo*>;

std::string text_of(const TensorInfo& grid) {
  const Quantization& q = grid.quantization;
  return fmt::format("{} {} {} {}", name(grid.dtype), joined(q.scale, ","), joined(q.zero_point, ","), q.axis);
}

/// Rounds a map for each of its readers instead of where it is written. False, and nothing changed, where that is not the same: it is
/// looked at itself, a reader rounds it already, or hands it to a subgraph.
bool round_for_readers(const quant::GraphIndex& graph, int tensor, const TensorInfo* grid, const std::vector<int>& measured,
                       Roundings& roundings) {
  if (std::find(measured.begin(), measured.end(), tensor) != measured.end()) return false;
  std::vector<Place> places;
  for (const int reader : graph.readers(tensor)) {
    const Operator& op = graph.op(reader);
    if (!called_subgraphs(op).empty()) return false;
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      if (op.inputs[slot] == tensor) places.emplace_back(reader, static_cast<int>(slot));
    }
  }
  if (std::any_of(places.begin(), places.end(), [&](const Place& place) { return roundings.contains(place); })) return false;
  for (const Place& place : places) roundings.emplace(place, grid);
  return true;
}

}  // namespace

std::string QuantizedParts::key(const PartSet& parts, const std::vector<int>& measured) const {
  Roundings roundings;
  for (const auto& place : parts.inputs) {
    if (const TensorInfo* grid = input_grid(place.first, place.second)) roundings.emplace(place, grid);
  }
  std::string key = fmt::format("weights {}; maps", joined(parts.weights, ","));
  for (const int tensor : parts.activations) {
    const auto grid = activations_.find(tensor);
    if (grid == activations_.end()) continue;
    if (!round_for_readers(r_, tensor, grid->second, measured, roundings)) key += fmt::format(" {}", tensor);
  }
  for (auto each = roundings.begin(); each != roundings.end();) {  // readers come later in the graph, so later in the map
    const auto& [place, grid] = *each;
    const Operator& op = r_.op(place.first);
    const kernels::OpDef& facts = kernels::facts_of(op);
    const bool moved = facts.reorders && place.second == facts.main_input && op.outputs.size() == 1 &&
                       grid->quantization.scale.size() == 1 && !parts.weights.contains(place.first) &&
                       !parts.activations.contains(op.outputs[0]) && round_for_readers(r_, op.outputs[0], grid, measured, roundings);
    each = moved ? roundings.erase(each) : std::next(each);
  }
  for (const auto& [place, grid] : roundings) key += fmt::format("; {}:{} {}", place.first, place.second, text_of(*grid));
  return key;
}

}  // namespace visq::analysis
