// partial for people and spreadsheets: how the nodes were picked, and a line per step.
#include <fmt/core.h>

#include <algorithm>

#include "report/pictures/metric_curves.h"
#include "report/words/fitted_table.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/partial.h"

namespace visq::report {
namespace {

bool has_integers(const PartialResult& result) { return result.none.integer_outputs; }

std::string how_picked(const PartialResult& result) {
  const std::string source = result.ranking.empty() ? "" : fmt::format(" in {}", printable(result.ranking));
  const auto picks = static_cast<std::int64_t>(result.steps.size());
  switch (result.picked_by) {
    case PickedBy::kNames:
      return fmt::format("{} by --nodes.", plural(picks, "pick"));
    case PickedBy::kWorst:
      return fmt::format("None of {}{} has a cosine below {} alone: the {} worst are taken.", result.candidates, source,
                         brief(result.pick_threshold), picks);
    case PickedBy::kThreshold:
      break;
  }
  return fmt::format("{} of {}{} have a cosine below {} alone.", picks, result.candidates, source, brief(result.pick_threshold));
}

/// How many must stay float.
std::string conclusion(const PartialResult& result) {
  const auto needed = steps_needed(result);
  const std::string limit = brief(result.pick_threshold);
  if (!needed) return fmt::format("Cosine {} is not reached, though all {} are float.", limit, result.steps.size());
  if (*needed == 0) return fmt::format("Quantized as a whole, the model's cosine is at least {} already.", limit);
  return fmt::format("Cosine {} takes {} kept float.", limit, *needed == 1 ? "the first" : fmt::format("the first {}", *needed));
}

void add_values(std::vector<std::string>& row, const PartialResult& result, const OutputError& error, bool integers) {
  for (std::size_t i = 0; i < result.metrics.size(); ++i) row.push_back(metric_text(result.metrics[i], error.metrics[i]));
  if (integers) row.push_back(brief(error.differing_share));
}

std::string table(const PartialResult& result, std::size_t columns) {
  const bool integers = has_integers(result);
  std::vector<FittedColumn> table{{{"step", true}, 3}, {{"type"}, 6}, {{"op"}, 5}, {{"name"}, 0, true}};
  for (const bool alone : {true, false}) {
    const std::string side = alone ? "alone " : "kept float ";
    for (const Metric metric : result.metrics) {
      const std::string_view name = metric_info(metric).name;
      table.push_back({{side + std::string(metric_info(metric).label), true},
                       name == "cosine" && !integers ? 0
                       : name == "mse"               ? 7
                       : alone                       ? 4
                                                     : 2});
    }
    if (integers) table.push_back({{side + "differing", true}, 1});
  }
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> first{"0", "-", "-", "none"};
  for (std::size_t i = 0; i < result.metrics.size() + (integers ? 1 : 0); ++i) first.emplace_back("-");
  add_values(first, result, result.none, integers);
  rows.push_back(std::move(first));
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const PartialStep& step = result.steps[i];
    std::vector<std::string> row{std::to_string(i + 1), sensitive_type(step.part), printable(step.part.reference.op),
                                 printable(name_for(step.part.reference, columns))};
    add_values(row, result, step.alone, integers);
    add_values(row, result, step.kept_float, integers);
    rows.push_back(std::move(row));
  }
  return fitted_table(table, rows, columns);
}

}  // namespace

std::optional<std::size_t> steps_needed(const PartialResult& result) {
  const auto reached = [&](const OutputError& error) {
    const MetricValue& cosine = error.metrics.front();
    return cosine.state == MetricValue::State::kFinite && cosine.value >= result.pick_threshold;
  };
  if (reached(result.none)) return 0;
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    if (reached(result.steps[i].kept_float)) return i + 1;
  }
  return std::nullopt;
}

std::string partial_text(const PartialResult& result, std::size_t columns) {
  std::string text = pair_head(result);
  text += wrapped(how_picked(result), columns, 0) + "\n";
  text += wrapped("alone: quantized at this one only; kept float: this one and all above float, the rest quantized; none: all quantized",
                  columns, 0) +
          "\n\n";
  text += table(result, columns);
  if (!result.none.integer_outputs) text += "\n" + wrapped(conclusion(result), columns, 0) + "\n";
  std::string remarks;
  for (const std::string& remark : result.remarks) remarks += wrapped("Note: " + printable(remark), columns, 2) + "\n";
  if (!result.none.not_compared.empty())
    remarks += wrapped("Some output was not compared: " + printable(result.none.not_compared), columns, 0) + "\n";
  for (const SensitivityGap& gap : result.gaps) {
    remarks += wrapped(fmt::format("{} stays float: {}", printable(name_for(gap.map, columns)), printable(gap.reason)), columns, 0) + "\n";
  }
  return text + (remarks.empty() ? "" : "\n" + remarks);
}

std::string partial_csv(const PartialResult& result) {
  std::vector<Column> columns{{"step", true}, {"sensitive_type"}, {"op"}, {"name"}, {"quantized_name"}};
  for (const char* side : {"alone", "kept_float"}) {
    for (const Metric metric : result.metrics) columns.push_back({fmt::format("{}_{}", side, metric_info(metric).label), true});
    columns.push_back({fmt::format("{}_differing", side), true});
  }
  const auto add = [&](std::vector<std::string>& row, const OutputError& error) {
    for (const MetricValue& value : error.metrics) row.push_back(exact(value));
    row.push_back(error.integer_outputs ? exact(error.differing_share) : "");
  };
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> first{"0", "", "", "none", "none"};
  first.resize(first.size() + result.metrics.size() + 1);
  add(first, result.none);
  rows.push_back(std::move(first));
  for (std::size_t i = 0; i < result.steps.size(); ++i) {
    const PartialStep& step = result.steps[i];
    std::vector<std::string> row{std::to_string(i + 1), sensitive_type(step.part), step.part.reference.op, step.part.reference.name,
                                 step.part.quantized.name};
    add(row, step.alone);
    add(row, step.kept_float);
    rows.push_back(std::move(row));
  }
  return csv_table(columns, rows);
}

}  // namespace visq::report
