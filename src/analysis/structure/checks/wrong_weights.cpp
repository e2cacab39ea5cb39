// wrong-weights: weights that are not the reference's, rounded. All of them a little: the network was trained on; all of them a lot: it is
// another network; a few: something happened to those.
#include <algorithm>

#include "analysis/structure/check_context.h"
#include "analysis/structure/weight_difference.h"
#include "core/error.h"

namespace visq::analysis::check_wrong_weights {
namespace {

constexpr double kUnrelatedCosine = 0.3;  ///< as where compare warns
constexpr double kSimilarCosine = 0.9;    ///< a network that was trained on
constexpr double kCloseCosine = 0.99;     ///< one layer among others that are equal
/// Share of layers that must differ before it is the network rather than some layers of it.
constexpr double kMost = 0.5;

void report_network(const std::vector<WeightDifference>& different, std::size_t all, Findings& findings) {
  std::vector<double> cosines;
  for (const WeightDifference& each : different) cosines.push_back(each.cosine);
  std::nth_element(cosines.begin(), cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2), cosines.end());
  const double median = cosines[cosines.size() / 2];
  Evidence evidence{{"layers", static_cast<double>(different.size())}, {"of", static_cast<double>(all)}, {"median_cosine", median}};
  const std::string how_many = fmt::format("the weights of {} of {} layers", different.size(), all);
  if (median >= kSimilarCosine) {
    findings.add(
        Severity::kHint, false,
        fmt::format("{} are similar to the reference's, but not equal (median cosine {:.4f}): trained on, as in quantization-aware "
                    "training? Errors then hold the difference of training too",
                    how_many, median),
        std::move(evidence));
  } else {
    const bool unrelated = median < kUnrelatedCosine;
    findings.add(unrelated ? Severity::kError : Severity::kWarning, false,
                 fmt::format("{} {} the reference's (median cosine {:.2f}): is it the same network?", how_many,
                             unrelated ? "have nothing in common with" : "are not", median),
                 std::move(evidence));
  }
}

void report_layer(const CheckContext& context, const WeightDifference& each, Findings& findings) {
  const double share = static_cast<double>(each.beyond) / static_cast<double>(each.elements);
  findings.add(each.cosine < kCloseCosine ? Severity::kError : Severity::kWarning, context.graphs.front(), each.node, each.tensor,
               fmt::format("{} of {} weights are not the reference's rounded ones: off by up to {:.3g} steps, cosine {:.4f}", each.beyond,
                           each.elements, each.largest, each.cosine),
               {{"cosine", each.cosine}, {"largest_steps", each.largest}, {"mean_steps", each.mean}, {"share", share}});
}

void run(const CheckContext& context, Findings& findings) {
  const auto all = weight_differences(context);
  std::vector<WeightDifference> different;
  for (const WeightDifference& each : all) {
    if (each.beyond > 0) different.push_back(each);
  }
  if (different.empty()) return;
  if (different.size() > 1 && static_cast<double>(different.size()) > kMost * static_cast<double>(all.size())) {
    report_network(different, all.size(), findings);
    return;
  }
  for (const WeightDifference& each : different) report_layer(context, each, findings);
}

constexpr CheckDef kCheck{"wrong-weights", run};

}  // namespace

std::span<const CheckDef> definitions() { return {&kCheck, 1}; }

}  // namespace visq::analysis::check_wrong_weights
