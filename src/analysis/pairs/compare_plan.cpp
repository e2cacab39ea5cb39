#include "analysis/pairs/compare_plan.h"

#include <malloc.h>

#include <algorithm>

#include "analysis/facts/map_identity.h"
#include "analysis/facts/name_hint.h"
#include "analysis/facts/node_filter.h"
#include "analysis/pairs/moved_maps.h"
#include "analysis/pairs/weight_likeness.h"
#include "core/error.h"
#include "quant/common_maps.h"

namespace visq::analysis {
namespace {

/// Plans kept for different input shapes: enough for data with a few sizes, bounded for data where every record differs.
constexpr std::size_t kPlansKept = 4;

bool has_quantized_constants(const Model& model) {
  for (const TensorInfo& tensor : model.main().tensors) {
    if (tensor.is_constant && is_integer(tensor.dtype) && tensor.quantization.quantized()) return true;
  }
  return false;
}

Status check_not_swapped(const Model& reference, const Model& quantized, const CompareOptions& options) {
  const bool seems_swapped =
      default_mode(reference) == Mode::kFakeQuant && default_mode(quantized) == Mode::kFp32 && !has_quantized_constants(quantized);
  if (!seems_swapped || options.modes_given) return {};
  return bad_input("{} is quantized and {} is not: are they swapped? The reference comes first", reference.path, quantized.path);
}

}  // namespace

Result<ComparePlan> ComparePlan::create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                        const CompareOptions& options) {
  if (options.origin && (options.reference_mode == Mode::kInteger || options.quantized_mode == Mode::kInteger)) {
    return usage_error("--origin: goes with fp32 and fake-quant execution only; integer arithmetic has no real-valued operators to feed");
  }
  VISQ_TRY(check_not_swapped(*reference, *quantized, options));
  ComparePlan plan;
  plan.reference_mode_ = options.reference_mode;
  plan.quantized_mode_ = options.quantized_mode;
  VISQ_ASSIGN(const auto input_order, match_inputs(*reference, *quantized));
  plan.pairings_ = *quant::pair_models_once(reference, quantized, input_order, options.pairs);
  plan.reference_ = std::move(reference);
  plan.quantized_ = std::move(quantized);
  VISQ_TRY(quant::need_common_maps(*plan.reference_, *plan.quantized_, plan.pairings_.front()));
  plan.choose_pairs(options);
  if (std::find(plan.wanted_.begin(), plan.wanted_.end(), true) == plan.wanted_.end()) {
    return usage_error("no feature map fits --nodes and --ops{}",
                       analysis::filter_hint(options.nodes, options.ops, {plan.reference_.get(), plan.quantized_.get()}));
  }
  plan.moved_from_ = find_moved(*plan.reference_, *plan.quantized_, plan.pairs_, plan.wanted_);
  plan.order_graphs(options.origin);
  plan.warn_about_weights();
  return plan;
}

/// Lists the pairs of all subgraphs and applies --nodes and --ops.
void ComparePlan::choose_pairs(const CompareOptions& options) {
  NodeFilter nodes(options.nodes, options.ops);
  std::vector<std::pair<MapNames, MapNames>> names;
  for (const auto& [r, q, pairing, calls] : pairings_) {
    const auto& own = names.emplace_back(MapNames(*reference_, r), MapNames(*quantized_, q));
    for (const auto& match : pairing.matches) {
      pairs_.push_back({r, q, match});
      const MapIdentity map = own.first.identity(match.reference), twin = own.second.identity(match.quantized);
      for (const auto known : analysis::all_names(map, twin)) nodes.learn_name(known);
    }
  }
  for (std::size_t graph = 0; graph < pairings_.size(); ++graph) {
    const auto& [r_names, q_names] = names[graph];
    for (const auto& match : pairings_[graph].pairing.matches) {
      const MapIdentity map = r_names.identity(match.reference);
      wanted_.push_back(nodes.passes(analysis::all_names(map, q_names.identity(match.quantized)), map.op));
    }
  }
}

std::vector<std::size_t> ComparePlan::outputs() const {
  std::vector<std::size_t> positions;
  for (const int output : reference_->main().outputs) {
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (wanted_[i] && pairs_[i].reference_subgraph == 0 && pairs_[i].match.reference == output) positions.push_back(i);
    }
  }
  return positions;
}

void ComparePlan::order_graphs(bool origin) {
  std::vector<runtime::LockstepOrder> orders;
  std::size_t first = 0;
  for (const auto& pairing : pairings_) {
    orders.push_back(runtime::order_lockstep(*reference_, *quantized_, pairing, first, wanted_));
    if (origin) {
      const bool rounds = quantized_mode_ == Mode::kFakeQuant;
      origins_.push_back(plan_origin(*reference_, *quantized_, pairing, first, wanted_, rounds, orders.back()));
    }
    first += pairing.pairing.matches.size();
  }
  orders_ = std::make_shared<const std::vector<runtime::LockstepOrder>>(std::move(orders));
}

void ComparePlan::warn_about_weights() {
  const WeightLikeness likeness = weight_likeness(*reference_, *quantized_, pairings_.front().pairing);
  const std::string warning = unrelated_weights(likeness, *reference_, *quantized_);
  if (!warning.empty()) warnings_.push_back(warning);
}

Result<PairGraphs> ComparePlan::graphs(const std::vector<Shape>& reference_inputs, const std::vector<Shape>& quantized_inputs) {
  const std::lock_guard lock(shared_->mutex);
  auto& known = shared_->graphs;
  for (const auto& [shapes, graphs] : known) {
    if (shapes == reference_inputs) return graphs;
  }
  VISQ_ASSIGN(auto reference, runtime::PreparedGraph::prepare(reference_, 0, reference_mode_, reference_inputs));
  VISQ_ASSIGN(auto quantized, runtime::PreparedGraph::prepare(quantized_, 0, quantized_mode_, quantized_inputs));
  PairGraphs graphs;
  if (!origins_.empty()) {
    VISQ_ASSIGN(OriginGraph r, origin_graph(reference, reference_inputs));
    VISQ_ASSIGN(OriginGraph q, origin_graph(quantized, quantized_inputs));
    graphs.origin = std::make_shared<const OriginGraphs>(OriginGraphs{std::move(r), std::move(q)});
  }
  graphs.lockstep =
      std::make_shared<const runtime::LockstepPlan>(runtime::plan_lockstep(std::move(reference), std::move(quantized), orders_));
  malloc_trim(0);  // what preparing has used and given back would stay with the process beside the feature maps
  if (shared_->watcher) shared_->watcher(*graphs.lockstep);
  if (known.size() == kPlansKept) known.erase(known.begin());
  known.emplace_back(reference_inputs, graphs);
  return graphs;
}

/// The graph of the lockstep itself where none of its operators reads stored integers.
Result<OriginGraph> ComparePlan::origin_graph(const std::shared_ptr<const runtime::PreparedGraph>& prepared,
                                              const std::vector<Shape>& inputs) const {
  auto graph = prepared;
  if (prepared->mode() == Mode::kFakeQuant) {
    const auto& model = &prepared->model() == reference_.get() ? reference_ : quantized_;
    VISQ_ASSIGN(graph, runtime::PreparedGraph::prepare(model, 0, prepared->mode(), inputs, runtime::Operands::kValues));
  }
  auto memory = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}));
  return OriginGraph{std::move(graph), std::move(memory)};
}

}  // namespace visq::analysis
