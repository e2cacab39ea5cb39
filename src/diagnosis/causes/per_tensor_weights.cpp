// PER_TENSOR_WEIGHTS: one scale for all channels of a layer's weights, whose ranges are too different for one.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "diagnosis/weight_steps.h"

namespace visq::diagnosis::cause_per_tensor_weights {
namespace {

/// Largest channel over the median one, and over the smallest tenth: noticeable, certain.
constexpr double kNoticeable = 3, kCertain = 8, kCertainSmall = 6;

/// A layer with one scale among layers of its type that mostly have one per channel.
bool is_odd_one(const Subject& subject, const PairedConstant& weight) {
  int channels = 0, all = 0;
  for (const PairedConstant& other : subject.constants()) {
    if (other.bias || other.slot != weight.slot || subject.q().op(other.node).type != subject.q().op(weight.node).type) continue;
    ++all;
    channels += subject.q().tensor(other.tensor).quantization.per_channel() ? 1 : 0;
  }
  return 2 * channels > all;
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const ConstantValues& constant : symptoms.constants()) {
    const TensorInfo& tensor = subject.q().tensor(constant.where.tensor);
    if (constant.where.bias || tensor.quantization.per_channel() || tensor.shape.rank() < 2) continue;
    std::vector<double> reaches = channel_reaches(subject, constant);
    std::erase(reaches, 0.0);  // dead channels lose nothing
    if (reaches.size() < 2) continue;
    std::sort(reaches.begin(), reaches.end());
    const double median = reaches[reaches.size() / 2];
    const double small = reaches[reaches.size() / 10];
    const double ratio = reaches.back() / median;
    const bool odd = is_odd_one(subject, constant.where);
    if (ratio < kNoticeable && reaches.back() / small < kNoticeable && !odd) continue;
    const double step = static_cast<double>(tensor.quantization.scale[0]);
    Suspicion& suspicion = suspicions.about_constant(constant.where);
    suspicion.text = fmt::format(
        "one scale for all {} channels of its weights '{}', the largest of which is {:.1f} times the median one, which has "
        "{:.0f} steps left",
        reaches.size(), subject.reference_names().display(constant.where.reference), ratio, median / step);
    suspicion.evidence = {{"largest_over_median", ratio},
                          {"largest_over_small", reaches.back() / small},
                          {"threshold", kNoticeable},
                          {"steps_of_median", median / step}};
    metrics::ValueSketch largest;
    for (const double reach : reaches) largest.add(std::array{static_cast<float>(reach)});
    suspicion.values = evidence_of("largest weight of each channel", largest, {0, reaches.back()});
    suspicion.strong = ratio >= kCertain || reaches.back() / small >= kCertainSmall || odd;
    suspicion.rivals = other_repairs(symptoms, constant.where);
    add_reference_weights(symptoms, constant.where, WeightScales::kPerChannel, "quantize its weights per channel",
                          fmt::format("granularity {} = channel", in_quotes(subject.names().name(constant.where.tensor))), suspicion);
  }
}

constexpr CauseDef kCause{"PER_TENSOR_WEIGHTS", 10, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_per_tensor_weights
