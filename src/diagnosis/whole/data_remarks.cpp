#include "diagnosis/whole/data_remarks.h"

#include <fmt/core.h>

#include <algorithm>

#include "diagnosis/whole/image_layout.h"
#include "diagnosis/whole/natural_data.h"
#include "diagnosis/whole/range_fit.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

/// Inputs: the share of values beyond the range from which, and the share of the range under which, the data look foreign.
constexpr double kForeignClipped = 0.2, kForeignUsed = 0.1;
/// Ranges that the data do not fill are no trouble where the outputs are better than this, in dB; a float model that is right so often has
/// the right data.
constexpr double kHarmless = 20, kRightData = 0.9;

/// The change after which the data would fill the ranges, as a clause.
std::string fitting_change(const RangeFit& fit) {
  return fmt::format(
      "the ranges of calibration fit these data {}: the float model's values then miss them by a factor of {:.2f} ({} "
      "feature maps), as the data are by {:.3g}",
      fit.change, fit.changed_miss, fit.maps, fit.miss);
}

/// Whose pre-processing is wrong, as far as that is known, and what to do.
std::string whose_fault(const DiagnoseResult& result, const std::optional<DataEvidence>& evidence) {
  if (result.accuracy && result.accuracy->by_class() && result.accuracy->reference.main >= kRightData) {
    return fmt::format(
        "The float model is right in {:.1f} % of these data, so it is the data of calibration that differ: calibrate again "
        "with data pre-processed as these are",
        100 * result.accuracy->reference.main);
  }
  if (evidence && !evidence->conclusion().empty()) return evidence->conclusion();
  const std::string_view unseen = result.accuracy ? "does not show here" : "cannot be seen without labels (--labels, --eval)";
  return fmt::format(
      "Whose pre-processing (mean, scale, channel order) is wrong, that of calibration or that of these data, {}: calibrate "
      "again with data pre-processed as in evaluation, or correct the evaluation data",
      unseen);
}

}  // namespace

std::string foreign_input(const Symptoms& symptoms) {
  const Subject& subject = symptoms.subject();
  for (const int input : subject.quantized().main().inputs) {
    const QuantizedMap* map = symptoms.map(input);
    for (const int reader : subject.q().readers(input)) {
      if (map == nullptr && kernels::kind_of(subject.q().op(reader)) == kernels::OpKind::kQuantize)
        map = symptoms.map(output_of(subject.q().op(reader), 0));
    }
    if (map == nullptr || map->used_width() <= 0) continue;
    const double used = map->used_width() / map->offered_width();
    if (map->noise.clipped_share < kForeignClipped && used > kForeignUsed) continue;
    const auto& moments = map->values->moments;
    return fmt::format(
        "input '{}' holds values in [{:.4g}, {:.4g}] (mean {:.4g}, deviation {:.4g}), the model was quantized for "
        "[{:.4g}, {:.4g}]",
        subject.shown(input), moments.min, moments.max, moments.mean, moments.deviation(), map->offered.low, map->offered.high);
  }
  return "";
}

std::vector<GlobalRemark> layout_remarks(const Symptoms& symptoms, const WhatIf& what_if) {
  std::vector<GlobalRemark> remarks;
  const auto& inputs = symptoms.subject().quantized().main().inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::size_t odd = 0;
    for (std::size_t record = 0; record < what_if.records(); ++record) {
      const Array& input = what_if.inputs(record)[i];
      odd += input.dtype == DType::kFloat32 && seems_channels_first(input.values<float>(), input.shape) ? 1U : 0U;
    }
    if (2 * odd <= what_if.records()) continue;
    remarks.push_back(
        {"channel order",
         fmt::format("input '{}' seems to hold pictures channel by channel (NCHW), the model takes them pixel by pixel (NHWC): "
                     "neighbouring pixels differ more in that order than in the other",
                     symptoms.subject().shown(inputs[i]))});
  }
  return remarks;
}

Result<std::string> add_data_remarks(const Symptoms& symptoms, const WhatIf& what_if, RecordSource& data, const DiagnoseOptions& options,
                                     DiagnoseResult& result) {
  if (!result.remarks.empty()) return std::string();
  const std::string input = foreign_input(symptoms);
  VISQ_ASSIGN(const auto fit, fit_ranges(symptoms, data, options));
  const std::string change = fit && fit->undo ? fitting_change(*fit) : "";
  const bool harmless = std::all_of(result.output_sqnr.begin(), result.output_sqnr.end(), [](double sqnr) { return sqnr >= kHarmless; });
  std::optional<DataEvidence> evidence;
  const auto suspected = input.empty() && change.empty() ? std::nullopt : suspected_change(symptoms, fit);
  if (suspected) {
    VISQ_ASSIGN(evidence, weigh_data(symptoms.subject(), data, options, *suspected));
  }
  const bool wrong = !result.accuracy && evidence && evidence->verdict() == NaturalData::kChanged;
  if (!input.empty() || (!change.empty() && (wrong || !harmless))) {
    result.remarks.push_back({"wrong data", fmt::format("{}{}{}. {}", input, !input.empty() && !change.empty() ? "; " : "", change,
                                                        whose_fault(result, evidence))});
  }
  for (GlobalRemark& remark : layout_remarks(symptoms, what_if)) result.remarks.push_back(std::move(remark));
  return result.remarks.empty() ? change : std::string();
}

}  // namespace visq::diagnosis
