// Functions of many numbers at a time, by Highway, for the instruction set of this machine.
#pragma once

#include <span>

namespace visq::metrics {

/// e^x and ln x in place, to within 4 ULP of double; what is not finite, and logarithms of what is not positive, come out as any number.
void exponentials(std::span<double> values);
void logarithms(std::span<double> values);

}  // namespace visq::metrics
