// UNBALANCED_CHANNELS: channels of one feature map differ so much that their common scale has few steps for the small ones. Scales per
// channel exist for weights alone.
#include <fmt/core.h>

#include <algorithm>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "diagnosis/weight_steps.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_unbalanced_channels {
namespace {

/// The largest channel over the median one: noticeable, certain. What the map must make of the outputs' error to be worth a try.
constexpr double kNoticeable = 6, kCertain = 16, kCostly = 0.1;
constexpr std::size_t kFewChannels = 4;

struct Spread {
  double median = 0, largest = 0;
  std::size_t channel = 0;
};

/// Of what the grid can hold: what is cut off takes no steps from other channels.
Spread spread_of(const QuantizedMap& map) {
  const ChannelValues& channels = map.values->channels;
  const double most = std::max(-map.offered.low, map.offered.high);
  std::vector<double> reaches;
  Spread spread;
  for (std::size_t c = 0; c < channels.count(); ++c) {
    const double reach = std::min(channels.reach(c), most);
    if (reach > 0) reaches.push_back(reach);
    if (reach > spread.largest) spread.largest = reach, spread.channel = c;
  }
  if (reaches.size() < kFewChannels) return {};
  std::nth_element(reaches.begin(), reaches.begin() + static_cast<std::ptrdiff_t>(reaches.size() / 2), reaches.end());
  spread.median = reaches[reaches.size() / 2];
  return spread;
}

/// A grid per channel, as equalization between this layer and the next gives it.
Quantization equalized(const ChannelValues& channels, const TensorInfo& tensor) {
  Quantization grid;
  grid.axis = tensor.shape.rank() - 1;
  for (std::size_t c = 0; c < channels.count(); ++c) {
    const Quantization own = activation_grid(tensor.dtype, {channels.low[c] * Symptoms::kMargin, channels.high[c] * Symptoms::kMargin});
    grid.scale.push_back(own.scale[0]), grid.zero_point.push_back(own.zero_point[0]);
  }
  return grid;
}

/// The weights of the layers that read the map, which take its channels' factors: their rows then hold columns of like size.
void equalize_readers(const Symptoms& symptoms, const QuantizedMap& map, ModelEdit& edit) {
  const Subject& subject = symptoms.subject();
  const ChannelValues& channels = map.values->channels;
  std::vector<double> factor;
  for (std::size_t c = 0; c < channels.count(); ++c) factor.push_back(channels.reach(c) > 0 ? channels.reach(c) : 1);
  for (const ConstantValues& weights : symptoms.constants()) {
    const Operator& op = subject.q().op(weights.where.node);
    const TensorInfo& tensor = subject.q().tensor(weights.where.tensor);
    const auto slots = kernels::facts_of(op).weights;
    const int data = slots ? input_of(op, slots->data) : kNoTensor;
    const bool reads = data != kNoTensor && slots->channel_axis == 0 && (data == map.tensor || subject.q().origin(data) == map.tensor);
    if (!reads || weights.where.bias || tensor.shape.rank() < 2 || tensor.shape.back() != static_cast<std::int64_t>(factor.size()))
      continue;
    store_in_float(weights.where, rounded_behind_factors(weights, as_size(tensor.shape[0]), factor), edit);
  }
}

/// What the map makes of the outputs' error, and the layers that read it: large channels have small weights there, which their rows' scale
/// rounds away.
double cost_of(const Symptoms& symptoms, int tensor) {
  double share = symptoms.share(tensor).value_or(0);
  for (const int reader : symptoms.subject().q().readers(tensor)) {
    const Operator& op = symptoms.subject().q().op(reader);
    if (kernels::facts_of(op).weights) share += symptoms.share(output_of(op, 0)).value_or(0);
  }
  return share;
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const QuantizedMap& map : symptoms.maps()) {
    const ChannelValues& channels = map.values->channels;
    const TensorInfo& tensor = subject.q().tensor(map.tensor);
    if (cost_of(symptoms, map.tensor) < kCostly || has_fixed_grid(subject, map.tensor) || map.step <= 0) continue;
    const Spread spread = spread_of(map);
    if (spread.median <= 0 || spread.largest < kNoticeable * spread.median || subject.tied(map.tensor).size() > 1) continue;
    if (tensor.shape.rank() == 0 || tensor.shape[tensor.shape.rank() - 1] != static_cast<std::int64_t>(channels.count())) continue;
    Suspicion& suspicion = suspicions.about_map(map.tensor);
    suspicion.text = fmt::format(
        "its {} channels share one scale and differ many times: channel {} reaches {:.4g}, {:.1f} times the median one, which has {:.0f} "
        "steps; weights per channel do not help there",
        channels.count(), spread.channel, spread.largest, spread.largest / spread.median, spread.median / map.step);
    suspicion.evidence = {{"largest_over_median", spread.largest / spread.median},
                          {"threshold", kNoticeable},
                          {"channel", static_cast<double>(spread.channel)},
                          {"steps_of_median", spread.median / map.step},
                          {"output_share", symptoms.share(map.tensor).value_or(0)}};
    suspicion.values = evidence_of(map);
    suspicion.strong = spread.largest >= kCertain * spread.median;
    ModelEdit edit;
    edit[map.tensor].quantization = equalized(channels, tensor);
    equalize_readers(symptoms, map, edit);
    suspicion.remedies.push_back(
        {"equalize the channels: divide each by its range in this layer's weights and bias, and multiply in the "
         "next layer's weights (cross-layer equalization, batch normalization before); or keep it in 16 bits",
         fmt::format("dtype {} = int16", in_quotes(subject.names().name(map.tensor))), std::move(edit), true});
  }
}

constexpr CauseDef kCause{"UNBALANCED_CHANNELS", 15, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_unbalanced_channels
