// Classes in another order: the last layer's weights are the float model's, row for row, but the rows stand elsewhere.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/facts/layer_values.h"
#include "core/as_size.h"
#include "diagnosis/repair.h"
#include "diagnosis/whole/twins.h"

namespace visq::diagnosis::twin_class_order {
namespace {

/// Rows that are the same, and more classes than that are not looked at.
constexpr double kSameRow = 0.9;
constexpr std::size_t kMostClasses = 2048;

using Rows = std::vector<std::vector<double>>;

/// The weights of each output channel, of length 1.
std::optional<Rows> unit_rows(const quant::GraphIndex& graph, int node) {
  const int tensor = weights_of(graph, node);
  const auto values = analysis::constant_values(graph, tensor);
  if (!values) return std::nullopt;
  const ChannelLayout layout = channel_layout(graph.op(node), graph.tensor(tensor));
  Rows rows(as_size(layout.channels));
  for (std::size_t i = 0; i < values->size(); ++i) rows[layout.channel_of(i)].push_back(static_cast<double>((*values)[i]));
  for (auto& row : rows) {
    double squares = 0;
    for (const double value : row) squares += value * value;
    for (double& value : row) value /= squares > 0 ? std::sqrt(squares) : 1;
  }
  return rows;
}

/// The row of `rows` that is most like this one; -1 where none is alike.
int like(const std::vector<double>& wanted, const Rows& rows) {
  int best = -1;
  double cosine = kSameRow;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < wanted.size(); ++k) sum += wanted[k] * rows[i][k];
    if (sum > cosine) cosine = sum, best = static_cast<int>(i);
  }
  return best;
}

std::optional<GlobalRemark> judge(const TwinEvidence& evidence) {
  if (evidence.layers.pairs.empty()) return std::nullopt;
  const LayerPair& last = evidence.layers.pairs.back();
  const std::size_t classes = last.channels.size();
  const bool scores = evidence.damage.classes == static_cast<std::int64_t>(classes);
  if (!scores || last.cosine >= kSameRow || classes > kMostClasses) return std::nullopt;
  const auto f = unit_rows(evidence.r(), last.reference_node), q = unit_rows(evidence.q(), last.quantized_node);
  if (!f || !q) return std::nullopt;
  std::set<int> taken;
  std::size_t moved = 0;
  std::string examples;
  for (std::size_t i = 0; i < classes; ++i) {
    const int place = like((*f)[i], *q);
    if (place < 0 || !taken.insert(place).second) return std::nullopt;
    if (place == static_cast<int>(i)) continue;
    if (++moved <= 3) examples += fmt::format("{}{} as {}", examples.empty() ? "" : ", ", i, place);
  }
  if (moved == 0) return std::nullopt;
  return GlobalRemark{"class order",
                      fmt::format("the last layer's rows are the same in another order: {} of {} classes stand elsewhere in the quantized "
                                  "model ({}): class k of one model is another class of the other. Give both the same list of classes, in "
                                  "the same order, and convert again; or sort one model's outputs before they are compared",
                                  moved, classes, examples)};
}

constexpr TwinDef kTwin{"class order", 5, true, judge};

}  // namespace

std::span<const TwinDef> definitions() { return {&kTwin, 1}; }

}  // namespace visq::diagnosis::twin_class_order
