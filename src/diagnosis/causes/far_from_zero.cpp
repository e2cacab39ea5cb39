// FAR_FROM_ZERO: values that lie together far from zero (temperatures in kelvin): every grid holds zero, and spends its steps on the way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_far_from_zero {
namespace {

/// The range over what the values span: noticeable, certain.
constexpr double kNoticeable = 3, kCertain = 8;

/// A grid over [low, high] alone; its zero point is no code, which no kernel takes.
Quantization grid_beside_zero(DType type, double low, double high) {
  const IntegerRange codes = integer_range(type);
  const double scale = (high - low) / static_cast<double>(codes.high - codes.low);
  Quantization grid;
  grid.scale = {static_cast<float>(scale)};
  grid.zero_point = {codes.low - static_cast<std::int64_t>(std::round(low / scale))};
  return grid;
}

/// What rounding of a reader's weights makes of the offset: gone where the offset is not multiplied with them.
void correct_readers(const Symptoms& symptoms, int tensor, double offset, Repair& repair) {
  const Subject& subject = symptoms.subject();
  for (const ConstantValues& weights : symptoms.constants()) {
    const Operator& op = subject.q().op(weights.where.node);
    const auto slots = kernels::facts_of(op).weights;
    const PairedConstant* bias = subject.bias_of(weights.where.node);
    if (weights.where.bias || !slots || slots->channel_axis != 0 || bias == nullptr || input_of(op, slots->data) != tensor) continue;
    const ConstantValues* wanted = values_of(symptoms, *bias);
    if (wanted == nullptr || weights.reference.size() % wanted->reference.size() != 0) continue;
    std::vector<double> values(wanted->reference.begin(), wanted->reference.end());
    const std::size_t row = weights.reference.size() / values.size();
    for (std::size_t i = 0; i < weights.reference.size(); ++i) {
      values[i / row] += offset * (static_cast<double>(weights.reference[i]) - static_cast<double>(weights.quantized[i]));
    }
    repair.rebias(weights.where.node, std::move(values));
  }
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const QuantizedMap& map : symptoms.maps()) {
    const double low = map.values->moments.min, high = map.values->moments.max, span = high - low;
    const bool beside = low > 0 || high < 0;
    if (!beside || span <= 0 || map.step <= 0 || has_fixed_grid(subject, map.tensor) || map.offered_width() < kNoticeable * span) continue;
    if (symptoms.first_of_group(map.tensor) != map.tensor || subject.tied(map.tensor).size() > 1) continue;
    Suspicion& suspicion = suspicions.about_map(map.tensor);
    suspicion.text = fmt::format(
        "its values lie in [{:.4g}, {:.4g}], far from zero, which its range [{:.4g}, {:.4g}] must hold: {:.0f} of {:.0f} steps are left",
        low, high, map.offered.low, map.offered.high, span / map.step, map.offered_width() / map.step);
    suspicion.evidence = {{"needed_low", low},
                          {"needed_high", high},
                          {"range_over_span", map.offered_width() / span},
                          {"threshold", kNoticeable},
                          {"steps", span / map.step}};
    suspicion.values = evidence_of(map);
    suspicion.strong = map.offered_width() >= kCertain * span;
    Repair repair(subject);
    repair.regrid(subject.tied(map.tensor), grid_beside_zero(subject.q().tensor(map.tensor).dtype, low, high));
    correct_readers(symptoms, map.tensor, (low + high) / 2, repair);
    suspicion.remedies.push_back(
        {fmt::format("subtract {:.4g} {}, and let the bias of the layer behind take what that changes: the values then lie around zero",
                     (low + high) / 2, subject.q().maker(map.tensor) < 0 ? "before the network" : "in the bias of the layer that makes it"),
         fmt::format("range {} = [{:.6g}, {:.6g}]", in_quotes(subject.names().name(map.tensor)), low, high), repair.finish(), true});
  }
}

constexpr CauseDef kCause{"FAR_FROM_ZERO", 20, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_far_from_zero
