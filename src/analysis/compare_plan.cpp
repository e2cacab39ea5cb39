#include "analysis/compare_plan.h"

#include <algorithm>

#include "analysis/map_identity.h"
#include "analysis/node_filter.h"
#include "core/error.h"

namespace visq::analysis {
namespace {

/// Plans kept for different input shapes: enough for data with a few sizes, bounded for data where every record differs.
constexpr std::size_t kPlansKept = 4;
/// Operators whose weights are looked at, and the cosine under which weights have nothing in common.
constexpr std::size_t kWeightSample = 32;
constexpr double kUnrelatedCosine = 0.3;

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

std::vector<quant::TensorMatch> filter(const Model& reference, const Model& quantized, const quant::Pairing& pairing,
                                       const CompareOptions& options) {
  NodeFilter nodes(options.nodes, options.ops);
  const MapNames reference_names(reference, 0);
  const MapNames quantized_names(quantized, 0);
  for (const auto& match : pairing.matches) {
    nodes.learn_name(reference_names.name(match.reference));
    nodes.learn_name(quantized_names.name(match.quantized));
  }
  std::vector<quant::TensorMatch> kept;
  for (const auto& match : pairing.matches) {
    const std::string op = reference_names.identity(match.reference).op;
    if (nodes.passes({reference_names.name(match.reference), quantized_names.name(match.quantized)}, op)) kept.push_back(match);
  }
  return kept;
}

}  // namespace

Result<ComparePlan> ComparePlan::create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                        const CompareOptions& options) {
  VISQ_TRY(check_not_swapped(*reference, *quantized, options));
  ComparePlan plan;
  plan.reference_mode_ = options.reference_mode;
  plan.quantized_mode_ = options.quantized_mode;
  VISQ_ASSIGN(plan.input_order_, match_inputs(*reference, *quantized));
  plan.pairing_ = quant::pair_models(*reference, *quantized, plan.input_order_);
  plan.matches_ = filter(*reference, *quantized, plan.pairing_, options);
  plan.reference_ = std::move(reference);
  plan.quantized_ = std::move(quantized);
  const auto& inputs = plan.reference_->main().inputs;
  const bool any_operator = std::any_of(plan.pairing_.matches.begin(), plan.pairing_.matches.end(), [&](const auto& match) {
    return std::find(inputs.begin(), inputs.end(), match.reference) == inputs.end();
  });
  if (!any_operator) {
    return bad_input("{} and {} have nothing in common: no feature map of one has a counterpart in the other", plan.reference_->path,
                     plan.quantized_->path);
  }
  if (plan.matches_.empty()) return usage_error("no feature map fits --nodes and --ops");
  plan.warn_about_weights();
  return plan;
}

void ComparePlan::warn_about_weights() {
  auto cosines = quant::weight_similarities(*reference_, *quantized_, pairing_, kWeightSample);
  if (cosines.empty()) return;
  std::nth_element(cosines.begin(), cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2), cosines.end());
  const double median = cosines[cosines.size() / 2];
  if (median >= kUnrelatedCosine) return;
  warnings_.push_back(
      fmt::format("the weights of {} and {} have nothing in common (median cosine {:.2f} over {} operators): are they the same network?",
                  reference_->path, quantized_->path, median, cosines.size()));
}

Result<std::shared_ptr<const runtime::LockstepPlan>> ComparePlan::lockstep(const std::vector<Shape>& reference_inputs,
                                                                           const std::vector<Shape>& quantized_inputs) {
  const std::lock_guard lock(shared_->mutex);
  auto& plans = shared_->plans;
  for (const auto& [shapes, plan] : plans) {
    if (shapes == reference_inputs) return plan;
  }
  VISQ_ASSIGN(auto reference, runtime::PreparedGraph::prepare(reference_, 0, reference_mode_, reference_inputs));
  VISQ_ASSIGN(auto quantized, runtime::PreparedGraph::prepare(quantized_, 0, quantized_mode_, quantized_inputs));
  std::vector<runtime::TensorPair> pairs;
  for (const auto& match : matches_) pairs.push_back({match.reference, match.quantized});
  auto plan = std::make_shared<const runtime::LockstepPlan>(runtime::plan_lockstep(std::move(reference), std::move(quantized), pairs));
  if (plans.size() == kPlansKept) plans.erase(plans.begin());
  plans.emplace_back(reference_inputs, plan);
  return plan;
}

}  // namespace visq::analysis
