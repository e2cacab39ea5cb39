#include "analysis/compare/dump_pairs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analysis/compare/dump_tensors.h"
#include "analysis/facts/display_words.h"
#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "data/sources/folder.h"
#include "kernels/op.h"
#include "model/printable.h"

namespace visq::analysis {
namespace {

constexpr std::int64_t kSamples = 1024;     ///< of each map, per record
constexpr double kAlike = 0.9;              ///< correlation from which maps without a common name may be partners,
constexpr std::int64_t kEnoughValues = 16;  ///< if it is one of so many values
constexpr double kUnknown = -2;             ///< where there is no correlation

/// Spread over the map without the rhythm of its axes.
std::vector<std::int64_t> sample_places(std::int64_t count) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  std::vector<std::int64_t> places;
  for (std::int64_t k = 0; k < std::min(count, kSamples); ++k) {
    double whole = 0;
    const double part = std::modf(static_cast<double>(k) * kGoldenRatio, &whole);
    places.push_back(count <= kSamples ? k : std::min(count - 1, static_cast<std::int64_t>(part * static_cast<double>(count))));
  }
  return places;
}

/// The module's path of "layer1.0.conv1@1:1", its second call's second tensor.
std::string_view module_path(std::string_view name) { return name.substr(0, name.find_first_of("@:")); }

/// The path without the word of the network itself, which its parts' names do not hold.
std::string_view within_network(std::string_view path) {
  const auto dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
}

/// Whether a dump's name means the model's input or output at this place: "output", "output:1".
bool is_place(std::string_view name, std::string_view what, const std::vector<int>& tensors, int tensor) {
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    if (tensors[k] == tensor && name == (k == 0 ? std::string(what) : fmt::format("{}:{}", what, k))) return true;
  }
  return false;
}

/// Whether a loss of likeness is none: both are as far from 1, a copy's rounding aside.
bool as_alike(double likeness, double best) { return 1 - likeness <= 1.1 * (1 - best) + 1e-4; }

}  // namespace

DumpPairs::DumpPairs(const Model& model, const MapNames& names, const std::vector<DumpTensor>& tensors, const ChannelOrders& channels,
                     bool same_model)
    : model_(model), names_(names), tensors_(tensors), channels_(channels), same_model_(same_model), alone_(tensors.size()) {
  for (const DumpTensor& tensor : tensors) samples_.push_back({sample_places(tensor.shape.elements()), {}});
  step_of_.assign(model.main().tensors.size(), -1);
  for (std::size_t node = 0; node < model.main().operators.size(); ++node) {
    for (const int output : model.main().operators[node].outputs) step_of_[as_size(output)] = static_cast<int>(node);
  }
}

Status DumpPairs::begin(std::int64_t record, DumpReader& dump) {
  VISQ_ASSIGN(const auto now, dump.tensors(record));
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    samples_[i].values.clear();
    const auto found =
        std::ranges::find_if(now, [&](const DumpTensor& each) { return each.index == tensors_[i].index && each.name == tensors_[i].name; });
    if (found == now.end() || found->shape != tensors_[i].shape) continue;
    VISQ_ASSIGN(Array array, dump.read(record, *found));
    const TensorInfo info = declaration(*found);
    const float* const values = real_values(tensor_of(array, info), scratch_);
    if (values == nullptr) continue;
    for (const std::int64_t place : samples_[i].places) samples_[i].values.push_back(values[place]);
  }
  return {};
}

bool DumpPairs::bears_name(const DumpTensor& tensor, const FeatureMap& map) const {
  if (same_model_ && tensor.index >= 0) return tensor.index == map.tensor;
  if (tensor.name.empty()) return false;
  const auto is = [&](std::string_view name) {
    return !name.empty() && data::as_file_name(std::string(name)) == data::as_file_name(tensor.name);
  };
  if (std::ranges::any_of(names_.all(map.tensor), is)) return true;
  const Subgraph& graph = model_.main();
  if (is_place(tensor.name, "input", graph.inputs, map.tensor) || is_place(tensor.name, "output", graph.outputs, map.tensor)) return true;
  const std::string_view path = module_path(tensor.name);
  const int step = step_of_[as_size(map.tensor)];
  const auto parts = name_parts_of(names_.name(map.tensor), step < 0 ? "" : graph.operators[as_size(step)].type);
  return std::ranges::any_of(parts, [&](const NamePart& part) {
    std::string layer = part.path.layer();
    std::ranges::replace(layer, '/', '.');
    return layer == path || within_network(layer) == path;
  });
}

/// Those of the dump's maps that the map may be; made when it is first seen.
std::vector<DumpPairs::Candidate>& DumpPairs::candidates_of(const FeatureMap& map) {
  const auto [entry, is_new] = candidates_.try_emplace(map.tensor);
  if (!is_new) return entry->second;
  const int step = step_of_[as_size(map.tensor)];
  const Operator* const op = step < 0 ? nullptr : &model_.main().operators[as_size(step)];
  const bool limits = op != nullptr && kernels::facts_of(*op).fuses_activation && kernels::clamp_of(*op).has_value();
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const Shape& shape = tensors_[i].shape;
    if (shape.elements() != map.shape.elements()) continue;
    Candidate candidate;
    candidate.dumped = i, candidate.tensor = map.tensor, candidate.step = step;
    candidate.named = bears_name(tensors_[i], map);
    candidate.has_weights = op != nullptr && kernels::facts_of(*op).weights.has_value();
    auto moves = data::possible_moves(shape, map.shape, data::told(channels_, tensors_[i].name));
    if (moves.empty() && candidate.named) moves.emplace_back();
    for (const auto& move : moves) {
      candidate.ways.push_back({move, false, {}});
      if (limits) candidate.ways.push_back({move, true, {}});
    }
    if (!candidate.ways.empty()) entry->second.push_back(std::move(candidate));
  }
  return entry->second;
}

