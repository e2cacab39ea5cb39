// Instruction sets, for tests of functions that are compiled for several.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "core/simd.h"

namespace visq::testing {

/// Runs a body once with every instruction set of this machine.
inline void with_every_target(const std::function<void()>& body) {
  const simd::Level best = simd::level();
  for (const simd::Level level : simd::levels()) {
    SCOPED_TRACE(simd::name(level));
    simd::set_level_for_test(level);
    body();
  }
  simd::set_level_for_test(best);
}

}  // namespace visq::testing
