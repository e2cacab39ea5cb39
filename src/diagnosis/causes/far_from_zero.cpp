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
/// A mean of so many deviations is far from zero; the error made of means over that made of variation from which it rules.
constexpr double kFarMean = 10, kMeansOverVariation = 10;

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

/// A layer whose data's means are multiplied with the rounding of its weights.
struct OffsetLayer {
  const PairedConstant* bias = nullptr;
  std::vector<double> corrected;          ///< the reference's bias and what the means make of the rounding
  double of_means = 0, of_variation = 0;  ///< Σ over outputs of squared errors: made of means far from zero, made of what varies
  std::size_t farthest = 0;               ///< channel of the data whose mean is the most of its deviations from zero
};

std::optional<OffsetLayer> offset_layer(const Symptoms& symptoms, const ConstantValues& weights) {
  const Subject& subject = symptoms.subject();
  const Operator& twin = subject.r().op(weights.where.reference_node);
  const auto slots = kernels::facts_of(subject.q().op(weights.where.node)).weights;
  OffsetLayer layer;
  layer.bias = subject.bias_of(weights.where.node);
  if (weights.where.bias || !slots || slots->channel_axis != 0 || layer.bias == nullptr) return std::nullopt;
  const MapValues* data = symptoms.reference_values(input_of(twin, slots->data));
  const ConstantValues* wanted = values_of(symptoms, *layer.bias);
  if (data == nullptr || wanted == nullptr || wanted->reference.empty() || data->channels.count() == 0) return std::nullopt;
  const std::size_t outputs = wanted->reference.size(), row = weights.reference.size() / outputs, channels = data->channels.count();
  if (row * outputs != weights.reference.size() || row % channels != 0) return std::nullopt;
  layer.corrected.assign(wanted->reference.begin(), wanted->reference.end());
  const auto distance = [&](std::size_t c) {
    return std::fabs(data->channels.mean(c)) / std::sqrt(std::max(data->channels.variance(c), 1e-30));
  };
  for (std::size_t c = 1; c < channels; ++c) layer.farthest = distance(c) > distance(layer.farthest) ? c : layer.farthest;
  for (std::size_t o = 0; o < outputs; ++o) {
    double offset = 0, far = 0;
    for (std::size_t i = o * row; i < (o + 1) * row; ++i) {
      const double rounded = static_cast<double>(weights.reference[i]) - static_cast<double>(weights.quantized[i]);
      offset += data->channels.mean(i % channels) * rounded;
      if (distance(i % channels) >= kFarMean) far += data->channels.mean(i % channels) * rounded;
      layer.of_variation += data->channels.variance(i % channels) * rounded * rounded;
    }
    layer.corrected[o] += offset;
    layer.of_means += far * far;
  }
  return layer;
}

/// Changes the layer's bias, stored integers or float.
ModelEdit with_bias(const Subject& subject, const PairedConstant& bias, const std::vector<double>& values) {
  if (subject.q().tensor(bias.tensor).dtype == DType::kFloat32) {
    ModelEdit edit;
    store_in_float(bias, std::vector<float>(values.begin(), values.end()), edit);
    return edit;
  }
  Repair repair(subject);
  repair.rebias(bias.node, values);
  return repair.finish();
}

void suspect_layers(const Symptoms& symptoms, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  if (symptoms.usual_difference().retrained()) return;  // what differs is more than rounding
  for (const ConstantValues& weights : symptoms.constants()) {
    const auto layer = offset_layer(symptoms, weights);
    if (!layer || layer->of_means < kMeansOverVariation * layer->of_variation) continue;
    const auto slots = kernels::facts_of(subject.q().op(weights.where.node)).weights;
    const ChannelValues& data = symptoms.reference_values(input_of(subject.r().op(weights.where.reference_node), slots->data))->channels;
    const double mean = data.mean(layer->farthest), deviation = std::sqrt(data.variance(layer->farthest));
    if (std::fabs(mean) < kFarMean * deviation) continue;
    Suspicion& suspicion = suspicions.about_constant(weights.where);
    suspicion.text = fmt::format(
        "what it reads lies far from zero (channel {}: mean {:.4g}, deviation {:.4g}), and the means are multiplied with the rounding of "
        "its "
        "weights: {:.0f} times the error that this rounding makes of the values' variation",
        layer->farthest, mean, deviation, layer->of_means / std::max(layer->of_variation, 1e-30));
    suspicion.evidence = {{"mean", mean}, {"deviation", deviation}, {"channel", static_cast<double>(layer->farthest)}};
    suspicion.strong = true;
    suspicion.rivals = other_repairs(symptoms, weights.where);
    suspicion.remedies.push_back(
        {"subtract each channel's mean before the network (normalize the data), and let this layer's bias take what that changes (b + "
         "W*mean): "
         "the values then lie around zero; without that, correct the bias by the means times what rounding took from the weights",
         fmt::format("bias {} = corrected", in_quotes(subject.names().name(layer->bias->tensor))),
         with_bias(subject, *layer->bias, layer->corrected)});
  }
}

void suspect_maps(const Symptoms& symptoms, Suspicions& suspicions) {
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

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  suspect_maps(symptoms, suspicions);
  suspect_layers(symptoms, suspicions);
}

constexpr CauseDef kCause{"FAR_FROM_ZERO", 12, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_far_from_zero
