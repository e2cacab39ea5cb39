#include "diagnosis/calibration_fault.h"

#include <fmt/core.h>

namespace visq::diagnosis {
namespace {

/// An output below this has lost more than a tenth of its amplitude.
constexpr double kPoorSqnr = 20;
/// Widths that are told as a ratio: nearer to 1 they differ from map to map.
constexpr double kTold = 2;

std::string ratio_text(double ratio) {
  if (ratio >= kTold) return fmt::format(", the median range {:.3g} times too wide", ratio);
  return ratio <= 1 / kTold ? fmt::format(", the median range {:.3g} times too narrow", 1 / ratio) : "";
}

/// Nearly all that are wrong are wrong in the same way.
bool nearly_all(std::size_t some, std::size_t all) { return 10 * some >= 9 * all; }

/// What the wrong ranges have in common, as a clause.
std::string in_common(const Recalibration& all) {
  if (nearly_all(all.wide, all.off())) return "; they are too wide for these data, whose values have few steps left";
  if (!nearly_all(all.narrow, all.off())) return "";
  if (2 * all.average < all.narrow) return "; they are too narrow, and what lies beyond is cut off";
  return fmt::format(
      "; they are too narrow, and what lies beyond is cut off: {} are as wide as the records' extremes are on average, as where "
      "calibration takes (moving) averages over records",
      all.average);
}

std::string fix_text(const MeasuredPair& pair, const Recalibration& all) {
  std::string text = "calibrate again, all ranges at once, with representative data that are pre-processed as in evaluation";
  if (nearly_all(all.narrow, all.off())) text += "; take the smallest and largest values over all records, not averages of them";
  if (!pair.foreign_inputs().empty()) {
    text += "; or, if it is these data that are not what the float model takes, correct them: then nothing is wrong with the ranges";
  }
  return text;
}

}  // namespace

Fault calibration_fault(const MeasuredPair& pair, const Trials& trials, const CalibrationTrial& trial) {
  const Recalibration& all = trial.recalibration;
  Fault fault;
  fault.place = "calibration";
  fault.worth = trial.gain;
  fault.edit = all.edit;
  fault.edit_worth = trial.gain;
  fault.edit_text = fmt::format("calibrate again: all {} ranges taken from these data", all.ranges);
  Finding& finding = fault.finding;
  finding.cause = kCalibration;
  finding.severity = trial.before < kPoorSqnr ? Severity::kError : Severity::kHint;
  finding.text = fmt::format(
      "calibration does not fit these data: {} of {} ranges are wrong together ({} cut values off, {} waste steps{}){}; "
      "taken from the data, all at once, they bring the output from {:.1f} to {:.1f} dB, the best single repair wins {:.1f} dB",
      all.off(), all.ranges, all.narrow, all.wide, ratio_text(all.median_ratio), in_common(all), trial.before, trial.after,
      trial.best_single);
  finding.evidence = {{"ranges", static_cast<double>(all.ranges)},
                      {"too_narrow", static_cast<double>(all.narrow)},
                      {"too_wide", static_cast<double>(all.wide)},
                      {"as_wide_as_averages", static_cast<double>(all.average)},
                      {"median_width_ratio", all.median_ratio},
                      {"sqnr_before", trial.before},
                      {"sqnr_after", trial.after},
                      {"best_single_gain", trial.best_single}};
  finding.fix = fix_text(pair, all);
  finding.configuration = "calibrate again";
  finding.tried = true;
  finding.gain_db = trial.gain;
  finding.decisions = trial.decisions.all, finding.changed = trial.decisions.changed;
  finding.mode = trials.mode();
  return fault;
}

}  // namespace visq::diagnosis
