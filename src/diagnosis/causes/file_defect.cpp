// FILE_DEFECT: what `check` calls an error, where no other cause names it: the file itself says something wrong, repair or none.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "model/slots.h"
#include "visq/check.h"

namespace visq::diagnosis::cause_file_defect {
namespace {

/// Checks whose errors and warnings hold whatever the weights were trained to, and what to do where no repair can be tried.
struct Defect {
  std::string_view kind, advice;
};
constexpr Defect kDefects[] = {
    {"bias-saturated", "give this layer's weights a larger scale, so that the bias fits; or keep the layer in float or 16 bits"},
    {"bias-scale", "store the bias in input scale times weight scale, in a tensor of this layer's own"},
    {"scale-mismatch", "give input and output of this operator one scale and zero point: convert again, all at once"},
    {"non-finite-weights", "find out where training or conversion made them: such values cannot be quantized"},
    {"fixed-range", "store the output in the range that the kernel writes: convert again with a converter that knows it"},
    {"float16-limit",
     "divide these constants by a power of two that brings them below 65504 and multiply after the network (scale outside); or keep this "
     "layer in float32"}};

const Defect* defect_of(std::string_view kind) {
  const auto found = std::find_if(std::begin(kDefects), std::end(kDefects), [&](const Defect& each) { return each.kind == kind; });
  return found == std::end(kDefects) ? nullptr : found;
}

/// A bias that moves the output by less than half a step moves nothing.
constexpr double kHarmlessSteps = 0.5;

void suspect_defect(const Symptoms& symptoms, const StructureFinding& defect, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const Operator& op = subject.q().op(defect.node);
  if (output_of(op, 0) == kNoTensor) return;
  const auto constant = std::find_if(subject.constants().begin(), subject.constants().end(), [&](const PairedConstant& each) {
    return each.node == defect.node && subject.q().origin(op.inputs[as_size(each.slot)]) == defect.tensor;
  });
  const bool of_constant = constant != subject.constants().end();
  Suspicion& suspicion = of_constant ? suspicions.about_constant(*constant) : suspicions.about_map(op.outputs[0]);
  if (defect.kind == "scale-mismatch") suspicion.place += " copy";  // WRONG_ZERO_POINT may know more of it
  suspicion.text = fmt::format("{} ({}, as check says)", defect.text, defect.kind);
  suspicion.evidence = defect.evidence;
  suspicion.advice = defect_of(defect.kind)->advice;
  suspicion.certain = suspicion.strong = suspicion.evident = true;
  if (!of_constant) return;
  const ConstantValues* values = values_of(symptoms, *constant);
  if (values == nullptr) return;
  ModelEdit edit;
  store_in_float(*constant, values->reference, edit);
  const std::string name = in_quotes(subject.names().name(constant->tensor));
  suspicion.remedies.push_back({constant->bias ? "store the float model's bias, in input scale times weight scale and in a tensor of this "
                                                 "layer's own; where it does not fit, give its weights a larger scale"
                                               : "store the float model's values again",
                                fmt::format("{} {} = reference", constant->bias ? "bias" : "weights", name), std::move(edit), true});
}

/// True for a bias whose values are right as kernels take them, whatever scale it states.
bool is_right(const Symptoms& symptoms, const StructureFinding& defect) {
  const Subject& subject = symptoms.subject();
  const PairedConstant* bias = defect.kind == "bias-scale" ? subject.bias_of(defect.node) : nullptr;
  const ConstantValues* values = bias == nullptr ? nullptr : values_of(symptoms, *bias);
  const int output = output_of(subject.q().op(defect.node), 0);
  if (values == nullptr || output == kNoTensor || !subject.q().tensor(output).quantization.quantized()) return false;
  double off = 0;
  for (std::size_t c = 0; c < values->reference.size(); ++c) {
    off = std::max(off, std::fabs(static_cast<double>(values->reference[c]) - static_cast<double>(values->quantized[c])));
  }
  return off < kHarmlessSteps * static_cast<double>(subject.q().tensor(output).quantization.scale[0]);
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const auto checked = check(nullptr, symptoms.subject().quantized_model());  // alone: the models are paired already
  if (!checked.ok()) return;
  for (const StructureFinding& finding : checked->findings) {
    if (defect_of(finding.kind) == nullptr || finding.severity < Severity::kWarning || finding.in_reference || finding.subgraph != 0 ||
        finding.node < 0)
      continue;
    if (!is_right(symptoms, finding)) suspect_defect(symptoms, finding, suspicions);
  }
}

constexpr CauseDef kCause{"FILE_DEFECT", 1, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_file_defect