void DumpPairs::see(const FeatureMap& map) {
  const kernels::Tensor tensor{
      .dtype = map.dtype, .shape = map.shape, .data = const_cast<std::byte*>(map.data), .info = map.info};  // only read
  std::vector<Candidate>& candidates = candidates_of(map);
  const float* const values = candidates.empty() ? nullptr : real_values(tensor, scratch_);
  if (values == nullptr) return;
  const int step = step_of_[as_size(map.tensor)];
  const auto clamp = step < 0 ? std::nullopt : kernels::clamp_of(model_.main().operators[as_size(step)]);
  for (Candidate& candidate : candidates) {
    const Samples& samples = samples_[candidate.dumped];
    for (Way& way : candidate.ways) {
      for (std::size_t k = 0; k < samples.values.size(); ++k) {
        const float value = samples.values[k];
        const float own = way.limited ? std::clamp(value, clamp->low, clamp->high) : value;
        way.correlation.add(static_cast<double>(own), static_cast<double>(values[way.move.place_of(samples.places[k])]));
      }
    }
  }
}

/// Of every candidate the way in which the two are likest, and of every map how like its likest is.
void DumpPairs::find_best() {
  best_of_dumped_.assign(tensors_.size(), kUnknown);
  for (auto& [tensor, candidates] : candidates_) {
    double& best_of_tensor = best_of_tensor_.try_emplace(tensor, kUnknown).first->second;
    for (Candidate& candidate : candidates) {
      for (const Way& way : candidate.ways) {
        const double likeness = way.correlation.value().value_or(kUnknown);
        const bool better = likeness > candidate.likeness + (way.limited ? 1e-4 : 0);  // limits that limit nothing are none
        if (candidate.best == nullptr || better) candidate.best = &way, candidate.likeness = likeness;
      }
      best_of_tensor = std::max(best_of_tensor, candidate.likeness);
      best_of_dumped_[candidate.dumped] = std::max(best_of_dumped_[candidate.dumped], candidate.likeness);
    }
  }
}

/// Whether each is the other's likest.
bool DumpPairs::likest(const Candidate& candidate) const {
  return candidate.likeness >= kAlike && candidate.best->correlation.count() >= kEnoughValues &&
         as_alike(candidate.likeness, best_of_tensor_.at(candidate.tensor)) &&
         as_alike(candidate.likeness, best_of_dumped_[candidate.dumped]);
}

std::vector<DumpPair> DumpPairs::pair() {
  find_best();
  std::vector<const Candidate*> order;
  for (const auto& [tensor, candidates] : candidates_) {
    for (const Candidate& candidate : candidates) {
      if (candidate.named || likest(candidate)) order.push_back(&candidate);
    }
  }
  // The likest first, copies apart: what bears the name, then the layer itself, then the earliest.
  const auto merit = [](const Candidate& c) {
    const bool alike = c.likeness >= kAlike;
    const double distance = std::round((1 - c.likeness) * (alike ? 1e3 : 10));
    return std::tuple(!alike, c.named ? 0 : 1, distance, c.best->limited, !c.has_weights, c.step, c.dumped);
  };
  std::ranges::stable_sort(order, [&](const Candidate* a, const Candidate* b) { return merit(*a) < merit(*b); });
  std::vector<DumpPair> pairs;
  std::vector<bool> taken(tensors_.size(), false);
  std::map<int, std::size_t> partner;
  for (const Candidate* const c : order) {
    if (taken[c->dumped] || partner.contains(c->tensor)) continue;
    taken[c->dumped] = true;
    partner[c->tensor] = c->dumped;
    const auto correlation = c->likeness > kUnknown ? std::optional(c->likeness) : std::nullopt;
    pairs.push_back({c->dumped, c->tensor, c->named ? PairedBy::kName : PairedBy::kMaps, correlation, c->best->move, c->best->limited});
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!taken[i]) alone_[i] = reason_of(i, partner);
  }
  std::ranges::sort(pairs, [&](const DumpPair& a, const DumpPair& b) {
    return std::tuple(step_of_[as_size(a.tensor)], a.tensor) < std::tuple(step_of_[as_size(b.tensor)], b.tensor);
  });
  return pairs;
}

/// `partner`: of every map of the model that has one.
std::string DumpPairs::reason_of(std::size_t dumped, const std::map<int, std::size_t>& partner) const {
  for (const auto& [tensor, other] : partner) {
    for (const Candidate& c : candidates_.at(tensor)) {
      const bool alike = c.dumped == dumped && c.likeness >= kAlike && as_alike(c.likeness, best_of_tensor_.at(tensor));
      if (alike) return fmt::format("holds the values of '{}', which has a partner", printable(tensors_[other].name));
    }
  }
  if (best_of_dumped_[dumped] == kUnknown) return "no map of the model has its name or its size";
  return fmt::format("no map of the model has its name or its values (the likest: correlation {:.2f})", best_of_dumped_[dumped]);
}

std::string DumpPairs::why_alone(std::size_t dumped) const { return alone_[dumped]; }

}  // namespace visq::analysis
