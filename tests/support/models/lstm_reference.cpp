#include "support/models/lstm_reference.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

using Vector = Eigen::VectorXd;

Vector vector(const float* values, std::int64_t size) { return Eigen::Map<const Eigen::VectorXf>(values, size).cast<double>(); }
Vector vector(const Matrix& values) { return vector(values.data(), static_cast<std::int64_t>(values.size())); }

/// weights [rows, size of x] * x
Vector product(const Matrix& weights, std::int64_t rows, const Vector& x) {
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const Rows>(weights.data(), rows, x.size()).cast<double>() * x;
}

Vector limit(const Vector& values, double clip) { return clip > 0 ? values.cwiseMax(-clip).cwiseMin(clip) : values; }

/// What a cell reads, and keeps.
struct LstmState {
  Vector x, aux, h, c;
};

Vector normalized(const Vector& sums, const Matrix& norm) {
  const Vector off = sums.array() - sums.mean();
  return off.cwiseProduct(vector(norm)) / std::sqrt(off.squaredNorm() / static_cast<double>(off.size()) + 1e-8);
}

Vector gate(const LstmCase& v, const LstmParameters& p, int index, const LstmState& now) {
  Vector sums = product(p.input[index], v.cells, now.x) + product(p.aux[index], v.cells, now.aux);
  sums += v.diagonal ? Vector(vector(p.recurrent[index]).cwiseProduct(now.h)) : product(p.recurrent[index], v.cells, now.h);
  if (v.peephole && index != 2) sums += vector(p.peephole[index]).cwiseProduct(now.c);
  if (v.norm) sums = normalized(sums, p.norm[index]);
  sums += vector(p.bias[index]);
  return sums.unaryExpr([&](double sum) { return index == 2 ? activate(v.activation, sum) : logistic(sum); });
}

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

void LstmReference::step(std::int64_t b, const float* x, const float* aux) {
  Eigen::Map<Vector> state(state_.data() + b * v_.outputs, v_.outputs), cells(cells_.data() + b * v_.cells, v_.cells);
  LstmState now{vector(x, v_.inputs), vector(aux, v_.aux_inputs), state, cells};
  const Vector forget = gate(v_, p_, 1, now), update = gate(v_, p_, 2, now);
  const Vector input = v_.coupled ? Vector(1 - forget.array()) : gate(v_, p_, 0, now);
  now.c = limit(forget.cwiseProduct(now.c) + input.cwiseProduct(update), v_.cell_clip);
  const Vector activated = now.c.unaryExpr([&](double value) { return activate(v_.activation, value); });
  const Vector hidden = gate(v_, p_, 3, now).cwiseProduct(activated);
  cells = now.c;
  state = v_.projection ? limit(product(p_.projection, v_.outputs, hidden) + vector(p_.projection_bias), v_.projection_clip) : hidden;
}

void add_options(RecurrentModel& model, const LstmCase& v) {
  model.option("fused_activation_function", v.activation).option("cell_clip", v.cell_clip).option("proj_clip", v.projection_clip);
  model.option("time_major", v.time_major);
}

Shape sequence_shape(const LstmCase& v, std::int64_t features) {
  return v.time_major ? Shape{v.steps, v.batch, features} : Shape{v.batch, v.steps, features};
}

}  // namespace visq::testing
