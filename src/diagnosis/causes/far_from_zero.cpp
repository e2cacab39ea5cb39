// FAR_FROM_ZERO: values that lie together far from zero (temperatures in kelvin): every grid holds zero, and spends its steps on the way.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/as_size.h"
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

/// A deviation that fewer steps hold is lost among them.
constexpr double kFewSteps = 4;

/// A grid over [low, high] alone; its zero point is no code, which no kernel takes.
Quantization grid_beside_zero(DType type, double low, double high) {
  const IntegerRange codes = integer_range(type);
  const double scale = (high - low) / static_cast<double>(codes.high - codes.low);
  Quantization grid;
  grid.scale = {static_cast<float>(scale)};
  grid.zero_point = {codes.low - static_cast<std::int64_t>(std::round(low / scale))};
  return grid;
}

/// [low, high], wider where other records went further, and a little more.
std::pair<double, double> reach_of(const ChannelValues& channels, double low, double high) {
  for (std::size_t c = 0; c < channels.count(); ++c) low = std::min(low, channels.least[c]), high = std::max(high, channels.most[c]);
  const double more = (Symptoms::kMargin - 1) / 2 * (high - low);
  return {low - more, high + more};
}

/// A layer whose bias can take what rounding of its weights makes of its data's means.
struct Correctable {
  const PairedConstant* bias = nullptr;
  std::size_t data_slot = 0;
  std::vector<double> values;  ///< the reference's bias
  std::size_t row = 0;         ///< weights of one output
};

std::optional<Correctable> correctable(const Symptoms& symptoms, const ConstantValues& weights) {
  const Subject& subject = symptoms.subject();
  const auto slots = kernels::facts_of(subject.q().op(weights.where.node)).weights;
  const PairedConstant* bias = subject.bias_of(weights.where.node);
  if (weights.where.bias || !slots || slots->channel_axis != 0 || bias == nullptr) return std::nullopt;
  const ConstantValues* wanted = values_of(symptoms, *bias);
  if (wanted == nullptr || wanted->reference.empty() || weights.reference.size() % wanted->reference.size() != 0) return std::nullopt;
  const std::size_t outputs = wanted->reference.size();
  return Correctable{bias, slots->data, {wanted->reference.begin(), wanted->reference.end()}, weights.reference.size() / outputs};
}

/// What rounding took from a weight.
double rounding_of(const ConstantValues& weights, std::size_t i) {
  return static_cast<double>(weights.reference[i]) - static_cast<double>(weights.quantized[i]);
}

/// What rounding of a reader's weights makes of the offset: gone where the offset is not multiplied with them.
void correct_readers(const Symptoms& symptoms, int tensor, double offset, Repair& repair) {
  for (const ConstantValues& weights : symptoms.constants()) {
    auto layer = correctable(symptoms, weights);
    if (!layer || input_of(symptoms.subject().q().op(weights.where.node), layer->data_slot) != tensor) continue;
    for (std::size_t i = 0; i < weights.reference.size(); ++i) layer->values[i / layer->row] += offset * rounding_of(weights, i);
    repair.rebias(weights.where.node, std::move(layer->values));
  }
}

/// A layer whose data's means are multiplied with the rounding of its weights.
struct OffsetLayer {
  const PairedConstant* bias = nullptr;
  std::vector<double> corrected;          ///< the reference's bias and what the means make of the rounding
  double of_means = 0, of_variation = 0;  ///< Σ over outputs of squared errors: made of means far from zero, made of what varies
  std::size_t farthest = 0;               ///< channel of the data whose mean is the most of its deviations from zero …
  double mean = 0, deviation = 0;         ///< … and what it holds
};

/// What a layer's data hold in one channel.
struct ChannelOffset {
  double mean = 0, variance = 0, distance = 0;  ///< of the mean from zero, in deviations
};

std::vector<ChannelOffset> offsets_of(const ChannelValues& channels) {
  std::vector<ChannelOffset> offsets;
  for (std::size_t c = 0; c < channels.count(); ++c) {
    const double mean = channels.mean(c), variance = channels.variance(c);
    offsets.push_back({mean, variance, std::fabs(mean) / std::sqrt(std::max(variance, 1e-30))});
  }
  return offsets;
}

std::vector<ChannelOffset>::const_iterator farthest_of(const std::vector<ChannelOffset>& offsets) {
  return std::max_element(offsets.begin(), offsets.end(), [](const auto& a, const auto& b) { return a.distance < b.distance; });
}

