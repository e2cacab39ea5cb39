#include "analysis/profile_model.h"

#include <algorithm>

#include "analysis/channels.h"
#include "analysis/layer_values.h"
#include "analysis/node_filter.h"
#include "analysis/real_values.h"

namespace visq::analysis {
namespace {

constexpr std::size_t kBins = 64;
constexpr double kShares[] = {0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999};

Histogram histogram_of(const metrics::ValueSketch& sketch) {
  if (sketch.count() == 0) return {};
  if (sketch.min() == sketch.max()) return {sketch.min(), sketch.max(), {static_cast<double>(sketch.count())}};
  return {sketch.min(), sketch.max(), sketch.histogram(sketch.min(), sketch.max(), kBins)};
}

/// What a slot of an operator holds, for the table.
std::string attribute_of(const Operator& op, std::size_t slot, bool constant) {
  const auto slots = layer_slots(op);
  if (!constant) return "input";
  return slots && slot == slots->weight ? "weight" : slots && slot == slots->bias ? "bias" : "constant";
}

}  // namespace

ValueStatistics to_statistics(const metrics::Moments& moments) {
  return {moments.count, moments.non_finite, moments.min, moments.max, moments.mean, moments.variance()};
}

ModelProfiler::ModelProfiler(const Model& model, Mode mode, const ProfileOptions& options)
    : model_(model), graph_(model.main()), names_(model, 0), mode_(mode), per_channel_(options.per_channel) {
  choose_rows(options);
}

void ModelProfiler::choose_rows(const ProfileOptions& options) {
  NodeFilter filter(options.nodes, options.ops);
  for (std::size_t t = 0; t < model_.main().tensors.size(); ++t) filter.learn_name(names_.name(static_cast<int>(t)));
  for (std::size_t i = 0; i < model_.main().operators.size(); ++i) {
    const int node = static_cast<int>(i);
    const Operator& op = graph_.op(node);
    const bool wanted =
        std::any_of(op.outputs.begin(), op.outputs.end(), [&](int output) { return filter.passes({names_.name(output)}, op.label()); });
    if (!wanted) continue;
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      const int input = op.inputs[slot];
      if (input < 0 || !has_values(input)) continue;
      const bool constant = graph_.tensor(graph_.origin(input)).is_constant;
      add_row(node, input, attribute_of(op, slot, constant));
      if (graph_.tensor(input).is_constant) profile_constant(node, input);
    }
    for (const int output : op.outputs) add_row(node, output, "output");
  }
}

/// Constants that are shapes, axes and indices have no rows.
bool ModelProfiler::has_values(int tensor) const {
  const TensorInfo& info = graph_.tensor(tensor);
  return !info.is_constant || is_floating(info.dtype) || info.quantization.quantized() || info.quantization.block_size > 0;
}

void ModelProfiler::add_row(int node, int tensor, std::string attribute) {
  rows_.push_back({node, tensor, std::move(attribute)});
  if (!slots_.contains(tensor)) slots_.emplace(tensor, std::make_unique<Slot>());
}

/// A bias counts by the scales that the operator reading it gives it.
void ModelProfiler::profile_constant(int node, int tensor) {
  Slot& slot = *slots_.at(tensor);
  if (slot.constant) return;
  slot.constant = true;
  const TensorInfo& info = graph_.tensor(tensor);
  slot.shape = info.shape;
  std::vector<float> values = constant_values(graph_, tensor).value_or(std::vector<float>());
  const auto slots = layer_slots(graph_.op(node));
  if (slots && tensor == tensor_in(graph_.op(node), slots->bias)) {
    if (const auto bias = bias_values(graph_, graph_.op(node))) {
      values.clear();
      for (const double value : *bias) values.push_back(static_cast<float>(value));
    }
  }
  slot.moments.add(values);
  slot.sketch.add(values);
  if (!per_channel_ || values.empty()) return;
  std::vector<float> scratch;
  for_each_channel(values.data(), info.shape, channel_axis(info.quantization, info.shape), scratch,
                   [&](std::size_t, std::span<const float> channel) { slot.channels.emplace_back().add(channel); });
}

void ModelProfiler::observe(int tensor, const runtime::Executor& executor, ModelRecord& record, ProfileScratch& scratch) {
  const auto found = slots_.find(tensor);
  if (found == slots_.end() || found->second->constant) return;
  const kernels::Tensor& map = executor.tensor(tensor);
  const float* values = number_values(map, scratch.values);
  if (values == nullptr) return;
  const std::span all(values, static_cast<std::size_t>(map.elements()));
  TensorRecord& entry = record.tensors[tensor];
  entry.shape = map.shape;
  entry.moments.add(all);
  if (per_channel_) {
    for_each_channel(values, map.shape, channel_axis(map.info->quantization, map.shape), scratch.channel,
                     [&](std::size_t, std::span<const float> channel) { entry.channels.emplace_back().add(channel); });
  }
  Slot& slot = *found->second;
  const std::lock_guard lock(slot.mutex);
  slot.sketch.add(all);  // whole numbers: the order of records does not matter
}

void ModelProfiler::fold(ModelRecord&& record) {
  for (auto& [tensor, entry] : record.tensors) {
    Slot& slot = *slots_.at(tensor);
    slot.moments.merge(entry.moments);
    slot.shape = std::move(entry.shape);
    if (slot.channels.size() < entry.channels.size()) slot.channels.resize(entry.channels.size());
    for (std::size_t c = 0; c < entry.channels.size(); ++c) slot.channels[c].merge(entry.channels[c]);
  }
  for (auto& [subgraph, node, reason] : record.failures) failures_.emplace(std::pair(subgraph, node), std::move(reason));
}

TensorProfile ModelProfiler::finish(int tensor, const Slot& slot) const {
  TensorProfile profile;
  profile.map = names_.identity(tensor);
  profile.constant = slot.constant;
  profile.shape = slot.shape;
  profile.values = to_statistics(slot.moments);
  if (slot.sketch.count() > 0) {
    for (const double share : kShares) profile.quantiles.push_back({share, slot.sketch.quantile(share)});
  }
  profile.histogram = histogram_of(slot.sketch);
  for (const metrics::Moments& channel : slot.channels) profile.channels.push_back(to_statistics(channel));
  profile.channel_axis = channel_axis(graph_.tensor(tensor).quantization, slot.shape);
  return profile;
}

ModelProfile ModelProfiler::finish() {
  ModelProfile result;
  result.model = {model_.path, {}, model_.format};
  result.mode = mode_;
  std::map<int, std::size_t> places;
  for (const Row& row : rows_) {
    const auto [place, fresh] = places.emplace(row.tensor, result.tensors.size());
    if (fresh) result.tensors.push_back(finish(row.tensor, *slots_.at(row.tensor)));
    result.rows.push_back({row.node, graph_.op(row.node).label(), row.attribute, place->second});
  }
  for (const auto& [place, reason] : failures_) {
    const auto& [subgraph, node] = place;
    const auto& outputs = model_.subgraphs[static_cast<std::size_t>(subgraph)].operators[node].outputs;
    if (!outputs.empty()) result.not_computed.push_back({model_.path, MapNames(model_, subgraph).identity(outputs[0]), reason});
  }
  return result;
}

}  // namespace visq::analysis
