// FLOAT16_REACH: maps that stay in float reach beyond what float16 holds, in which some accelerators compute.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnosis/suspicion.h"

namespace visq::diagnosis::cause_float16_reach {
namespace {

constexpr double kLargest = 65504;

double reach_of(const MapValues& values) { return std::max(-values.low(), values.high()); }

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  int farthest = -1, maps = 0;
  double most = kLargest;
  for (const int tensor : subject.q().feature_maps()) {
    const TensorInfo& info = subject.q().tensor(tensor);
    const MapValues* values = subject.reference_of(tensor) < 0 ? nullptr : symptoms.reference_values(subject.reference_of(tensor));
    if (info.dtype != DType::kFloat32 || values == nullptr || reach_of(*values) <= kLargest) continue;
    ++maps;
    if (reach_of(*values) > most) farthest = tensor, most = reach_of(*values);
  }
  if (farthest < 0) return;
  Suspicion& suspicion = suspicions.about_map(farthest);
  suspicion.place = "reach of float16";
  suspicion.text = fmt::format(
      "it reaches {:.4g} ({} in all beyond {:.0f}, the largest number of float16): nothing that can be seen here, but accelerators that "
      "compute float maps in float16 make infinity of it",
      most, maps == 1 ? std::string("one map") : fmt::format("{} maps", maps), kLargest);
  suspicion.evidence = {{"reach", most}, {"maps", static_cast<double>(maps)}, {"threshold", kLargest}};
  suspicion.certain = true;
  suspicion.advice =
      "on such a device forbid float16 for it, or bring the values down: normalize the inputs, divide by a power of two in the network and "
      "multiply after it";
}

constexpr CauseDef kCause{"FLOAT16_REACH", 1, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_float16_reach
