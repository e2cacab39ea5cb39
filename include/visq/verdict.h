// The verdict on a pair: is the quantized model as a whole fine, and where does it break first?
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "visq/compare.h"

namespace visq {

/// How a quantized model does as a whole; kUnknown where nothing measured says.
enum class Health : std::uint8_t { kFine, kNoticeablyOff, kBroken, kUnknown };

/// "fine", "noticeably off", "broken", "unknown".
std::string_view name(Health health);

/// What a verdict rests on.
enum class VerdictBasis : std::uint8_t {
  kNothing,
  kAccuracyDrop,  ///< percentage points that the quantized model loses: fine up to 1, broken above 5
  kSqnr,          ///< dB of the worst output: fine from 20 (an error of a tenth of the signal's RMS), broken below 10 (a third)
  kCosine,        ///< of the worst output: fine from 0.995, broken below 0.95, which is what such errors leave
  kPsnr,          ///< dB of the worst output: fine from 40, broken below 30
  kDiffering,     ///< share of an integer output's elements that differ: fine up to 0.01, broken above 0.1
  kNonFinite,     ///< elements of an output that are NaN or Inf in the quantized model alone: broken
};

struct PairVerdict {
  Health health = Health::kUnknown;
  VerdictBasis basis = VerdictBasis::kNothing;
  double value = 0;       ///< in the unit of the basis
  int output = -1;        ///< the output that it is of, index into CompareResult::outputs; -1: of none in particular
  int first_node = -1;    ///< index into CompareResult::maps: the first in graph order that is off as far as the verdict says; -1: none
  double first_sqnr = 0;  ///< of that map, in dB
};

/// The worst of what accuracy and outputs say; accuracy decides alone where it was measured, unless result.judged_by names a metric.
PairVerdict pair_verdict(const CompareResult& result);

/// What makes the comparison itself doubtful: a reference that gives the same outputs for all records, or whose accuracy is near chance
/// (no more than two standard deviations above it); a mode that leaves out half of the error or more (ModeGap). One line each.
std::vector<std::string> comparison_remarks(const CompareResult& result);

}  // namespace visq