std::optional<OffsetLayer> offset_layer(const Symptoms& symptoms, const ConstantValues& weights) {
  auto correctable_layer = correctable(symptoms, weights);
  if (!correctable_layer) return std::nullopt;
  auto& [bias, slot, values, row] = *correctable_layer;
  const MapValues* data = symptoms.reference_values(input_of(symptoms.subject().r().op(weights.where.reference_node), slot));
  if (data == nullptr || data->channels.count() == 0 || row % data->channels.count() != 0) return std::nullopt;
  const std::vector<ChannelOffset> offsets = offsets_of(data->channels);
  const auto farthest = farthest_of(offsets);
  OffsetLayer layer{bias, std::move(values), 0, 0, as_size(farthest - offsets.begin()), farthest->mean, std::sqrt(farthest->variance)};
  for (std::size_t o = 0; o < layer.corrected.size(); ++o) {
    double offset = 0, far = 0;
    for (std::size_t i = o * row; i < (o + 1) * row; ++i) {
      const ChannelOffset& channel = offsets[i % offsets.size()];
      const double rounded = rounding_of(weights, i);
      offset += channel.mean * rounded;
      if (channel.distance >= kFarMean) far += channel.mean * rounded;
      layer.of_variation += channel.variance * rounded * rounded;
    }
    layer.corrected[o] += offset;
    layer.of_means += far * far;
  }
  return layer;
}

constexpr std::string_view kNormalize =
    "subtract each channel's mean before the network (normalize the data), and let this layer's bias take what that changes (b + W*mean): "
    "the values then lie around zero; without that, ";

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
    if (std::fabs(layer->mean) < kFarMean * layer->deviation) continue;
    Suspicion& suspicion = suspicions.about_constant(weights.where);
    suspicion.text = fmt::format(
        "what it reads lies far from zero (channel {}: mean {:.4g}, deviation {:.4g}), and the means are multiplied with the rounding of "
        "its weights: {:.0f} times the error that this rounding makes of the values' variation",
        layer->farthest, layer->mean, layer->deviation, layer->of_means / std::max(layer->of_variation, 1e-30));
    suspicion.evidence = {{"mean", layer->mean}, {"deviation", layer->deviation}, {"channel", static_cast<double>(layer->farthest)}};
    suspicion.strong = true;
    suspicion.rivals = other_repairs(symptoms, weights.where);
    suspicion.remedies.push_back({std::string(kNormalize) + "correct the bias by the means times what rounding took from the weights",
                                  fmt::format("bias {} = corrected", in_quotes(subject.names().name(layer->bias->tensor))),
                                  with_bias(subject, *layer->bias, layer->corrected)});
  }
}

/// A layer whose float data kernels round to 8 bits in each run, over a range that holds zero.
void suspect_run(const Symptoms& symptoms, const ConstantValues& weights, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const Operator& op = subject.q().op(weights.where.node);
  const auto slots = kernels::facts_of(op).weights;
  const bool rounds = slots && input_of(op, slots->weight) == weights.where.tensor && symptoms.map(input_of(op, slots->data)) == nullptr &&
                      subject.q().tensor(weights.where.tensor).dtype == DType::kInt8;
  if (!rounds) return;
  const MapValues* data = symptoms.reference_values(input_of(subject.r().op(weights.where.reference_node), slots->data));
  if (data == nullptr || data->channels.count() == 0) return;
  const std::vector<ChannelOffset> offsets = offsets_of(data->channels);
  const auto farthest = farthest_of(offsets);
  const double step = (data->high() - data->low()) / 255, deviation = std::sqrt(farthest->variance);
  if (farthest->distance < kFarMean || deviation >= kFewSteps * step) return;
  Suspicion& suspicion = suspicions.about_constant(weights.where);
  suspicion.text = fmt::format(
      "what it reads lies far from zero (channel {}: mean {:.4g}, deviation {:.4g}) and is rounded to 8 bits in each run, over a range "
      "that includes zero: a deviation has {:.1f} steps",
      farthest - offsets.begin(), farthest->mean, deviation, deviation / step);
  suspicion.evidence = {{"mean", farthest->mean}, {"deviation", deviation}, {"steps_of_deviation", deviation / step}};
  suspicion.strong = true;
  ModelEdit edit;
  keep_constants_in_float(symptoms, weights.where.node, edit);
  suspicion.remedies.push_back({std::string(kNormalize) + "keep this layer in float, which was tried",
                                fmt::format("dtype {} = float32", in_quotes(subject.names().name(weights.where.tensor))), std::move(edit),
                                false, false});
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
    const auto [least, most] = reach_of(map.values->channels, low, high);
    repair.regrid(subject.tied(map.tensor), grid_beside_zero(subject.q().tensor(map.tensor).dtype, least, most));
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
  for (const ConstantValues& weights : symptoms.constants()) suspect_run(symptoms, weights, suspicions);
}

constexpr CauseDef kCause{"FAR_FROM_ZERO", 12, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_far_from_zero
