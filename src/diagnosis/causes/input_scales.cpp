// INPUT_SCALES: the channels that a layer reads differ so much in magnitude that the small ones vanish in the common step of the data, or
// the large ones' small weights in the step of their row.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/weight_steps.h"
#include "kernels/op.h"

namespace visq::diagnosis::cause_input_scales {
namespace {

/// A channel of the data with fewer steps than this, or weights with fewer, is lost.
constexpr double kLostSteps = 4, kLostWeightSteps = 1;
/// Channels that differ by less are left as they are when the others are normalized.
constexpr double kAlike = 2;
/// What a lost channel must give to the layer's output to count, as a share of its power.
constexpr double kMatters = 0.005;

/// A layer whose weights' last axis counts the channels of its data.
struct Layer {
  const ConstantValues* weights = nullptr;
  const ChannelValues* channels = nullptr;
  int data = kNoTensor;          ///< of the quantized model
  double step = 0;               ///< of the data; 0: they are float
  bool dynamic = false;          ///< the step is taken from the data in each run: this is the least one
  std::vector<double> row_step;  ///< of the weights, per element of the first axis
  std::size_t row_of(std::size_t weight) const { return weight / (weights->reference.size() / row_step.size()); }
};

struct Lost {
  std::size_t channels = 0, weights = 0;  ///< channels that vanish in the data; whose weights vanish
  std::vector<bool> matters;              ///< by channel
  double median = 0;                      ///< reach of the median channel
  double ratio = 0;                       ///< of the largest channel to it
  std::size_t largest = 0;
};

std::optional<Layer> layer_of(const Symptoms& symptoms, const ConstantValues& weights) {
  const Subject& subject = symptoms.subject();
  const Operator& op = subject.q().op(weights.where.node);
  const Operator& twin = subject.r().op(weights.where.reference_node);
  const auto slots = kernels::facts_of(op).weights;
  const TensorInfo& tensor = subject.q().tensor(weights.where.tensor);
  if (!slots || slots->channel_axis != 0 || weights.where.bias || tensor.shape.rank() < 2) return std::nullopt;
  const MapValues* values = symptoms.reference_values(input_of(twin, slots->data));
  const std::int64_t last = tensor.shape[tensor.shape.rank() - 1];
  if (values == nullptr || static_cast<std::int64_t>(values->channels.count()) != last || last < 2) return std::nullopt;
  if (tensor.quantization.block_size > 0 || tensor.quantization.axis != 0) return std::nullopt;
  Layer layer{&weights, &values->channels, input_of(op, slots->data), 0, false, {}};
  if (const QuantizedMap* map = symptoms.map(layer.data)) layer.step = map->step;
  // Float data on stored weights: kernels round the data to 8 bits in each run.
  layer.dynamic = layer.step == 0 && input_of(op, slots->weight) == weights.where.tensor && tensor.dtype == DType::kInt8;
  if (layer.dynamic) layer.step = std::max(-values->low(), values->high()) / 127;
  for (std::int64_t o = 0; o < tensor.shape[0]; ++o) {
    layer.row_step.push_back(static_cast<double>(tensor.quantization.scale[tensor.quantization.per_channel() ? as_size(o) : 0]));
  }
  return layer;
}

Lost lost_in(const Layer& layer) {
  const ChannelValues& channels = *layer.channels;
  const std::size_t count = channels.count();
  std::vector<double> power(count, 0), steps(count, 0), reaches;
  double all = 0;
  for (std::size_t i = 0; i < layer.weights->reference.size(); ++i) {
    const std::size_t c = i % count;
    const auto weight = static_cast<double>(layer.weights->reference[i]);
    const double part = weight * weight * channels.rms(c) * channels.rms(c);
    power[c] += part, all += part;
    steps[c] = std::max(steps[c], std::fabs(weight) / layer.row_step[layer.row_of(i)]);
  }
  Lost lost;
  lost.matters.assign(count, false);
  for (std::size_t c = 0; c < count; ++c) {
    if (channels.reach(c) > 0) reaches.push_back(channels.reach(c));
    if (channels.reach(c) > channels.reach(lost.largest)) lost.largest = c;
    if (power[c] < kMatters * all) continue;
    lost.matters[c] = true;
    lost.channels += layer.step > 0 && channels.reach(c) < kLostSteps * layer.step ? 1U : 0U;
    lost.weights += steps[c] < kLostWeightSteps ? 1U : 0U;
  }
  if (reaches.empty()) return lost;
  std::nth_element(reaches.begin(), reaches.begin() + static_cast<std::ptrdiff_t>(reaches.size() / 2), reaches.end());
  lost.median = reaches[reaches.size() / 2];
  lost.ratio = channels.reach(lost.largest) / lost.median;
  return lost;
}

/// What each channel is divided by, so that all reach about as far as the median one, or to 1: those that are larger, and smaller ones that
/// matter.
std::vector<double> factors(const Layer& layer, const Lost& lost) {
  const double wanted = std::min(lost.median, 1.0);
  std::vector<double> result(layer.channels->count(), 1);
  for (std::size_t c = 0; c < result.size(); ++c) {
    const double factor = layer.channels->reach(c) / wanted;
    if (factor > kAlike || (lost.matters[c] && factor > 0 && factor < 1 / kAlike)) result[c] = factor;
  }
  return result;
}

/// The data on the grid of divided channels, and the weights that take the factors.
ModelEdit normalized(const Symptoms& symptoms, const Layer& layer, const std::vector<double>& factor) {
  const Subject& subject = symptoms.subject();
  const TensorInfo& data = subject.q().tensor(layer.data);
  analysis::RealBounds range;
  for (std::size_t c = 0; c < factor.size(); ++c) {
    range.low = std::min(range.low, layer.channels->low[c] / factor[c]);
    range.high = std::max(range.high, layer.channels->high[c] / factor[c]);
  }
  const Quantization common = activation_grid(data.dtype, range);
  ModelEdit edit;
  for (const int tied : subject.tied(layer.data)) keep_map_in_float(subject, tied, edit);
  edit[layer.data] = {};
  Quantization grids;
  grids.axis = data.shape.rank() - 1;
  for (const double each : factor) {
    grids.scale.push_back(static_cast<float>(static_cast<double>(common.scale[0]) * each));
    grids.zero_point.push_back(common.zero_point[0]);
  }
  edit[layer.data].quantization = std::move(grids);
  keep_constants_in_float(symptoms, layer.weights->where.node, edit);
  store_in_float(layer.weights->where, rounded_behind_factors(*layer.weights, layer.row_step.size(), factor), edit);
  return edit;
}

void suspect_layer(const Symptoms& symptoms, const Layer& layer, const DiagnoseOptions& options, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const Lost lost = lost_in(layer);
  if (lost.ratio < options.concat_ratio || lost.channels + lost.weights == 0) return;
  const int maker = subject.q().maker(layer.data);
  if (!layer.dynamic && layer.step > 0 && maker >= 0 && kernels::facts_of(subject.q().op(maker)).weights) return;  // UNBALANCED_CHANNELS
  const std::vector<double> factor = factors(layer, lost);
  Suspicion& suspicion = suspicions.about_constant(layer.weights->where);
  suspicion.text = fmt::format(
      "its input channels differ in scale: channel {} reaches {:.3g}, {:.0f} times the median one; of {} channels {} have less than "
      "{:.0f} steps of the data's scale{}, and the weights of {} less than one step of their rows'",
      lost.largest, layer.channels->reach(lost.largest), lost.ratio, layer.channels->count(), lost.channels, kLostSteps,
      layer.dynamic ? ", which is taken anew in each run" : "", lost.weights);
  suspicion.evidence = {{"largest_over_median", lost.ratio},
                        {"threshold", options.concat_ratio},
                        {"largest_channel", static_cast<double>(lost.largest)},
                        {"lost_channels", static_cast<double>(lost.channels)},
                        {"lost_weights", static_cast<double>(lost.weights)}};
  suspicion.strong = true;
  const std::string advice = fmt::format(
      "normalize the input channels before the network (divide channel {} by {:.3g}, {} of {} channels in all; a trained model takes the "
      "factors into this layer's weights)",
      lost.largest, factor[lost.largest], std::count_if(factor.begin(), factor.end(), [](double each) { return each != 1; }),
      factor.size());
  const std::string configuration = fmt::format("dtype {} = float32", in_quotes(subject.names().name(layer.weights->where.tensor)));
  if (layer.step > 0 && !layer.dynamic) {
    suspicion.place = fmt::format("map {}", subject.group(layer.data));
    suspicion.remedies.push_back({advice, configuration, normalized(symptoms, layer, factor), true});
    return;
  }
  ModelEdit edit;
  keep_constants_in_float(symptoms, layer.weights->where.node, edit);
  if (layer.dynamic) {  // what 8 bits of each run make of normalized data cannot be simulated
    suspicion.remedies.push_back(
        {"keep this layer in float (which was tried), or " + advice, configuration, std::move(edit), false, false});
    return;
  }
  store_in_float(layer.weights->where, rounded_behind_factors(*layer.weights, layer.row_step.size(), factor), edit);
  suspicion.remedies.push_back({advice + "; or keep this layer in float", configuration, std::move(edit), false, false});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions& options, Suspicions& suspicions) {
  for (const ConstantValues& weights : symptoms.constants()) {
    if (const auto layer = layer_of(symptoms, weights)) suspect_layer(symptoms, *layer, options, suspicions);
  }
}

constexpr CauseDef kCause{"INPUT_SCALES", 22, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_input_scales
