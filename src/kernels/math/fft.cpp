#include "kernels/math/fft.h"

#include <cmath>
#include <numbers>

#include "core/as_size.h"

namespace visq::kernels {

Fft::Fft(std::int64_t points) : order_(as_size(points)), roots_(as_size(points / 2)) {
  for (std::size_t i = 1; i < order_.size(); ++i) {
    order_[i] = order_[i / 2] / 2 + (i % 2 != 0 ? points / 2 : 0);
  }
  for (std::size_t k = 0; k < roots_.size(); ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(points);
    roots_[k] = {std::cos(angle), std::sin(angle)};
  }
}

void Fft::run(std::complex<double>* data) const {
  const std::int64_t size = points();
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t other = order_[as_size(i)];
    if (i < other) std::swap(data[i], data[other]);
  }
  for (std::int64_t half = 1; half < size; half *= 2) {
    const std::int64_t root_step = size / (2 * half);
    for (std::int64_t block = 0; block < size; block += 2 * half) {
      for (std::int64_t i = 0; i < half; ++i) {
        std::complex<double>& low = data[block + i];
        std::complex<double>& high = data[block + half + i];
        const std::complex<double>& root = roots_[as_size(i * root_step)];
        const std::complex<double> turned{root.real() * high.real() - root.imag() * high.imag(),
                                          root.real() * high.imag() + root.imag() * high.real()};
        high = low - turned;
        low += turned;
      }
    }
  }
}

}  // namespace visq::kernels
