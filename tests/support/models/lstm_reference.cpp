#include "support/models/lstm_reference.h"

#include <algorithm>
#include <cmath>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

template <class T>
double dot(const float* weights, const T* x, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(weights[i]) * static_cast<double>(x[i]);
  return sum;
}

double limit(double value, double clip) { return clip > 0 ? std::clamp(value, -clip, clip) : value; }

}  // namespace

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

LstmParameters parameters(const LstmCase& v, Numbers& numbers) {
  LstmParameters p;
  for (int gate = v.coupled ? 1 : 0; gate < 4; ++gate) {
    p.input[gate] = numbers.reals(v.cells * v.inputs);
    p.recurrent[gate] = numbers.reals(v.diagonal ? v.cells : v.cells * v.outputs);
    if (v.peephole && gate != 2) p.peephole[gate] = numbers.reals(v.cells);
    p.bias[gate] = numbers.reals(v.cells);
    if (v.norm) p.norm[gate] = numbers.reals(v.cells);
    p.aux[gate] = numbers.reals(v.cells * v.aux_inputs);
  }
  if (v.projection) {
    p.projection = numbers.reals(v.outputs * v.cells);
    p.projection_bias = numbers.reals(v.outputs);
  }
  return p;
}

LstmReference::LstmReference(const LstmCase& v, const LstmParameters& p)
    : v_(v), p_(p), state_(static_cast<std::size_t>(v.batch * v.outputs)), cells_(static_cast<std::size_t>(v.batch * v.cells)) {}

std::vector<double> LstmReference::run(const Matrix& input, const Matrix& aux) {
  std::vector<double> outputs(static_cast<std::size_t>(v_.steps * v_.batch * v_.outputs));
  for (std::int64_t i = 0; i < v_.steps; ++i) {
    const std::int64_t t = v_.backward ? v_.steps - 1 - i : i;
    for (std::int64_t b = 0; b < v_.batch; ++b) {
      const std::int64_t row = v_.time_major ? t * v_.batch + b : b * v_.steps + t;
      step(b, input.data() + row * v_.inputs, aux.data() + row * v_.aux_inputs);
      std::copy_n(state_.begin() + b * v_.outputs, v_.outputs, outputs.begin() + row * v_.outputs);
    }
  }
  return outputs;
}

std::vector<double> LstmReference::gate(int index, const float* x, const float* aux, const double* h, const double* c) const {
  std::vector<double> sums;
  for (std::int64_t n = 0; n < v_.cells; ++n) {
    const auto k = static_cast<std::size_t>(n);
    double sum = dot(p_.input[index].data() + n * v_.inputs, x, v_.inputs);
    sum += dot(p_.aux[index].data() + n * v_.aux_inputs, aux, v_.aux_inputs);
    sum +=
        v_.diagonal ? static_cast<double>(p_.recurrent[index][k]) * h[n] : dot(p_.recurrent[index].data() + n * v_.outputs, h, v_.outputs);
    if (v_.peephole && index != 2) sum += static_cast<double>(p_.peephole[index][k]) * c[n];
    sums.push_back(v_.norm ? sum : sum + static_cast<double>(p_.bias[index][k]));
  }
  if (v_.norm) normalize(index, sums);
  for (double& sum : sums) sum = index == 2 ? activate(v_.activation, sum) : logistic(sum);
  return sums;
}

void LstmReference::normalize(int index, std::vector<double>& sums) const {
  double mean = 0, variance = 0;
  for (const double sum : sums) mean += sum / static_cast<double>(sums.size());
  for (const double sum : sums) variance += (sum - mean) * (sum - mean) / static_cast<double>(sums.size());
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k] =
        (sums[k] - mean) / std::sqrt(variance + 1e-8) * static_cast<double>(p_.norm[index][k]) + static_cast<double>(p_.bias[index][k]);
  }
}

void LstmReference::step(std::int64_t b, const float* x, const float* aux) {
  double* h = state_.data() + b * v_.outputs;
  double* c = cells_.data() + b * v_.cells;
  const auto forget = gate(1, x, aux, h, c), update = gate(2, x, aux, h, c);
  const auto input = v_.coupled ? std::vector<double>() : gate(0, x, aux, h, c);
  for (std::size_t n = 0; n < forget.size(); ++n) {
    c[n] = limit(forget[n] * c[n] + (v_.coupled ? 1 - forget[n] : input[n]) * update[n], v_.cell_clip);
  }
  auto hidden = gate(3, x, aux, h, c);
  for (std::size_t n = 0; n < hidden.size(); ++n) hidden[n] *= activate(v_.activation, c[n]);
  for (std::int64_t o = 0; o < v_.outputs; ++o) {
    const auto k = static_cast<std::size_t>(o);
    h[o] = v_.projection
               ? limit(dot(p_.projection.data() + o * v_.cells, hidden.data(), v_.cells) + static_cast<double>(p_.projection_bias[k]),
                       v_.projection_clip)
               : hidden[k];
  }
}

void add_options(RecurrentModel& model, const LstmCase& v) {
  model.option("fused_activation_function", v.activation).option("cell_clip", v.cell_clip).option("proj_clip", v.projection_clip);
  model.option("time_major", v.time_major);
}

Shape sequence_shape(const LstmCase& v, std::int64_t features) {
  return v.time_major ? Shape{v.steps, v.batch, features} : Shape{v.batch, v.steps, features};
}

}  // namespace visq::testing
