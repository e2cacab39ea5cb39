#include "diagnosis/recommend/doubts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "diagnosis/ends.h"
#include "diagnosis/weight_steps.h"
#include "diagnosis/whole/data_remarks.h"
#include "diagnosis/whole/natural_data.h"
#include "diagnosis/whole/range_fit.h"

namespace visq::diagnosis {
namespace {

/// The cosine under which weights have nothing in common.
constexpr double kNothingInCommon = 0.3;
constexpr double kDeviations = 3;
/// Outputs below this, in dB, are poor enough to ask for a cause in the data.
constexpr double kPoor = 20;

std::optional<double> median_cosine(const Symptoms& symptoms) {
  std::vector<double> cosines;
  for (const ConstantValues& constant : symptoms.constants()) {
    if (!constant.where.bias) cosines.push_back(cosine_of(constant));
  }
  if (cosines.empty()) return std::nullopt;
  const auto middle = cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2);
  std::nth_element(cosines.begin(), middle, cosines.end());
  return *middle;
}

/// See in_calibrated_units().
class RescaledData final : public RecordSource {
 public:
  RescaledData(RecordSource& data, std::vector<InputMismatch> foreign) : data_(data), foreign_(std::move(foreign)) {}
  std::int64_t count() const override { return data_.count(); }
  std::string description() const override { return data_.description(); }
  Result<Record> read(std::int64_t index) override {
    VISQ_ASSIGN(Record record, data_.read(index));
    for (const InputMismatch& input : foreign_) {
      Array& values = record.inputs[as_size(input.input)];
      if (values.dtype != DType::kFloat32 || input.high <= input.low) continue;
      const double factor = (input.range_high - input.range_low) / (input.high - input.low);
      for (float& value : values.values<float>()) {
        value = static_cast<float>((static_cast<double>(value) - input.low) * factor + input.range_low);
      }
    }
    return record;
  }

 private:
  RecordSource& data_;
  std::vector<InputMismatch> foreign_;
};

/// One of the models ends with a SOFTMAX, LOGISTIC or the like that the other does not have.
std::optional<GlobalRemark> doubt_outputs(const Subject& subject) {
  const auto ends = different_ends(subject);
  if (!ends) return std::nullopt;
  return GlobalRemark{"different ends",
                      fmt::format("the {} model ends with {}, the other without: they compute different things, so nothing is repaired; "
                                  "compare scores with scores",
                                  ends->in_reference ? "float" : "quantized", ends->type)};
}

/// Labels that name no class.
std::optional<GlobalRemark> doubt_labels(const LabelledScore& score) {
  if (score.outside == 0) return std::nullopt;
  return GlobalRemark{
      "wrong labels",
      fmt::format(
          "{} of {} labels name none of the {} classes (0 to {}), the first is {}: nothing is repaired while the labels are in doubt; "
          "diagnose --labels tries the usual errors (labels that count from 1: --label-offset -1)",
          score.outside, score.records, score.classes, score.classes - 1, score.first_outside)};
}

}  // namespace

bool LabelledScore::near_chance() const {
  const double deviation = records > 0 ? std::sqrt(guess * (1 - guess) / static_cast<double>(records)) : 0;
  return right <= guess + kDeviations * deviation;
}

std::unique_ptr<RecordSource> in_calibrated_units(RecordSource& data, std::vector<InputMismatch> foreign) {
  return std::make_unique<RescaledData>(data, std::move(foreign));
}

std::optional<GlobalRemark> doubt(const MeasuredPair& pair, const Symptoms& symptoms, const std::optional<LabelledScores>& scores) {
  if (scores) {
    if (auto remark = doubt_labels(scores->as_given)) return remark;
  }
  const std::string foreign = pair.foreign_inputs().empty() ? "" : sentence(pair.foreign_inputs().front(), pair.subject().quantized().path);
  if (scores && scores->rescaled && scores->rescaled->right > scores->as_given.right) {
    return GlobalRemark{
        "wrong data",
        fmt::format("{}; so scaled the float model gets {:.1f} % right, as the data are {:.1f} %: the data are wrong, nothing "
                    "is repaired",
                    foreign, 100 * scores->rescaled->right, 100 * scores->as_given.right)};
  }
  if (scores && scores->as_given.near_chance()) {
    return GlobalRemark{"wrong data",
                        fmt::format("the float model itself gets {:.1f} % right, where always the same answer gets {:.1f} %: the data or "
                                    "the labels are not those that it was made for, so nothing is repaired",
                                    100 * scores->as_given.right, 100 * scores->as_given.guess)};
  }
  const auto cosine = median_cosine(symptoms);
  if (cosine && *cosine < kNothingInCommon) {
    return GlobalRemark{"unrelated weights",
                        fmt::format("the weights of both models have nothing in common (median cosine {:.2f}): nothing is repaired, since "
                                    "they are not the same network",
                                    *cosine)};
  }
  return doubt_outputs(pair.subject());
}

Result<std::optional<GlobalRemark>> doubt_data(const MeasuredPair& pair, const Symptoms& symptoms, const Trials& trials, RecordSource& data,
                                               const RunRequest& request) {
  using Remark = std::optional<GlobalRemark>;
  for (const GlobalRemark& layout : layout_remarks(symptoms, pair.what_if())) {
    return Remark({layout.kind, layout.text +
                                    "; nothing is repaired while that is open: --labels would show whether the float model is good "
                                    "on these data"});
  }
  VISQ_ASSIGN(const auto fit, fit_ranges(symptoms, data, request));
  std::string oddity = foreign_input(symptoms);
  if (!pair.foreign_inputs().empty()) oddity = sentence(pair.foreign_inputs().front(), pair.subject().quantized().path);
  const bool fits = fit && fit->undo;
  if (oddity.empty() && !fits) return Remark();
  const auto& before = trials.before().outputs;
  const bool poor = std::any_of(before.begin(), before.end(), [](double sqnr) { return sqnr < kPoor; });
  if (oddity.empty()) oddity = fmt::format("the ranges of calibration fit these data {}", fit->change);
  if (const auto change = suspected_change(symptoms, fit)) {
    VISQ_ASSIGN(const DataEvidence evidence, weigh_data(pair.subject(), data, request, *change));
    if (evidence.verdict() == NaturalData::kAsGiven) return Remark();
    if (evidence.verdict() == NaturalData::kChanged) {
      return Remark({"wrong data", fmt::format("{}. {}. Nothing is repaired: a repair would fit the model to wrong data", oddity,
                                               evidence.conclusion())});
    }
  }
  if (pair.foreign_inputs().empty() && !poor) return Remark();
  return Remark({"wrong data", oddity +
                                   "; nothing is repaired while it is open whether these data or those of calibration are wrong, which the "
                                   "float model itself does not tell: --labels would show whether it is good on these"});
}

}  // namespace visq::diagnosis
