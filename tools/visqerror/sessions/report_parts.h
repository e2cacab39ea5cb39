// What `report` computes besides the comparison: the questions of the other commands, about the same pair.
#pragma once

#include "visq/full_report.h"
#include "visqerror/sessions/session.h"

namespace visq::tool {

/// The pair, its data, and how to run it.
struct ReportSubject {
  SharedModel reference, quantized;
  RecordSource& data;
  CompareOptions compare;  ///< records, modes, threads and sequence hold for every part that knows them
  Scoring scoring;         ///< of the diagnosis
  bool time = false;       ///< also measure operators
  double seconds = 0;      ///< for all parts together
};

/// Runs part after part, says how long that will take, and stops when time is over. A part that could not be computed is listed in
/// report.missing, one for which there was no time, or that does not fit, in report.left_out. `compare_seconds`: what the comparison took.
void add_report_parts(const ReportSubject& subject, double compare_seconds, const Console& console, FullReport& report);

/// The parts, in the order in which they are computed: "diagnose, sensitivity, …". Where time is short, the last ones are left out.
std::string report_part_names();

}  // namespace visq::tool
