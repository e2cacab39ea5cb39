#include "diagnosis/suspicion.h"

#include <fmt/core.h>

#include <algorithm>

#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis {

Suspicion& Suspicions::about_map(int tensor) {
  const Subject& subject = symptoms_.subject();
  Suspicion suspicion;
  suspicion.cause = cause_;
  suspicion.tensor = tensor;
  suspicion.node = subject.q().maker(tensor);
  suspicion.place = fmt::format("map {}", subject.group(tensor));
  return list_.emplace_back(std::move(suspicion));
}

Suspicion& Suspicions::about_constant(const PairedConstant& constant) {
  const Subject& subject = symptoms_.subject();
  Suspicion suspicion;
  suspicion.cause = cause_;
  suspicion.tensor = output_of(subject.q().op(constant.node), 0);
  suspicion.node = constant.node;
  suspicion.place = fmt::format("node {} slot {}", constant.node, constant.slot);
  return list_.emplace_back(std::move(suspicion));
}

std::string in_quotes(const std::string& name) { return "\"" + name + "\""; }

namespace {

/// The grid that the kernel of a tied map's maker demands; nothing where all are free.
std::optional<Quantization> demanded_grid(const Subject& subject, int tensor) {
  for (const int tied : subject.tied(tensor)) {
    const int maker = subject.q().maker(tied);
    const auto fixed = maker < 0 ? std::nullopt : kernels::facts_of(subject.q().op(maker)).fixed_grid.of(subject.q().tensor(tied).dtype);
    if (!fixed) continue;
    Quantization grid;
    grid.scale = {static_cast<float>(fixed->scale)};
    grid.zero_point = {fixed->zero_point};
    return grid;
  }
  return std::nullopt;
}

}  // namespace

bool has_fixed_grid(const Subject& subject, int tensor) { return demanded_grid(subject, tensor).has_value(); }

Quantization new_grid(const Symptoms& symptoms, int tensor) {
  const auto fixed = demanded_grid(symptoms.subject(), tensor);
  return fixed ? *fixed : activation_grid(symptoms.subject().q().tensor(tensor).dtype, symptoms.range_for(tensor));
}

Remedy new_range(const Symptoms& symptoms, int tensor) {
  const Subject& subject = symptoms.subject();
  const analysis::RealBounds range = symptoms.range_for(tensor);
  Repair repair(subject);
  repair.regrid(subject.tied(tensor), new_grid(symptoms, tensor));
  return {fmt::format("set the range to what the data need, [{:.4g}, {:.4g}]", range.low, range.high),
          fmt::format("range {} = [{:.6g}, {:.6g}]", in_quotes(subject.names().name(tensor)), range.low, range.high), repair.finish(),
          false};
}

void add_reference_weights(const Symptoms& symptoms, const PairedConstant& weight, WeightScales scales, const std::string& text,
                           const std::string& configuration, Suspicion& suspicion) {
  const Subject& subject = symptoms.subject();
  const bool channels = scales == WeightScales::kPerChannel && !subject.q().tensor(weight.tensor).quantization.per_channel();
  const bool simulated = channels && subject.q().tensor(weight.tensor).dtype == DType::kUInt8;  // kernels know no such weights
  Repair weights_only(subject);
  if (!weights_only.reweight(weight, scales)) return;
  suspicion.remedies.push_back({text, configuration, weights_only.finish(), simulated});
  const PairedConstant* const bias = subject.bias_of(weight.node);
  if (bias == nullptr) return;
  Repair both(subject);
  both.reweight(weight, scales);
  both.rebias(*bias);
  suspicion.remedies.push_back({text + ", and take its bias", configuration, both.finish(), simulated});
}

std::vector<ModelEdit> other_repairs(const Symptoms& symptoms, const PairedConstant& weight) {
  std::vector<ModelEdit> edits;
  const Subject& subject = symptoms.subject();
  Repair same_grid(subject);
  if (same_grid.reweight(weight, WeightScales::kKeep)) edits.push_back(same_grid.finish());
  const PairedConstant* const bias = subject.bias_of(weight.node);
  if (bias == nullptr) return edits;
  Repair only_bias(subject);
  only_bias.rebias(*bias);
  edits.push_back(only_bias.finish());
  return edits;
}

Remedy more_bits(const Symptoms& symptoms, int tensor) {
  const Subject& subject = symptoms.subject();
  Repair repair(subject);
  repair.widen(subject.tied(tensor), symptoms.needed(tensor));
  return {"keep it in 16 bits or float", fmt::format("dtype {} = int16", in_quotes(subject.names().name(tensor))), repair.finish(), true};
}

}  // namespace visq::diagnosis
