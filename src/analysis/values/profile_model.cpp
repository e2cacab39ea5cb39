#include "analysis/values/profile_model.h"

#include <algorithm>
#include <set>

#include "analysis/facts/channels.h"
#include "analysis/facts/layer_values.h"
#include "analysis/facts/node_filter.h"
#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "model/reached_subgraphs.h"

namespace visq::analysis {
namespace {

constexpr std::size_t kHistogramBins = 64;
constexpr double kShares[] = {0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 0.999};

Histogram histogram_of(const metrics::ValueSketch& sketch) {
  if (sketch.count() == 0) return {};
  if (sketch.min() == sketch.max()) return {sketch.min(), sketch.max(), {static_cast<double>(sketch.count())}};
  return {sketch.min(), sketch.max(), sketch.histogram(sketch.min(), sketch.max(), kHistogramBins)};
}

/// Constants that are shapes, axes and indices have no rows.
bool has_values(const TensorInfo& info) {
  return !info.is_constant || is_floating(info.dtype) || info.quantization.quantized() || info.quantization.block_size > 0;
}

/// The main graph and those that it calls, directly or through others.
std::set<int> run_subgraphs(const Model& model) {
  std::vector<const Operator*> operators;
  for (const Operator& op : model.main().operators) operators.push_back(&op);
  std::set<int> run = reached_subgraphs(model, std::move(operators));
  run.insert(0);
  return run;
}

/// What a slot of an operator holds, for the table.
std::string attribute_of(const Operator& op, std::size_t slot, bool constant) {
  const auto slots = kernels::facts_of(op).weights;
  if (!constant) return "input";
  return slots && slot == slots->weight ? "weight" : slots && slot == slots->bias ? "bias" : "constant";
}

}  // namespace

ValueStatistics to_statistics(const metrics::Moments& moments) {
  return {moments.count, moments.non_finite, moments.min, moments.max, moments.mean, moments.variance()};
}

ModelProfiler::ModelProfiler(const Model& model, Mode mode, const ProfileOptions& options)
    : model_(model), mode_(mode), per_channel_(options.per_channel) {
  for (const int subgraph : run_subgraphs(model)) graphs_.try_emplace(subgraph, model, subgraph);
  choose_rows(options);
}

void ModelProfiler::choose_rows(const ProfileOptions& options) {
  NodeFilter filter(options.nodes, options.ops);
  for (const auto& [subgraph, graph] : graphs_) {
    for (std::size_t t = 0; t < graph.index.graph().tensors.size(); ++t) {
      for (const auto known : graph.names.all(static_cast<int>(t))) filter.learn_name(known);
    }
  }
  for (const auto& [subgraph, graph] : graphs_) choose_rows(graph, filter);
}

void ModelProfiler::choose_rows(const Graph& graph, const NodeFilter& filter) {
  for (std::size_t i = 0; i < graph.index.graph().operators.size(); ++i) {
    const int node = static_cast<int>(i);
    const Operator& op = graph.index.op(node);
    const bool wanted =
        std::any_of(op.outputs.begin(), op.outputs.end(), [&](int output) { return filter.passes(graph.names.all(output), op.label()); });
    if (!wanted) continue;
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      const int input = op.inputs[slot];
      if (input < 0 || !has_values(graph.index.tensor(input))) continue;
      const bool constant = graph.index.tensor(graph.index.origin(input)).is_constant;
      add_row(graph, node, input, attribute_of(op, slot, constant));
      if (graph.index.tensor(input).is_constant) profile_constant(graph, node, input);
    }
    for (const int output : op.outputs) add_row(graph, node, output, "output");
  }
}

void ModelProfiler::add_row(const Graph& graph, int node, int tensor, std::string attribute) {
  const TensorPlace place(graph.subgraph, tensor);
  rows_.push_back({place, node, std::move(attribute)});
  if (!slots_.contains(place)) slots_.emplace(place, std::make_unique<Slot>());
}

