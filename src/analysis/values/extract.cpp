#include "visq/extract.h"

#include <algorithm>
#include <map>

#include "analysis/facts/map_identity.h"
#include "analysis/pairs/node_choice.h"
#include "analysis/pairs/pair_worker.h"
#include "analysis/records/model_runner.h"
#include "analysis/records/owned_map.h"
#include "analysis/records/run_identity.h"
#include "core/as_size.h"
#include "core/error.h"

namespace visq {
namespace {

using analysis::ComparePlan;
using analysis::MapNames;

ExtractedPart describe(const Model& model, int subgraph, Mode mode, const quant::Segment& segment) {
  const MapNames names(model, subgraph);
  ExtractedPart part;
  part.model = identity(model);
  part.mode = mode;
  for (const int node : segment.operators) {
    const Operator& op = model.subgraphs[as_size(subgraph)].operators[as_size(node)];
    MapIdentity identity;
    if (!op.outputs.empty()) identity = names.identity(op.outputs[0]);
    identity.node = node;
    identity.op = op.label();
    part.operators.push_back(std::move(identity));
  }
  for (const int tensor : segment.inputs) part.inputs.push_back(names.identity(tensor));
  for (const int tensor : segment.outputs) part.outputs.push_back(names.identity(tensor));
  return part;
}

/// Runs the pair and keeps the maps at the edges of its segments.
class Collector {
 public:
  Collector(ComparePlan& plan, const analysis::NodeChoice& choice, std::optional<std::int64_t> run)
      : plan_(plan), graphs_(plan.pairings()[choice.pairing]), segment_(choice.segment), asked_(choice.match.reference), run_(run) {}

  Status run(RecordSource& data, const ExtractOptions& options, ExtractResult& result) {
    VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(plan_.reference(), &plan_.quantized(), options.sequence));
    analysis::PairWorker worker(plan_, feed);
    const auto keep = [&](std::size_t pair, const runtime::Executor& r, const runtime::Executor& q) -> Status {
      const auto& [subgraph, other, match] = plan_.pairs()[pair];
      if (subgraph != graphs_.reference_subgraph || other != graphs_.quantized_subgraph) return {};
      const std::int64_t turn = turns_[match.reference]++;
      if (run_ && *run_ != turn) return {};
      VISQ_TRY(keep_map(segment_.reference, match.reference, r, result.reference));
      return keep_map(segment_.quantized, match.quantized, q, result.quantized);
    };
    for (std::int64_t index = options.records.first; index < options.records.last; ++index) {
      if (options.stop != nullptr && options.stop->load()) return {};
      VISQ_ASSIGN(const Record record, data.read(index));
      for (ExtractedPart* part : {&result.reference, &result.quantized}) {
        part->fed.push_back({index, std::vector<Array>(part->inputs.size()), {}});
        part->given.emplace_back(part->outputs.size());
      }
      turns_.clear();
      VISQ_TRY(worker.run(record, keep));
      VISQ_TRY(check_turns(index));
      if (options.progress) options.progress(index + 1 - options.records.first, options.records.last - options.records.first);
    }
    return {};
  }

 private:
  /// A called subgraph may not have been run, or not so often.
  Status check_turns(std::int64_t record) const {
    const auto found = turns_.find(asked_);
    const std::int64_t turns = found == turns_.end() ? 0 : found->second;
    if (turns > run_.value_or(0)) return {};
    const std::string often = turns == 0 ? "not run" : fmt::format("run {} time{} only", turns, turns == 1 ? "" : "s");
    return bad_input("{}: record {}: subgraph {}, where the node stands, is {}; --records chooses others", plan_.reference().path, record,
                     graphs_.reference_subgraph, often);
  }

  static Status keep_map(const quant::Segment& segment, int tensor, const runtime::Executor& executor, ExtractedPart& part) {
    const auto keep_in = [&](const std::vector<int>& edge, std::vector<Array>& arrays) -> Status {
      for (std::size_t i = 0; i < edge.size(); ++i) {
        if (edge[i] != tensor) continue;
        auto array = analysis::copy_map(executor, tensor);
        if (!array.ok()) return Error{array.error().reason, fmt::format("{}: {}", part.model.path, array.error().message)};
        arrays[i] = std::move(array).value();
      }
      return {};
    };
    VISQ_TRY(keep_in(segment.inputs, part.fed.back().inputs));
    return keep_in(segment.outputs, part.given.back());
  }

