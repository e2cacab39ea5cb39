// Discrete Fourier transform of 2^n points in double precision.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace visq::kernels {

class Fft {
 public:
  /// `points` is a power of two.
  explicit Fft(std::int64_t points);

  std::int64_t points() const { return static_cast<std::int64_t>(order_.size()); }
  /// X[k] = sum over n of x[n] e^(-2 pi i k n / points), in place.
  void run(std::complex<double>* data) const;

 private:
  std::vector<std::int64_t> order_;          ///< where each element goes before the first pass: its index with the bits reversed
  std::vector<std::complex<double>> roots_;  ///< e^(-2 pi i k / points) for k < points / 2
};

}  // namespace visq::kernels
