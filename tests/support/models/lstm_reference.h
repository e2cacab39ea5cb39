// The LSTM cell in double, written from its formulas, and the models that it is compared with.
#pragma once

#include <string>
#include <vector>

#include "support/models/recurrent_model.h"
#include "support/runs/heavy_runner.h"

namespace visq::testing {

double logistic(double x);

/// What one cell has, and how large it is.
struct LstmCase {
  std::int64_t batch = 2, steps = 1, inputs = 5, cells = 7, outputs = 7;
  bool coupled = false, peephole = false, norm = false, projection = false, diagonal = false;
  double cell_clip = 0, projection_clip = 0;
  std::string activation = "TANH";
  bool time_major = true, backward = false;
  std::int64_t aux_inputs = 0;
};

using Matrix = std::vector<float>;

/// Random parameters; gates in the order input, forget, cell, output.
struct LstmParameters {
  Matrix input[4], recurrent[4], peephole[4], bias[4], norm[4], aux[4];
  Matrix projection, projection_bias;
};
LstmParameters parameters(const LstmCase& v, Numbers& numbers);

/// The cell, one batch row at a time. Its state goes on from call to call.
class LstmReference {
 public:
  LstmReference(const LstmCase& v, const LstmParameters& p);
  /// The outputs of a sequence, laid out as the input.
  std::vector<double> run(const Matrix& input, const Matrix& aux = {});

 private:
  void step(std::int64_t b, const float* x, const float* aux);

  const LstmCase& v_;
  const LstmParameters& p_;
  std::vector<double> state_, cells_;
};

void add_options(RecurrentModel& model, const LstmCase& v);
Shape sequence_shape(const LstmCase& v, std::int64_t features);

}  // namespace visq::testing
