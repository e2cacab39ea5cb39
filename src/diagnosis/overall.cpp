#include "diagnosis/overall.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/as_size.h"
#include "diagnosis/image_layout.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/weight_steps.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

/// Inputs: the share of values beyond the range from which, and the share of the range under which, the data look foreign.
constexpr double kForeignClipped = 0.2, kForeignUsed = 0.1;
/// The cosine under which weights have nothing in common.
constexpr double kUnrelatedCosine = 0.3;

void look_at_inputs(const Symptoms& symptoms, DiagnoseResult& result) {
  const Subject& subject = symptoms.subject();
  for (const int input : subject.quantized().main().inputs) {
    const QuantizedMap* map = symptoms.map(input);
    for (const int reader : subject.q().readers(input)) {
      if (map == nullptr && subject.q().op(reader).type == "QUANTIZE") map = symptoms.map(output_of(subject.q().op(reader), 0));
    }
    if (map == nullptr || map->used_width() <= 0) continue;
    const double used = map->used_width() / map->offered_width();
    if (map->noise.clipped_share < kForeignClipped && used > kForeignUsed) continue;
    const auto& moments = map->values->moments;
    result.remarks.push_back(
        {"wrong data",
         fmt::format(
             "input '{}' holds values in [{:.4g}, {:.4g}] (mean {:.4g}, deviation {:.4g}), the model was quantized for [{:.4g}, {:.4g}]: "
             "is the pre-processing (mean, scale, channel order) the one of calibration?",
             subject.names().name(input), moments.min, moments.max, moments.mean, moments.deviation(), map->offered.low,
             map->offered.high)});
  }
}

/// Pictures that lie channel by channel where the model takes pixel by pixel.
void look_at_layout(const Symptoms& symptoms, const WhatIf& what_if, DiagnoseResult& result) {
  const auto& inputs = symptoms.subject().quantized().main().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::size_t odd = 0;
    for (std::size_t record = 0; record < what_if.records(); ++record) {
      const Array& input = what_if.inputs(record)[i];
      odd += input.dtype == DType::kFloat32 && seems_channels_first(input.values<float>(), input.shape) ? 1U : 0U;
    }
    if (2 * odd <= what_if.records()) continue;
    result.remarks.push_back(
        {"channel order",
         fmt::format("input '{}' seems to hold pictures channel by channel (NCHW), the model takes them pixel by pixel (NHWC): "
                     "neighbouring pixels differ more in that order than in the other",
                     symptoms.subject().names().name(inputs[i]))});
  }
}

void look_at_weights(const Symptoms& symptoms, DiagnoseResult& result) {
  const Subject& subject = symptoms.subject();
  std::vector<double> cosines;
  for (const ConstantValues& constant : symptoms.constants()) {
    if (!constant.where.bias) cosines.push_back(cosine_of(constant));
  }
  if (cosines.empty()) return;
  std::nth_element(cosines.begin(), cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2), cosines.end());
  const double median = cosines[cosines.size() / 2];
  if (median < kUnrelatedCosine) {
    result.remarks.push_back(
        {"unrelated weights",
         fmt::format("the weights of {} and {} have nothing in common (median cosine {:.2f} over {} layers): are they the same "
                     "network?",
                     subject.reference().path, subject.quantized().path, median, cosines.size())});
    return;
  }
  const UsualDifference& usual = symptoms.usual_difference();
  if (!usual.retrained()) return;
  Finding finding;
  finding.cause = "RETRAINED";
  finding.text = fmt::format(
      "the weights are a trained-on version of the float model's: in the median layer {:.2f} steps RMS off, {:.1f} % of their "
      "size, where rounding gives 0.29 steps",
      usual.rms, 100 * usual.relative);
  finding.evidence = {{"steps_rms", usual.rms},
                      {"relative_difference", usual.relative},
                      {"median_cosine", median},
                      {"threshold", UsualDifference::kRetrainedSteps}};
  finding.fix = "compare with the float model that this training started from or ended with";
  result.findings.push_back(std::move(finding));
}

}  // namespace

void add_overall(const Symptoms& symptoms, const WhatIf& what_if, DiagnoseResult& result) {
  look_at_inputs(symptoms, result);
  look_at_layout(symptoms, what_if, result);
  look_at_weights(symptoms, result);
}

}  // namespace visq::diagnosis
