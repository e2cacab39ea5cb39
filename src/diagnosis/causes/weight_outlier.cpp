// WEIGHT_OUTLIER: a few weights much larger than all others decide the scale of their tensor or channel.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "diagnosis/suspicion.h"

namespace visq::diagnosis {
namespace {

/// How many weights may be outliers: one in this many.
constexpr std::size_t kOneIn = 1000;
/// Largest weight over the largest that is no outlier: noticeable, certain.
constexpr double kNoticeable = 2.5, kCertain = 5;

struct Outlier {
  double ratio = 0;
  std::size_t count = 0;
};

/// The largest magnitude over the largest of the rest, for the number of outliers that makes most of it.
Outlier find_outliers(const std::vector<float>& values) {
  std::vector<double> magnitudes;
  for (const float value : values) magnitudes.push_back(std::fabs(static_cast<double>(value)));
  const std::size_t most = std::min(values.size() - 1, std::max<std::size_t>(1, values.size() / kOneIn));
  std::partial_sort(magnitudes.begin(), magnitudes.begin() + static_cast<std::ptrdiff_t>(most + 1), magnitudes.end(), std::greater<>());
  Outlier outlier;
  for (std::size_t k = 1; k <= most; ++k) {
    const double ratio = magnitudes[k] > 0 ? magnitudes[0] / magnitudes[k] : 0;
    if (ratio > outlier.ratio) outlier = {ratio, k};
  }
  return outlier;
}

void add_remedies(const Symptoms& symptoms, const ConstantValues& constant, Suspicion& suspicion) {
  const Subject& subject = symptoms.subject();
  const TensorInfo& tensor = subject.q().tensor(constant.where.tensor);
  const std::string name = quoted(subject.names().name(constant.where.tensor));
  if (!tensor.quantization.per_channel()) {
    add_reference_weights(symptoms, constant.where, WeightScales::kPerChannel,
                          "quantize its weights per channel, which confines the outlier to one",
                          fmt::format("granularity {} = channel", name), suspicion);
  }
  Repair wide(subject);
  if (wide.widen_weights(constant.where)) {
    suspicion.remedies.push_back({"keep its weights in 16 bits or float", fmt::format("dtype {} = int16", name), wide.finish(), true});
  }
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const ConstantValues& constant : symptoms.constants()) {
    if (constant.where.bias || constant.reference.size() < 64) continue;
    const Outlier outlier = find_outliers(constant.reference);
    if (outlier.ratio < kNoticeable) continue;
    Suspicion& suspicion = suspicions.about_constant(constant.where);
    suspicion.text = fmt::format("{} of the {} weights '{}' {} {:.1f} times as large as the largest of the others", outlier.count,
                                 constant.reference.size(), subject.names().name(constant.where.tensor), outlier.count == 1 ? "is" : "are",
                                 outlier.ratio);
    suspicion.evidence = {
        {"outliers", static_cast<double>(outlier.count)}, {"largest_over_rest", outlier.ratio}, {"threshold", kNoticeable}};
    suspicion.strong = outlier.ratio >= kCertain;
    add_remedies(symptoms, constant, suspicion);
  }
}

constexpr CauseDef kCause{"WEIGHT_OUTLIER", 20, suspect};

}  // namespace

std::span<const CauseDef> cause_weight_outlier() { return {&kCause, 1}; }

}  // namespace visq::diagnosis
