// BIAS_CORRUPT: a bias that is not the float model's, as the device reads it (input scale times weight scale, whatever the bias states).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "diagnosis/suspicion.h"
#include "model/slots.h"

namespace visq::diagnosis::cause_bias_corrupt {
namespace {

/// RMS difference over the deviation of the layer's output, and the largest difference over the output's step: noticeable.
constexpr double kNoticeable = 0.002, kNoticeableSteps = 0.5;
/// Certain.
constexpr double kCertainSteps = 6;
/// By how much a stated scale differs from that of input times weights.
constexpr double kOtherScale = 0.01;

struct BiasDifference {
  double rms = 0, largest = 0;
  std::size_t channel = 0;
};

BiasDifference difference_of(const ConstantValues& bias) {
  BiasDifference result;
  double sum = 0;
  for (std::size_t c = 0; c < bias.reference.size(); ++c) {
    const double d = std::fabs(static_cast<double>(bias.quantized[c]) - static_cast<double>(bias.reference[c]));
    sum += d * d;
    if (d > result.largest) result.largest = d, result.channel = c;
  }
  result.rms = std::sqrt(sum / static_cast<double>(bias.reference.size()));
  return result;
}

/// Where the bias states another scale than kernels use, its codes may have been made for that one.
void add_stated_scale(const Subject& subject, const PairedConstant& where, Suspicion& suspicion) {
  const Operator& op = subject.q().op(where.node);
  const auto& stated = subject.q().tensor(where.tensor).quantization.scale;
  const auto codes = analysis::bias_codes(subject.q(), op);
  const auto scales = analysis::bias_scales(subject.q(), op);
  if (!codes || !scales || (stated.size() != 1 && stated.size() != codes->size())) return;
  std::vector<double> values;
  bool differs = false;
  for (std::size_t c = 0; c < codes->size(); ++c) {
    const auto scale = static_cast<double>(stated[stated.size() == 1 ? 0 : c]);
    differs = differs || std::fabs(scale - (*scales)[c]) > kOtherScale * (*scales)[c];
    values.push_back(static_cast<double>((*codes)[c]) * scale);
  }
  if (!differs) return;
  Repair repair(subject);
  repair.rebias(where.node, std::move(values));
  suspicion.remedies.push_back({"store the bias in the scale of input times weights instead of the one that it states",
                                fmt::format("bias_scale {} = input * weights", in_quotes(subject.names().name(where.tensor))),
                                repair.finish(), false});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const ConstantValues& bias : symptoms.constants()) {
    if (!bias.where.bias) continue;
    const QuantizedMap* map = symptoms.map(output_of(subject.q().op(bias.where.node), 0));
    const BiasDifference difference = difference_of(bias);
    const double deviation = map == nullptr ? 0 : map->values->moments.deviation();
    const double steps = map == nullptr || map->step <= 0 ? 0 : difference.largest / map->step;
    if (!(difference.rms >= kNoticeable * deviation) || (map != nullptr && !(steps >= kNoticeableSteps))) continue;
    if (!(difference.largest > 0)) continue;
    Suspicion& suspicion = suspicions.about_constant(bias.where);
    suspicion.text = fmt::format("its bias is not the float model's: {:.4g} in channel {} instead of {:.4g}, {:.1f} steps of the output",
                                 static_cast<double>(bias.quantized[difference.channel]), difference.channel,
                                 static_cast<double>(bias.reference[difference.channel]), steps);
    suspicion.evidence = {{"channel", static_cast<double>(difference.channel)},
                          {"bias", static_cast<double>(bias.quantized[difference.channel])},
                          {"reference_bias", static_cast<double>(bias.reference[difference.channel])},
                          {"output_steps", steps},
                          {"threshold", kNoticeableSteps}};
    suspicion.strong = steps >= kCertainSteps;
    add_stated_scale(subject, bias.where, suspicion);
    Repair repair(subject);
    repair.rebias(bias.where);
    suspicion.remedies.push_back({"take the bias of the float model, in the scale of input times weights",
                                  fmt::format("bias {} = reference", in_quotes(subject.names().name(bias.where.tensor))), repair.finish(),
                                  false});
  }
}

constexpr CauseDef kCause{"BIAS_CORRUPT", 10, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_bias_corrupt
