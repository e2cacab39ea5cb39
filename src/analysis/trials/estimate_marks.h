// How sure the ranks of an estimate are, whose trials were measured on some of the records only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace visq::analysis {

/// Lowest and highest rank; 0, 0: unknown.
struct RankInterval {
  int low = 0, high = 0;
};

/// What was measured: [trial][record]. Errors add up over records; infinite: worse than any number.
using MeasuredErrors = std::vector<std::vector<double>>;
inline constexpr double kNotMeasured = -1;
/// Of every interval that is told of a measured number or rank.
inline constexpr double kConfidence = 0.95;

/// Per trial, the ranks (from 1; with `least_first` the least error has rank 1) that it may have once all records are measured,
/// among those measured on at least one; unknown for the others.
///
/// The model: a trial's error in a record is its mean, times the record's factor, times a gamma variate with mean 1, whose shape is that of
/// all trials together: what two records tell of one trial would be nothing. From it what was not measured is drawn again and again.
std::vector<RankInterval> estimate_marks(const MeasuredErrors& errors, bool least_first);

/// How estimate_marks() gets its numbers, for headers.
std::string estimate_method();

}  // namespace visq::analysis
