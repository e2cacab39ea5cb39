// INPUT_SCALES: the channels that a layer reads differ so much in magnitude that the small ones vanish in the common step of the data, or
// the large ones' small weights in the step of their row.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
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
  double spread = 0;                      ///< of the largest channel that matters to the smallest one
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
  double most = 0, least = HUGE_VAL;
  for (std::size_t c = 0; c < count; ++c) {
    if (channels.reach(c) > 0) reaches.push_back(channels.reach(c));
    if (channels.reach(c) > channels.reach(lost.largest)) lost.largest = c;
    if (power[c] < kMatters * all) continue;
    lost.matters[c] = true;
    most = std::max(most, channels.reach(c)), least = std::min(least, channels.reach(c));
    lost.channels += layer.step > 0 && channels.reach(c) < kLostSteps * layer.step ? 1U : 0U;
    lost.weights += steps[c] < kLostWeightSteps ? 1U : 0U;
  }
  if (reaches.empty()) return lost;
  std::nth_element(reaches.begin(), reaches.begin() + static_cast<std::ptrdiff_t>(reaches.size() / 2), reaches.end());
  lost.median = reaches[reaches.size() / 2];
  lost.ratio = channels.reach(lost.largest) / lost.median;
  lost.spread = most / least;
  return lost;
}

/// What is taken from each channel, and what it is divided by then.
struct Normalization {
  std::vector<double> center, factor;
  std::ptrdiff_t count() const {
    return std::count_if(factor.begin(), factor.end(), [](double each) { return each != 1; });
  }
};

/// All channels reach about as far as the median one then, or to 1: those that are larger, and smaller ones that matter. Of those the mean
/// is taken where it is more than their deviation.
Normalization normalization(const Layer& layer, const Lost& lost) {
  const ChannelValues& channels = *layer.channels;
  const double wanted = std::min(lost.median, 1.0);
  Normalization result{std::vector<double>(channels.count(), 0), std::vector<double>(channels.count(), 1)};
  for (std::size_t c = 0; c < channels.count(); ++c) {
    const double factor = channels.reach(c) / wanted;
    if (factor <= kAlike && (!lost.matters[c] || factor <= 0 || factor >= 1 / kAlike)) continue;
    const double mean = channels.mean(c), reach = std::max(channels.most[c] - mean, mean - channels.least[c]);
    const bool beside = reach > 0 && mean * mean > channels.variance(c);
    result.center[c] = beside ? mean : 0;
    result.factor[c] = beside ? reach / wanted : factor;
  }
  return result;
}

/// The layer's constants in float: weights as 8 bits hold them that take the factors, and the bias that takes what their rounding makes of
/// the centers, since these are no longer multiplied with them.
void fold_in(const Symptoms& symptoms, const Layer& layer, const Normalization& change, ModelEdit& edit) {
  const Subject& subject = symptoms.subject();
  const ConstantValues& weights = *layer.weights;
  const std::size_t rows = layer.row_step.size(), width = weights.reference.size() / rows;
  const std::vector<float> rounded = rounded_behind_factors(weights, rows, change.factor);
  keep_constants_in_float(symptoms, weights.where.node, edit);
  store_in_float(weights.where, rounded, edit);
  const Operator& op = subject.q().op(weights.where.node);
  const int input = input_of(op, kernels::facts_of(op).weights->bias), bias = input == kNoTensor ? kNoTensor : subject.q().origin(input);
  auto values = analysis::bias_values(subject.r(), subject.r().op(weights.where.reference_node));
  if (bias == kNoTensor || !values || values->size() != rows || subject.q().readers(bias).size() > 1) return;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = row * width; i < (row + 1) * width; ++i) {
      (*values)[row] +=
          change.center[i % change.center.size()] * (static_cast<double>(weights.reference[i]) - static_cast<double>(rounded[i]));
    }
  }
  store_in_float(bias, {values->begin(), values->end()}, edit);
}

