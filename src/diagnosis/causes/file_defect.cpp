// FILE_DEFECT: what `check` calls an error, where no other cause names it: the file itself says something wrong, repair or none.
#include <fmt/format.h>

#include <algorithm>

#include "diagnosis/in_float.h"
#include "diagnosis/suspicion.h"
#include "model/slots.h"
#include "visq/check.h"

namespace visq::diagnosis::cause_file_defect {
namespace {

/// Checks whose errors and warnings hold whatever the weights were trained to.
constexpr std::string_view kDefects[] = {"bias-saturated",     "bias-scale",  "scale-mismatch",
                                         "non-finite-weights", "fixed-range", "float16-limit"};

void suspect_defect(const Symptoms& symptoms, const StructureFinding& defect, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const Operator& op = subject.q().op(defect.node);
  if (output_of(op, 0) == kNoTensor) return;
  const auto constant = std::find_if(subject.constants().begin(), subject.constants().end(), [&](const PairedConstant& each) {
    return each.node == defect.node && op.inputs[as_size(each.slot)] == defect.tensor;
  });
  const bool of_constant = constant != subject.constants().end();
  Suspicion& suspicion = of_constant ? suspicions.about_constant(*constant) : suspicions.about_map(op.outputs[0]);
  if (defect.kind == "scale-mismatch") suspicion.place += " copy";  // WRONG_ZERO_POINT may know more of it
  suspicion.text = fmt::format("{} ({}, as check says)", defect.text, defect.kind);
  suspicion.evidence = defect.evidence;
  suspicion.certain = suspicion.strong = true;
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

void suspect(const Symptoms& symptoms, const DiagnoseOptions& options, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const auto checked = check(subject.reference_model(), subject.quantized_model(), options.pairs);
  if (!checked.ok()) return;  // the models were paired before: there is nothing to say that was not said then
  for (const StructureFinding& finding : checked->findings) {
    const bool known = std::find(std::begin(kDefects), std::end(kDefects), finding.kind) != std::end(kDefects);
    if (!known || finding.severity < Severity::kWarning || finding.in_reference || finding.subgraph != 0 || finding.node < 0) continue;
    suspect_defect(symptoms, finding, suspicions);
  }
}

constexpr CauseDef kCause{"FILE_DEFECT", 1, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_file_defect
