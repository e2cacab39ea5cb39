#include "visq/limits.h"

namespace visq {
namespace {

Limits& current() {
  static Limits value;
  return value;
}

}  // namespace

const Limits& limits() { return current(); }

void set_limits(const Limits& limits) { current() = limits; }

}  // namespace visq
