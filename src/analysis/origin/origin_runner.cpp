#include "analysis/origin/origin_runner.h"

#include <algorithm>

#include "analysis/records/lent_run.h"
#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "core/error.h"
#include "quant/fake_quantize.h"
#include "runtime/graph_library.h"

namespace visq::analysis {

using runtime::Executor;
using runtime::Overlay;

/// The runs of one pair of subgraphs.
struct OriginRunner::Runs {
  std::vector<Shape> reference_shapes, quantized_shapes;  ///< of the graphs' inputs
  std::unique_ptr<LentRun> inherited, created;
  std::unique_ptr<LentRun> inside;  ///< as created, with maps without partner rounded; null where there are none
  std::size_t inherited_done = 0, created_done = 0;
};

namespace {

/// Rounds the listed tensors of a graph, where they lie on a grid, and no others.
Overlay rounding_only(const runtime::PreparedGraph& graph, std::span<const int> tensors) {
  Overlay overlay;
  overlay.only_listed = true;
  for (const int tensor : tensors) {
    const auto& prepared = graph.tensors()[as_size(tensor)];
    if (prepared.gridded) overlay.rounded[tensor] = prepared.value.info;
  }
  return overlay;
}

std::vector<Shape> input_shapes(const Executor& executor) {
  std::vector<Shape> shapes;
  for (const int input : executor.graph().subgraph().inputs) shapes.push_back(executor.tensor(input).shape);
  return shapes;
}

/// The graph of a subgraph that is called, or the main one.
Result<OriginGraph> graph_like(const OriginGraph& main, const Executor& executor) {
  const int subgraph = executor.graph().subgraph_index();
  if (subgraph == main.graph->subgraph_index()) return main;
  VISQ_ASSIGN(auto graph, main.graph->library().get(subgraph, input_shapes(executor)));
  auto memory = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}));
  return OriginGraph{std::move(graph), std::move(memory)};
}

Result<std::unique_ptr<LentRun>> make_run(const OriginGraph& graph, Overlay overlay) {
  VISQ_ASSIGN(auto run, LentRun::create(graph.graph, graph.memory, std::move(overlay)));
  return std::make_unique<LentRun>(std::move(run));
}

void lend_partners(const OriginRun& run, std::size_t node, const Executor& lender, LentRun& target) {
  for (const int input : target.executor().graph().nodes()[node].op->inputs) {
    if (input < 0) continue;
    const int partner = run.partner[as_size(input)];
    if (partner >= 0) target.lend(input, lender, partner);
  }
}

void note(OriginRecord& record, std::string reason) {
  if (record.not_computed.empty()) record.not_computed = std::move(reason);
}

}  // namespace

OriginRunner::OriginRunner(const std::vector<OriginOrder>& orders, const std::vector<bool>& wanted,
                           std::shared_ptr<const OriginGraphs> graphs)
    : orders_(orders), wanted_(wanted), graphs_(std::move(graphs)), runs_(orders.size()) {
  for (std::size_t order = 0; order < orders.size(); ++order) order_of_.insert(order_of_.end(), orders[order].pairs.size(), order);
}

OriginRunner::~OriginRunner() = default;

Status OriginRunner::after(std::size_t pair, const Executor& reference, const Executor& quantized, OriginRecords& records) {
  const std::size_t index = order_of_[pair];
  const OriginOrder& order = orders_[index];
  const OriginPair& described = order.pairs[pair - order.first_pair];
  if (pair - order.first_pair == order.begins_with) VISQ_TRY(start(index, reference, quantized, records));
  if (described.graph_input && described.blocked.empty()) measure_input(described, reference, quantized, records[pair].back());
  run_created(order, *runs_[index], described.created_until, reference, records);
  run_inherited(order, *runs_[index], described.inherited_until, reference, quantized, records);
  return {};
}

/// A new run of a pair of subgraphs begins.
Status OriginRunner::start(std::size_t order, const Executor& reference, const Executor& quantized, OriginRecords& records) {
  const OriginOrder& plan = orders_[order];
  for (std::size_t i = 0; i < plan.pairs.size(); ++i) {
    if (wanted_[plan.first_pair + i]) records[plan.first_pair + i].emplace_back();
  }
  auto& runs = runs_[order];
  if (runs == nullptr || runs->reference_shapes != input_shapes(reference) || runs->quantized_shapes != input_shapes(quantized)) {
    runs = std::make_unique<Runs>();
    VISQ_ASSIGN(const OriginGraph r, graph_like(graphs_->reference, reference));
    VISQ_ASSIGN(const OriginGraph q, graph_like(graphs_->quantized, quantized));
    VISQ_ASSIGN(runs->inherited, make_run(r, {}));
    VISQ_ASSIGN(runs->created, make_run(q, rounding_only(*q.graph, {})));
    if (!plan.inner.empty()) {
      VISQ_ASSIGN(runs->inside, make_run(q, rounding_only(*q.graph, plan.inner)));
    }
    runs->reference_shapes = input_shapes(reference);
    runs->quantized_shapes = input_shapes(quantized);
  }
  for (LentRun* run : {runs->inherited.get(), runs->created.get(), runs->inside.get()}) {
    if (run != nullptr) run->restart();
  }
  runs->inherited_done = runs->created_done = 0;
  return {};
}

