// PER_TENSOR_WEIGHTS: one scale for all channels of a layer's weights, whose ranges are too different for one.
#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/suspicion.h"
#include "diagnosis/weight_steps.h"

namespace visq::diagnosis {
namespace {

/// Largest channel over the median one: noticeable, certain.
constexpr double kNoticeable = 3, kCertain = 8;

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
    const double ratio = reaches.back() / median;
    if (ratio < kNoticeable) continue;
    const double step = static_cast<double>(tensor.quantization.scale[0]);
    Suspicion& suspicion = suspicions.about_constant(constant.where);
    suspicion.text = fmt::format(
        "one scale for all {} channels of its weights '{}', the largest of which is {:.1f} times the median one, which has "
        "{:.0f} steps left",
        reaches.size(), subject.names().name(constant.where.tensor), ratio, median / step);
    suspicion.evidence = {{"largest_over_median", ratio}, {"threshold", kNoticeable}, {"steps_of_median", median / step}};
    suspicion.strong = ratio >= kCertain;
    add_reference_weights(symptoms, constant.where, WeightScales::kPerChannel, "quantize its weights per channel",
                          fmt::format("granularity {} = channel", quoted(subject.names().name(constant.where.tensor))), suspicion);
  }
}

constexpr CauseDef kCause{"PER_TENSOR_WEIGHTS", 10, suspect};

}  // namespace

std::span<const CauseDef> cause_per_tensor_weights() { return {&kCause, 1}; }

}  // namespace visq::diagnosis