/// A bias counts by the scales that the operator reading it gives it.
void ModelProfiler::profile_constant(const Graph& graph, int node, int tensor) {
  Slot& slot = *slots_.at({graph.subgraph, tensor});
  if (slot.constant) return;
  slot.constant = true;
  const TensorInfo& info = graph.index.tensor(tensor);
  slot.shape = info.shape;
  std::vector<float> values = constant_values(graph.index, tensor).value_or(std::vector<float>());
  const Operator& op = graph.index.op(node);
  const auto slots = kernels::facts_of(op).weights;
  if (slots && tensor == input_of(op, slots->bias)) {
    if (const auto bias = bias_values(graph.index, op)) {
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
  const TensorPlace place(executor.graph().subgraph_index(), tensor);
  const auto found = slots_.find(place);
  if (found == slots_.end() || found->second->constant) return;
  const kernels::Tensor& map = executor.tensor(tensor);
  const float* values = number_values(map, scratch.values);
  if (values == nullptr) return;
  const std::span all(values, as_size(map.elements()));
  TensorRecord& entry = record.tensors[place];  // of a called subgraph it holds earlier runs
  entry.shape = map.shape;
  entry.moments.add(all);
  if (per_channel_) {
    for_each_channel(values, map.shape, channel_axis(map.info->quantization, map.shape), scratch.channel,
                     [&](std::size_t index, std::span<const float> channel) {
                       if (entry.channels.size() <= index) entry.channels.resize(index + 1);
                       entry.channels[index].add(channel);
                     });
  }
  Slot& slot = *found->second;
  const std::lock_guard lock(slot.mutex);
  slot.sketch.add(all);  // whole numbers: the order of records does not matter
}

void ModelProfiler::fold(ModelRecord&& record) {
  for (auto& [place, entry] : record.tensors) {
    Slot& slot = *slots_.at(place);
    slot.moments.merge(entry.moments);
    slot.shape = std::move(entry.shape);
    if (slot.channels.size() < entry.channels.size()) slot.channels.resize(entry.channels.size());
    for (std::size_t c = 0; c < entry.channels.size(); ++c) slot.channels[c].merge(entry.channels[c]);
  }
  for (auto& [subgraph, node, reason] : record.failures) failures_.emplace(std::pair(subgraph, node), std::move(reason));
}

TensorProfile ModelProfiler::finish(TensorPlace place, const Slot& slot) const {
  const Graph& graph = graphs_.at(place.first);
  TensorProfile profile;
  profile.map = graph.names.identity(place.second);
  profile.constant = slot.constant;
  profile.shape = slot.shape;
  profile.values = to_statistics(slot.moments);
  if (slot.sketch.count() > 0) {
    for (const double share : kShares) profile.quantiles.push_back({share, slot.sketch.quantile(share)});
  }
  profile.histogram = histogram_of(slot.sketch);
  for (const metrics::Moments& channel : slot.channels) profile.channels.push_back(to_statistics(channel));
  profile.channel_axis = channel_axis(graph.index.tensor(place.second).quantization, slot.shape);
  return profile;
}

ModelProfile ModelProfiler::finish() {
  ModelProfile result;
  result.model = identity(model_);
  result.mode = mode_;
  std::map<TensorPlace, std::size_t> places;
  for (const Row& row : rows_) {
    const auto [place, fresh] = places.emplace(row.tensor, result.tensors.size());
    if (fresh) result.tensors.push_back(finish(row.tensor, *slots_.at(row.tensor)));
    result.rows.push_back({row.node, graphs_.at(row.tensor.first).index.op(row.node).label(), row.attribute, place->second});
  }
  for (const auto& [place, reason] : failures_) {
    const auto& [subgraph, node] = place;
    const auto& outputs = model_.subgraphs[as_size(subgraph)].operators[node].outputs;
    if (!outputs.empty()) result.not_computed.push_back({model_.path, MapNames(model_, subgraph).identity(outputs[0]), reason});
  }
  return result;
}

}  // namespace visq::analysis