/// The data on the grid of normalized channels, and the weights that take the factors.
ModelEdit normalized(const Symptoms& symptoms, const Layer& layer, const Normalization& change) {
  const Subject& subject = symptoms.subject();
  const TensorInfo& data = subject.q().tensor(layer.data);
  const ChannelValues& channels = *layer.channels;
  analysis::RealBounds range;
  for (std::size_t c = 0; c < channels.count(); ++c) {
    range.low = std::min(range.low, (channels.least[c] - change.center[c]) / change.factor[c]);
    range.high = std::max(range.high, (channels.most[c] - change.center[c]) / change.factor[c]);
  }
  const Quantization common = activation_grid(data.dtype, {range.low * Symptoms::kMargin, range.high * Symptoms::kMargin});
  ModelEdit edit;
  for (const int tied : subject.tied(layer.data)) keep_map_in_float(subject, tied, edit);
  edit[layer.data] = {};
  Quantization grids;
  grids.axis = data.shape.rank() - 1;
  for (std::size_t c = 0; c < channels.count(); ++c) {
    const double scale = static_cast<double>(common.scale[0]) * change.factor[c];
    grids.scale.push_back(static_cast<float>(scale));
    grids.zero_point.push_back(common.zero_point[0] - std::llround(change.center[c] / scale));
  }
  edit[layer.data].quantization = std::move(grids);
  fold_in(symptoms, layer, change, edit);
  return edit;
}

/// What the author of the network is to do.
std::string advice_text(const Lost& lost, const Normalization& change) {
  const std::size_t c = lost.largest;
  const std::string center = change.center[c] == 0 ? "" : fmt::format("take {:.4g} from channel {} and ", change.center[c], c);
  return fmt::format(
      "normalize the input channels before the network ({}divide {} by {:.3g}, {} of {} channels in all; a trained model takes {} into "
      "this "
      "layer's weights)",
      center, center.empty() ? fmt::format("channel {}", c) : "it", change.factor[c], change.count(), change.factor.size(),
      center.empty() ? "the factors" : "factors and means");
}

void suspect_layer(const Symptoms& symptoms, const Layer& layer, const DiagnoseOptions& options, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const Lost lost = lost_in(layer);
  if (std::max(lost.ratio, lost.spread) < options.concat_ratio || lost.channels + lost.weights == 0) return;
  const int maker = subject.q().maker(layer.data);
  if (!layer.dynamic && layer.step > 0 && maker >= 0 && kernels::facts_of(subject.q().op(maker)).weights) return;  // UNBALANCED_CHANNELS
  const Normalization change = normalization(layer, lost);
  Suspicion& suspicion = suspicions.about_constant(layer.weights->where);
  suspicion.text = fmt::format(
      "its input channels differ in scale: channel {} reaches {:.3g}, {:.0f} times the median one; of {} channels {} have less than "
      "{:.0f} steps of the data's scale{}, and the weights of {} less than one step of their rows'",
      lost.largest, layer.channels->reach(lost.largest), lost.ratio, layer.channels->count(), lost.channels, kLostSteps,
      layer.dynamic ? ", which is taken again in each run" : "", lost.weights);
  suspicion.evidence = {{"largest_over_median", lost.ratio},
                        {"spread", lost.spread},
                        {"threshold", options.concat_ratio},
                        {"largest_channel", static_cast<double>(lost.largest)},
                        {"lost_channels", static_cast<double>(lost.channels)},
                        {"lost_weights", static_cast<double>(lost.weights)}};
  suspicion.strong = true;
  const std::string advice = advice_text(lost, change);
  const std::string configuration = fmt::format("dtype {} = float32", in_quotes(subject.names().name(layer.weights->where.tensor)));
  if (layer.step > 0 && !layer.dynamic) {
    suspicion.place = fmt::format("map {}", subject.group(layer.data));
    suspicion.remedies.push_back({advice, configuration, normalized(symptoms, layer, change), true});
    return;
  }
  ModelEdit edit;
  if (layer.dynamic) {  // what 8 bits of each run make of normalized data cannot be simulated
    keep_constants_in_float(symptoms, layer.weights->where.node, edit);
    suspicion.remedies.push_back(
        {"keep this layer in float (which was tried), or " + advice, configuration, std::move(edit), false, false});
    return;
  }
  fold_in(symptoms, layer, change, edit);
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
