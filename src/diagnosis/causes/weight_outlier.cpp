// WEIGHT_OUTLIER: a few weights much larger than all others decide the scale of their tensor or channel.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/as_size.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"

namespace visq::diagnosis::cause_weight_outlier {
namespace {

/// How many weights may be outliers: one in this many.
constexpr std::size_t kOneIn = 1000;
/// Largest weight over the largest that is no outlier: noticeable, certain.
constexpr double kNoticeable = 2.5, kCertain = 5;

/// Per channel, largest weight over the second largest: of the median channel, or of one with enough weights to tell; certain.
constexpr double kMedianChannel = 2.5, kOneChannel = 8, kOneCertain = 20;
constexpr std::int64_t kEnoughWeights = 16;

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

struct ChannelOutliers {
  double median = 0, most = 0;
};

/// How far the largest weight of each channel stands out of its channel.
ChannelOutliers outliers_within(const Subject& subject, const ConstantValues& constant) {
  const ChannelLayout layout = channel_layout(subject.q().op(constant.where.node), subject.q().tensor(constant.where.tensor));
  const auto count = static_cast<std::int64_t>(constant.reference.size()) / layout.channels;
  if (count < kEnoughWeights) return {};
  std::vector<double> first(as_size(layout.channels), 0), second = first, ratios;
  for (std::size_t i = 0; i < constant.reference.size(); ++i) {
    const std::size_t c = layout.channel_of(i);
    const double magnitude = std::fabs(static_cast<double>(constant.reference[i]));
    if (magnitude > first[c]) {
      second[c] = first[c], first[c] = magnitude;
    } else {
      second[c] = std::max(second[c], magnitude);
    }
  }
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (second[c] > 0) ratios.push_back(first[c] / second[c]);
  }
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  return {ratios[ratios.size() / 2], ratios.back()};
}

void add_remedies(const Symptoms& symptoms, const ConstantValues& constant, Suspicion& suspicion) {
  const Subject& subject = symptoms.subject();
  const TensorInfo& tensor = subject.q().tensor(constant.where.tensor);
  const std::string name = in_quotes(subject.names().name(constant.where.tensor));
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

void suspect_channels(const Symptoms& symptoms, const ConstantValues& constant, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const ChannelOutliers outliers = outliers_within(subject, constant);
  if (outliers.median < kMedianChannel && outliers.most < kOneChannel) return;
  Suspicion& suspicion = suspicions.about_constant(constant.where);
  suspicion.text = fmt::format(
      "within channels of its weights '{}' the largest is {:.1f} times the second largest in the median channel, {:.1f} times in one",
      subject.reference_names().display(constant.where.reference), outliers.median, outliers.most);
  suspicion.evidence = {{"median_channel", outliers.median}, {"worst_channel", outliers.most}, {"threshold", kMedianChannel}};
  suspicion.values = evidence_of(subject, constant);
  suspicion.strong = outliers.median >= kMedianChannel || outliers.most >= kOneCertain;
  suspicion.rivals = other_repairs(symptoms, constant.where);
  add_remedies(symptoms, constant, suspicion);
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const ConstantValues& constant : symptoms.constants()) {
    if (constant.where.bias || constant.reference.size() < 64) continue;
    const Outlier outlier = find_outliers(constant.reference);
    if (outlier.ratio < kNoticeable) {
      if (subject.q().tensor(constant.where.tensor).quantization.per_channel()) suspect_channels(symptoms, constant, suspicions);
      continue;
    }
    Suspicion& suspicion = suspicions.about_constant(constant.where);
    suspicion.text = fmt::format("{} of the {} weights '{}' {} {:.1f} times as large as the largest of the others", outlier.count,
                                 constant.reference.size(), subject.reference_names().display(constant.where.reference),
                                 outlier.count == 1 ? "is" : "are", outlier.ratio);
    suspicion.evidence = {
        {"outliers", static_cast<double>(outlier.count)}, {"largest_over_rest", outlier.ratio}, {"threshold", kNoticeable}};
    suspicion.values = evidence_of(subject, constant);
    suspicion.strong = outlier.ratio >= kCertain;
    suspicion.rivals = other_repairs(symptoms, constant.where);
    add_remedies(symptoms, constant, suspicion);
  }
}

constexpr CauseDef kCause{"WEIGHT_OUTLIER", 20, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_weight_outlier
