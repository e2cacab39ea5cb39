#include "analysis/structure/weight_difference.h"

#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "core/as_size.h"

namespace visq::analysis {
namespace {

/// Weights that are stored as floats in both models are measured in the steps that 8 bits would have.
constexpr double kFloatSteps = 256;

/// The step of every element of a constant: the scale of its channel, 0 where it is stored as floats.
class Steps {
 public:
  explicit Steps(const TensorInfo& tensor) {
    const Quantization& quantization = tensor.quantization;
    for (const float scale : quantization.scale) steps_.push_back(static_cast<double>(scale));
    if (steps_.empty()) steps_.push_back(0);
    if (!quantization.per_channel() || quantization.axis >= tensor.shape.rank()) return;
    inner_ = std::max<std::size_t>(1, as_size(tensor.shape.elements(quantization.axis + 1, tensor.shape.rank())));
  }
  double at(std::size_t element) const { return steps_[element / inner_ % steps_.size()]; }

 private:
  std::vector<double> steps_;
  std::size_t inner_ = 1;
};

bool has_absurd_scale(const TensorInfo& tensor) {
  return std::any_of(tensor.quantization.scale.begin(), tensor.quantization.scale.end(), is_absurd_scale);
}

double largest_magnitude(const std::vector<float>& values) {
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  return largest;
}

WeightDifference measure(const std::vector<float>& f, const Steps& f_steps, const std::vector<float>& q, const Steps& q_steps) {
  WeightDifference difference;
  const double float_step = largest_magnitude(f) / kFloatSteps;
  double ff = 0, qq = 0, fq = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto a = static_cast<double>(f[i]), b = static_cast<double>(q[i]);
    ff += a * a, qq += b * b, fq += a * b;
    const double step = f_steps.at(i) + q_steps.at(i);
    const double moved = a == b ? 0 : (b - a) / (step > 0 ? step : float_step);
    difference.largest = std::max(difference.largest, std::fabs(moved));
    difference.mean += moved / static_cast<double>(f.size());
    difference.beyond += std::fabs(moved) > kRoundingSteps ? 1 : 0;
  }
  difference.elements = static_cast<std::int64_t>(f.size());
  difference.cosine = ff > 0 && qq > 0 ? fq / std::sqrt(ff * qq) : (ff == qq ? 1 : 0);
  return difference;
}

}  // namespace

std::vector<WeightDifference> weight_differences(const CheckContext& context) {
  std::vector<WeightDifference> differences;
  for (const OperatorPair& pair : context.pairs) {
    const quant::GraphIndex& reference = context.reference_graph.front().lookup;
    const quant::GraphIndex& model = context.graphs.front().lookup;
    const auto slots = kernels::facts_of(model.op(pair.model)).weights;
    if (!slots) continue;
    const int f_tensor = input_of(reference.op(pair.reference), slots->weight);
    const int q_tensor = input_of(model.op(pair.model), slots->weight);
    const auto f = constant_values(reference, f_tensor);
    const auto q = constant_values(model, q_tensor);
    if (!f || !q || f->size() != q->size() || has_absurd_scale(model.tensor(model.origin(q_tensor)))) continue;
    const Steps f_steps(reference.tensor(reference.origin(f_tensor))), q_steps(model.tensor(model.origin(q_tensor)));
    differences.push_back(measure(*f, f_steps, *q, q_steps));
    differences.back().node = pair.model;
    differences.back().tensor = q_tensor;
  }
  return differences;
}

}  // namespace visq::analysis
