#include "diagnosis/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/weight_steps.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

/// The cosine under which weights have nothing in common.
constexpr double kNothingInCommon = 0.3;
constexpr double kDeviations = 3;

std::optional<double> median_cosine(const Symptoms& symptoms) {
  std::vector<double> cosines;
  for (const ConstantValues& constant : symptoms.constants()) {
    if (!constant.where.bias) cosines.push_back(cosine_of(constant));
  }
  if (cosines.empty()) return std::nullopt;
  const auto middle = cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2);
  std::nth_element(cosines.begin(), middle, cosines.end());
  return *middle;
}

/// The operator that a tensor's values come from, behind those that only move them; null: none.
const Operator* origin(const quant::GraphIndex& graph, int tensor) {
  for (int maker = graph.maker(tensor); maker >= 0; maker = graph.maker(tensor)) {
    const Operator& op = graph.op(maker);
    if (!graph.passes_through(maker) && !kernels::facts_of(op).reorders) return &op;
    tensor = input_of(op, 0);
    if (tensor == kNoTensor) break;
  }
  return nullptr;
}

bool squashes(const Operator* op) { return op != nullptr && kernels::facts_of(*op).fixed_grid.scale8 != 0; }

/// One of the models ends with a SOFTMAX, LOGISTIC or the like that the other does not have.
std::optional<GlobalRemark> doubt_outputs(const Subject& subject) {
  for (const int output : compared_outputs(subject)) {
    const Operator* const quantized = origin(subject.q(), output);
    const Operator* const reference = origin(subject.r(), subject.reference_of(output));
    if (squashes(quantized) == squashes(reference)) continue;
    const bool in_reference = squashes(reference);
    return GlobalRemark{
        "different ends",
        fmt::format("the {} model ends with {}, the other without: they compute different things, so nothing is repaired; compare "
                    "scores with scores",
                    in_reference ? "float" : "quantized", (in_reference ? reference : quantized)->type)};
  }
  return std::nullopt;
}

}  // namespace

bool LabelledScore::near_chance() const {
  const double deviation = records > 0 ? std::sqrt(guess * (1 - guess) / static_cast<double>(records)) : 0;
  return right <= guess + kDeviations * deviation;
}

std::optional<GlobalRemark> doubt(const MeasuredPair& pair, const Symptoms& symptoms, const std::optional<LabelledScore>& score) {
  if (score && score->near_chance()) {
    return GlobalRemark{"wrong data",
                        fmt::format("the float model itself gets {:.1f} % right, where always the same answer gets {:.1f} %: the data or "
                                    "the labels are not those that it was made for, so nothing is repaired",
                                    100 * score->right, 100 * score->guess)};
  }
  if (!score && !pair.foreign_inputs().empty()) {
    return GlobalRemark{"wrong data", sentence(pair.foreign_inputs().front(), pair.subject().quantized().path) +
                                          "; nothing is repaired while it is open whether these data or those of calibration are wrong: "
                                          "--labels would show whether the float model is good on these"};
  }
  const auto cosine = median_cosine(symptoms);
  if (cosine && *cosine < kNothingInCommon) {
    return GlobalRemark{"unrelated weights",
                        fmt::format("the weights of both models have nothing in common (median cosine {:.2f}): nothing is repaired, since "
                                    "they are not the same network",
                                    *cosine)};
  }
  return doubt_outputs(pair.subject());
}

}  // namespace visq::diagnosis