void OriginRunner::measure_input(const OriginPair& pair, const Executor& reference, const Executor& quantized, OriginRecord& record) {
  if (!reference.available(pair.reference)) return note(record, "not computed");
  const kernels::Tensor& f = reference.tensor(pair.reference);
  const TensorInfo& info = *quantized.tensor(pair.quantized).info;
  const float* values = real_values(f, scratch_.reference);
  if (values == nullptr) return note(record, "no real values");
  const bool rounds = quantized.graph().tensors()[as_size(pair.quantized)].gridded;
  add_created({.f = values, .exact = values, .inside = values}, info, rounds, f.shape, scratch_, record);
  record.has_inherited = true;
}

void OriginRunner::run_created(const OriginOrder& order, Runs& runs, std::size_t until, const Executor& reference, OriginRecords& records) {
  const auto& outputs_of = runs.created->executor().graph().nodes();
  for (; runs.created_done < until; ++runs.created_done) {
    const std::size_t node = order.created.nodes[runs.created_done];
    lend_partners(order.created, node, reference, *runs.created);
    runs.created->step(node);
    const bool inside = runs.inside != nullptr && order.rounded_inside[node];
    if (inside) {
      lend_partners(order.created, node, reference, *runs.inside);
      for (const int input : outputs_of[node].op->inputs) {
        const bool made_exactly = input >= 0 && order.exact_inner[as_size(input)];
        if (made_exactly) runs.inside->lend(input, runs.created->executor(), input);
      }
      runs.inside->step(node);
    }
    for (const int output : outputs_of[node].op->outputs) {
      const int pair = order.created.pair[as_size(output)];
      if (pair < 0) continue;
      const auto place = as_size(pair);
      measure_created(order.pairs[place], runs, inside, reference, records[order.first_pair + place].back());
    }
  }
}

void OriginRunner::run_inherited(const OriginOrder& order, Runs& runs, std::size_t until, const Executor& reference,
                                 const Executor& quantized, OriginRecords& records) {
  for (; runs.inherited_done < until; ++runs.inherited_done) {
    const std::size_t node = order.inherited.nodes[runs.inherited_done];
    lend_partners(order.inherited, node, quantized, *runs.inherited);
    runs.inherited->step(node);
    for (const int output : runs.inherited->executor().graph().nodes()[node].op->outputs) {
      const int pair = order.inherited.pair[as_size(output)];
      if (pair < 0) continue;
      const auto place = as_size(pair);
      measure_inherited(order.pairs[place], runs, reference, quantized, records[order.first_pair + place].back());
    }
  }
}

void OriginRunner::measure_created(const OriginPair& pair, Runs& runs, bool inside, const Executor& reference, OriginRecord& record) {
  const LentRun& last = inside ? *runs.inside : *runs.created;
  if (!runs.created->missing(pair.quantized).empty()) return note(record, runs.created->missing(pair.quantized));
  if (!last.missing(pair.quantized).empty()) return note(record, last.missing(pair.quantized));
  if (!reference.available(pair.reference)) return note(record, "not computed");
  const kernels::Tensor& f = reference.tensor(pair.reference);
  const kernels::Tensor& exact = runs.created->tensor(pair.quantized);
  if (f.shape != exact.shape || f.shape != last.tensor(pair.quantized).shape) return note(record, "shapes differ");
  CreatedMaps maps{
      .f = real_values(f, scratch_.reference), .exact = real_values(exact, scratch_.computed), .low = pair.low, .high = pair.high};
  maps.inside = inside ? real_values(last.tensor(pair.quantized), scratch_.computed_inside) : maps.exact;
  if (maps.f == nullptr || maps.exact == nullptr || maps.inside == nullptr) return note(record, "no real values");
  const bool rounds = runs.created->executor().graph().tensors()[as_size(pair.quantized)].gridded;
  add_created(maps, *exact.info, rounds, f.shape, scratch_, record);
}

void OriginRunner::measure_inherited(const OriginPair& pair, Runs& runs, const Executor& reference, const Executor& quantized,
                                     OriginRecord& record) {
  const std::string missing = runs.inherited->missing(pair.reference);
  if (!missing.empty()) return note(record, missing);
  if (!reference.available(pair.reference)) return note(record, "not computed");
  const kernels::Tensor& f = reference.tensor(pair.reference);
  const kernels::Tensor& inherited = runs.inherited->tensor(pair.reference);
  if (f.shape != inherited.shape) return note(record, "shapes differ");
  const float* f_values = real_values(f, scratch_.reference);
  const float* values = real_values(inherited, scratch_.computed);
  if (f_values == nullptr || values == nullptr) return note(record, "no real values");
  add_inherited(f_values, values, *quantized.tensor(pair.quantized).info, f.shape, record);
}

}  // namespace visq::analysis
