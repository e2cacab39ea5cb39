// DEAD_SCALE: a scale that no data can have asked for (zero, negative, NaN, infinite, absurdly small or large).
#include <fmt/core.h>

#include <algorithm>

#include "analysis/structure/check_context.h"
#include "diagnosis/suspicion.h"

namespace visq::diagnosis::cause_dead_scale {
namespace {

bool has_absurd_scale(const TensorInfo& tensor) {
  return std::any_of(tensor.quantization.scale.begin(), tensor.quantization.scale.end(), analysis::is_absurd_scale);
}

double absurd_scale(const TensorInfo& tensor) {
  return static_cast<double>(*std::find_if(tensor.quantization.scale.begin(), tensor.quantization.scale.end(), analysis::is_absurd_scale));
}

void suspect_weights(const Symptoms& symptoms, const PairedConstant& where, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const TensorInfo& tensor = subject.q().tensor(where.tensor);
  Suspicion& suspicion = suspicions.about_constant(where);
  suspicion.text =
      fmt::format("its weights '{}' have a scale of {:.4g}", subject.reference_names().display(where.reference), absurd_scale(tensor));
  suspicion.evidence = {{"scale", absurd_scale(tensor)}};
  suspicion.strong = suspicion.certain = true;
  Repair repair(subject);
  if (!repair.reweight(where, tensor.quantization.per_channel() ? WeightScales::kPerChannel : WeightScales::kPerTensor)) return;
  suspicion.remedies.push_back({"quantize the weights of the float model again",
                                fmt::format("weights {} = reference", in_quotes(subject.names().name(where.tensor))), repair.finish(),
                                false});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  for (const int tensor : subject.q().feature_maps()) {
    const TensorInfo& info = subject.q().tensor(tensor);
    if (!has_absurd_scale(info)) continue;
    Suspicion& suspicion = suspicions.about_map(tensor);
    suspicion.text = fmt::format("its scale is {:.4g}", absurd_scale(info));
    suspicion.evidence = {{"scale", absurd_scale(info)}};
    suspicion.strong = suspicion.certain = suspicion.fatal = true;
    if (symptoms.map(tensor) != nullptr) suspicion.remedies.push_back(new_range(symptoms, tensor));
  }
  for (const PairedConstant& where : subject.constants()) {
    if (!where.bias && has_absurd_scale(subject.q().tensor(where.tensor))) suspect_weights(symptoms, where, suspicions);
  }
}

constexpr CauseDef kCause{"DEAD_SCALE", 100, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_dead_scale
