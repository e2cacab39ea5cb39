// report: everything that is known about a pair of models, in one page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "visq/accumulate.h"
#include "visq/compare.h"
#include "visq/diagnose.h"
#include "visq/inspect.h"
#include "visq/profile.h"
#include "visq/sensitivity.h"

namespace visq {

/// Results of several questions about the same pair. What was not asked for is empty, and the page says so.
struct FullReport {
  std::string title;    ///< empty: the models' file names
  std::string version;  ///< of the program that made it
  CompareResult comparison;
  std::optional<Inspection> reference, quantized;
  std::optional<DiagnoseResult> diagnosis;
  std::optional<SensitivityResult> sensitivity;
  std::optional<AccumulateResult> accumulation;
  std::vector<WeightProfile> weights;
  std::vector<std::string> missing;  ///< parts that were asked for and could not be computed, and why
};

/// One HTML file without references to anything outside; the same bytes for the same results, wherever the models lie.
/// Errors: kInternal where the graph cannot be laid out.
Result<std::string> html_page(const FullReport& report);

}  // namespace visq
