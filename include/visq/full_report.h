// report: everything that is known about a pair of models, in one page.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "visq/accumulate.h"
#include "visq/compare.h"
#include "visq/diagnose.h"
#include "visq/distribution.h"
#include "visq/inspect.h"
#include "visq/partial.h"
#include "visq/profile.h"
#include "visq/report.h"
#include "visq/sensitivity.h"

namespace visq {

/// Times of the operators of both models, on one machine.
struct ReportTimes {
  std::vector<OperatorTime> reference, quantized;
  int runs = 0;  ///< per operator
};

/// The same reference and records under another recipe.
struct RecipeReport {
  CompareResult comparison;
  std::optional<Inspection> model;  ///< of the quantized model
};

/// Results of several questions about the same pair. What was not asked for is empty, and the page says so.
struct FullReport {
  std::string title;    ///< empty: the models' file names
  std::string version;  ///< of the program that made it
  std::string command;  ///< that made it; empty: not said
  std::string next;     ///< the command that is worth running next; empty: none
  CompareResult comparison;
  ColorScale colors = ColorScale::kDefault;
  std::optional<VisqFile> picture;  ///< where the comparison's values come from such a file: its metric and colours
  std::optional<Inspection> reference, quantized;
  std::optional<DiagnoseResult> diagnosis;
  std::optional<SensitivityResult> sensitivity;
  std::optional<AccumulateResult> accumulation;
  std::optional<PartialResult> partial;
  std::optional<DistributionResult> distribution;
  std::vector<WeightProfile> weights;
  std::optional<ReportTimes> times;
  std::vector<RecipeReport> others;   ///< further quantizations of the same network, beside the one of `comparison`
  std::size_t top = 5;                ///< distributions of so many of the most sensitive weights and activations are shown at once
  std::vector<std::string> missing;   ///< parts that were asked for and could not be computed, and why
  std::vector<std::string> left_out;  ///< parts for which there was no time
};

/// Errors: kUnsupported where the library was built without d3, which draws the page.
Status can_make_pages();

/// Errors: kInternal where Graphviz, which lays out the page's graph, lacks its plugins, kUnsupported where the library was built without
/// it.
Status can_draw_graphs();

/// One HTML file without references to anything outside; the same bytes for the same results, wherever the models lie. Never fails: a graph
/// that cannot be laid out (can_draw_graphs()) is left out, and the page says so. Where can_make_pages() fails, it stays empty in a
/// browser.
std::string html_page(const FullReport& report);
/// The same of several signatures of the same models, a section each; at least one.
std::string html_page(std::span<const FullReport> reports);

/// A comparison that holds the values of a visq.json file (one metric, which is the file's own where it is none of ours), of the model
/// whose graph is given. Errors: kBadInput where the file speaks of more subgraphs than the graph has, or of no tensor that the graph
/// knows.
Result<FullReport> report_of(const VisqFile& file, const Model& model);

}  // namespace visq
