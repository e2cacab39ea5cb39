// WRONG_WEIGHTS: a layer whose weights are not those of the float model, in a network whose other layers' are.
#include <fmt/core.h>

#include <algorithm>

#include "diagnosis/suspicion.h"
#include "diagnosis/weight_steps.h"

namespace visq::diagnosis::cause_wrong_weights {
namespace {

/// RMS difference of a channel in steps, rounding being 0.29: noticeable, certain.
constexpr double kNoticeable = 1, kCertain = 3;
/// In a network that was trained further: how much more than its layers usually do.
constexpr double kOverUsual = 3, kFarOverUsual = 10, kUnlike = 0.95;

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const UsualDifference& usual = symptoms.usual_difference();
  for (const ConstantValues& constant : symptoms.constants()) {
    if (constant.where.bias) continue;
    const StepDifference difference = step_difference(subject, constant);
    if (difference.worst_channel < kNoticeable) continue;
    if (usual.retrained() && difference.relative < kOverUsual * usual.relative) continue;
    Suspicion& suspicion = suspicions.about_constant(constant.where);
    suspicion.text =
        fmt::format("its weights '{}' are not the float model's: off by {:.1f} steps RMS in channel {}, {:.0f} % of their size over all",
                    subject.reference_names().display(constant.where.reference), difference.worst_channel, difference.channel,
                    100 * difference.relative);
    suspicion.evidence = {{"steps_rms", difference.rms},      {"worst_channel_steps_rms", difference.worst_channel},
                          {"channel", difference.channel},    {"relative", difference.relative},
                          {"usual_relative", usual.relative}, {"threshold", kNoticeable}};
    const bool beyond_training = difference.relative >= kFarOverUsual * usual.relative || cosine_of(constant) < kUnlike;
    suspicion.strong = difference.worst_channel >= kCertain && (!usual.retrained() || beyond_training);
    const bool channels = subject.q().tensor(constant.where.tensor).quantization.per_channel();
    const std::string configuration = fmt::format("weights {} = reference", in_quotes(subject.names().name(constant.where.tensor)));
    for (const WeightScales scales : {WeightScales::kKeep, channels ? WeightScales::kPerChannel : WeightScales::kPerTensor}) {
      add_reference_weights(symptoms, constant.where, scales,
                            "quantize the weights of the float model again, unless others are intended, which files do not tell",
                            configuration, suspicion);
    }
  }
}

constexpr CauseDef kCause{"WRONG_WEIGHTS", 30, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_wrong_weights
