// LOW_BITS: weights of 4 bits and less, and the outputs lose by them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/value_evidence.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_low_bits {
namespace {

constexpr int kLow = 4;

/// Weights in int8 with a scale per channel.
void store_in_eight_bits(const Operator& op, const TensorInfo& tensor, int index, const std::vector<float>& values, ModelEdit& edit) {
  const ChannelLayout layout = channel_layout(op, tensor);
  std::vector<float> reach(as_size(layout.channels), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    float& most = reach[layout.channel_of(i)];
    most = std::max(most, std::fabs(values[i]));
  }
  Quantization grid;
  grid.axis = layout.axis;
  for (const float most : reach) grid.scale.push_back(most > 0 ? most / 127 : 1);
  grid.zero_point.assign(reach.size(), 0);
  std::vector<std::byte> codes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float code = std::round(values[i] / grid.scale[layout.channel_of(i)]);
    codes.push_back(static_cast<std::byte>(static_cast<std::int8_t>(std::isfinite(code) ? code : 0)));
  }
  TensorEdit& change = edit[index];
  change.dtype = DType::kInt8;
  change.quantization = std::move(grid);
  change.data = std::move(codes);
}

/// What the weights' rounding leaves of them, in dB.
double left_of(const ConstantValues& constant) {
  double signal = 0, noise = 0;
  for (std::size_t i = 0; i < constant.reference.size(); ++i) {
    const auto wanted = static_cast<double>(constant.reference[i]);
    const double off = wanted - static_cast<double>(constant.quantized[i]);
    signal += wanted * wanted, noise += off * off;
  }
  return noise > 0 && signal > 0 ? 10 * std::log10(signal / noise) : HUGE_VAL;
}

/// Where weights are read without DEQUANTIZE, recipes for 8 bits take the layers, too, that those for 4 bits leave in float.
int store_float_layers(const Subject& subject, ModelEdit& edit) {
  int stored = 0;
  for (std::size_t node = 0; node < subject.quantized().main().operators.size(); ++node) {
    const Operator& op = subject.q().op(static_cast<int>(node));
    const auto slots = kernels::facts_of(op).weights;
    const int weights = slots ? input_of(op, slots->weight) : kNoTensor;
    if (weights == kNoTensor || !subject.q().tensor(weights).is_constant || subject.q().tensor(weights).dtype != DType::kFloat32) continue;
    const auto values = analysis::constant_values(subject.q(), weights);
    if (!values || edit.contains(weights)) continue;
    store_in_eight_bits(op, subject.q().tensor(weights), weights, *values, edit);
    ++stored;
  }
  return stored;
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  std::vector<const ConstantValues*> coarse;
  std::size_t layers = 0;
  for (const ConstantValues& constant : symptoms.constants()) {
    if (constant.where.bias || constant.reference.size() < 2) continue;
    ++layers;
    if (bits(subject.q().tensor(constant.where.tensor).dtype) <= kLow) coarse.push_back(&constant);
  }
  if (coarse.empty()) return;
  const auto share = [&](const ConstantValues* each) { return symptoms.share(output_of(subject.q().op(each->where.node), 0)).value_or(0); };
  const ConstantValues* worst = *std::max_element(coarse.begin(), coarse.end(), [&](auto* a, auto* b) { return share(a) < share(b); });
  Suspicion& suspicion = suspicions.about_constant(worst->where);
  suspicion.place = "weights of few bits";
  suspicion.text = fmt::format(
      "{} of {} layers hold their weights in 4 bits, 15 steps per scale: rounding leaves {:.1f} dB of these, whose layer makes {:.0f} % of "
      "the outputs' error, the most of all",
      coarse.size(), layers, left_of(*worst), 100 * share(worst));
  suspicion.evidence = {{"layers", static_cast<double>(coarse.size())},
                        {"all_layers", static_cast<double>(layers)},
                        {"weight_sqnr", left_of(*worst)},
                        {"output_share", share(worst)}};
  suspicion.values = evidence_of(subject, *worst);
  suspicion.strong = true;
  ModelEdit edit;
  bool direct = true;  // read by the layers themselves, which round their data in each run
  for (const ConstantValues* each : coarse) {
    const Operator& op = subject.q().op(each->where.node);
    store_in_eight_bits(op, subject.q().tensor(each->where.tensor), each->where.tensor, each->reference, edit);
    direct = direct && op.inputs[as_size(each->where.slot)] == each->where.tensor && symptoms.maps().empty();
  }
  const int more = direct ? store_float_layers(subject, edit) : 0;
  const std::string with = more == 0 ? ""
                                     : fmt::format(" (tried with the {} in float now, as recipes for 8 bits take them, too)",
                                                   more == 1 ? std::string("one that is") : fmt::format("{} that are", more));
  suspicion.remedies.push_back(
      {"weights in 8 bits for these layers" + with +
           ", or at least for those that cost most (visqerror sensitivity); 4 bits per block of 32 weights; or training with 4 bits in the "
           "loop",
       fmt::format("dtype {} = int8", in_quotes(subject.names().name(worst->where.tensor))), std::move(edit), false, false});
}

constexpr CauseDef kCause{"LOW_BITS", 15, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_low_bits