  ComparePlan& plan_;
  const quant::GraphPairing& graphs_;
  const quant::PairedSegment& segment_;
  int asked_;  ///< tensor of the reference
  std::optional<std::int64_t> run_;
  std::map<int, std::int64_t> turns_;  ///< in this record, by the reference's tensor
};

/// The sizes that an input has in the run, where they are not those it declares: -1 in the signature where they vary.
std::optional<ModelPart::Sizes> sizes_of(const TensorInfo& tensor, const std::vector<Record>& fed, std::size_t input) {
  if (fed.empty()) return std::nullopt;
  const Shape& first = fed.front().inputs[input].shape;
  std::vector<std::int64_t> signature(first.dims().begin(), first.dims().end());
  bool open = false;
  for (int axis = 0; axis < first.rank(); ++axis) {
    const auto i = as_size(axis);
    const bool declared = tensor.shape_signature.size() == signature.size() && tensor.shape_signature[i] < 0;
    const bool varies = std::any_of(fed.begin(), fed.end(), [&](const Record& record) {
      const Shape& shape = record.inputs[input].shape;
      return shape.rank() == first.rank() && shape[axis] != first[axis];
    });
    if (!declared && !varies) continue;
    signature[i] = -1;
    open = true;
  }
  if (first == tensor.shape && tensor.has_rank && (!open || signature == tensor.shape_signature)) return std::nullopt;
  return ModelPart::Sizes{first, open ? signature : std::vector<std::int64_t>()};
}

Status add_file(const Model& model, int subgraph, const quant::Segment& segment, ExtractedPart& part) {
  ModelPart chosen{segment.operators, segment.inputs, segment.outputs, {}, subgraph};
  const auto& tensors = model.subgraphs[as_size(subgraph)].tensors;
  for (std::size_t i = 0; i < segment.inputs.size(); ++i) {
    const auto sizes = sizes_of(tensors[as_size(segment.inputs[i])], part.fed, i);
    if (sizes) chosen.sizes.emplace(segment.inputs[i], *sizes);
  }
  VISQ_ASSIGN(part.file, write_part(model, chosen));
  return {};
}

CompareOptions plan_options(const ExtractOptions& options) {
  CompareOptions compare;
  static_cast<PairRunRequest&>(compare) = options;
  return compare;
}

}  // namespace

Result<ExtractResult> extract(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const ExtractOptions& options) {
  VISQ_ASSIGN(ComparePlan plan, ComparePlan::create(reference, quantized, plan_options(options)));
  VISQ_ASSIGN(const analysis::NodeChoice choice, choose_node(plan, options.node));
  ExtractResult result;
  static_cast<RunIdentity&>(result) = analysis::run_identity(data.description(), options);
  const auto& graphs = plan.pairings()[choice.pairing];
  const MapNames names(*reference, graphs.reference_subgraph);
  result.node = names.name(choice.match.reference);
  result.display = names.display(choice.match.reference);
  result.remark = choice.remark;
  if (graphs.reference_subgraph != 0) {
    const std::string run = options.run ? fmt::format("run {}", *options.run) : "the last run";
    if (!result.remark.empty()) result.remark += "; ";
    result.remark += fmt::format("it stands in subgraph {}: these are the values of {} of each record", graphs.reference_subgraph, run);
  }
  result.reference = describe(*reference, graphs.reference_subgraph, options.reference_mode, choice.segment.reference);
  result.quantized = describe(*quantized, graphs.quantized_subgraph, options.quantized_mode, choice.segment.quantized);
  VISQ_TRY(Collector(plan, choice, options.run).run(data, options, result));
  analysis::end_after(static_cast<std::int64_t>(result.reference.fed.size()), result);
  VISQ_TRY(add_file(*reference, graphs.reference_subgraph, choice.segment.reference, result.reference));
  VISQ_TRY(add_file(*quantized, graphs.quantized_subgraph, choice.segment.quantized, result.quantized));
  return result;
}

Result<ReplayResult> replay(std::shared_ptr<const Model> part, RecordSource& data, Mode mode, MapSink& sink) {
  VISQ_ASSIGN(const auto feed, InputFeed::create(*part, nullptr));
  analysis::ModelRunner runner(part, mode);
  const Subgraph& graph = part->main();
  ReplayResult result;
  for (std::int64_t index = 0; index < data.count(); ++index) {
    VISQ_ASSIGN(const Record record, data.read(index));
    VISQ_ASSIGN(const auto inputs, feed.for_model(record));
    auto& fed = result.fed.emplace_back(graph.inputs.size());
    VISQ_TRY(runner.run(inputs, [&](int tensor, const runtime::Executor& executor) -> Status {
      if (executor.graph().subgraph_index() != 0) return {};
      const auto input = std::find(graph.inputs.begin(), graph.inputs.end(), tensor);
      if (input == graph.inputs.end()) return {};
      VISQ_ASSIGN(fed[as_size(input - graph.inputs.begin())], analysis::copy_map(executor, tensor));
      return {};
    }));
    auto& given = result.given.emplace_back();
    VISQ_TRY(sink.begin_record(index));
    for (const int output : graph.outputs) {
      VISQ_ASSIGN(given.emplace_back(), analysis::copy_map(runner.executor(), output));
      VISQ_TRY(sink.add(analysis::feature_map(given.back(), graph.tensors[as_size(output)], output)));
    }
  }
  return result;
}

}  // namespace visq
