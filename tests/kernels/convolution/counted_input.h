// Inputs whose values say where they come from, for tests of operators that move elements.
#pragma once

#include <numeric>

#include "support/runs/light_runner.h"

namespace visq::testing {

/// 0, 1, 2 …
template <class T = float>
std::vector<T> count(std::int64_t size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), T{0});
  return values;
}

inline LightRunner on(std::string op, Shape shape) {
  LightRunner runner(std::move(op));
  runner.input<float>(shape, count(shape.elements()));
  return runner;
}

}  // namespace visq::testing
