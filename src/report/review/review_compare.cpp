// What build servers, code hosts and graph viewers are told of a comparison.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/as_size.h"
#include "report/review/review.h"
#include "report/review/review_parts.h"
#include "report/words/identity_text.h"
#include "report/words/palette.h"
#include "report/words/text.h"
#include "report/words/verdict_text.h"
#include "report/words/view.h"

namespace visq::report {
namespace {

constexpr std::size_t kNameInVerdict = 24;  ///< columns of a name, so that no line of a comment is cut

constexpr std::size_t kWorst = 10;  ///< rows of the table of worst nodes

ReviewPlace place_of(const MapIdentity& map) { return {map.subgraph, map.name, map.op, map.display}; }

std::string metric_line(const CompareResult& result, const MapComparison& map) {
  std::string line = shown_name(map.reference) + ":";
  for (std::size_t i = 0; i < map.metrics.size() && i < result.metrics.size(); ++i) {
    line += fmt::format(" {} {}", metric_info(result.metrics[i]).name, brief(map.metrics[i]));
  }
  if (map.integer) line += fmt::format(" differing {} %", brief(100 * map.differing_share));
  return line;
}

/// Outputs fail where nothing can be said of them, or where they hold elements that are no numbers.
ReviewSuite output_suite(const CompareResult& result) {
  ReviewSuite suite{"outputs", {}, {}};
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const MapComparison& map = compared_output(result, i);
    ReviewCase& each = suite.cases.emplace_back(ReviewCase{map.reference.name, {}, ""});
    suite.output.push_back(metric_line(result, map));
    if (!map.not_compared.empty()) each.failures.push_back("not compared: " + map.not_compared);
    for (const auto& [model, statistics] :
         {std::pair{"reference", &map.reference_statistics}, std::pair{"quantized", &map.quantized_statistics}}) {
      if (statistics->non_finite > 0)
        each.failures.push_back(fmt::format("{} not finite in the {} model", plural(statistics->non_finite, "element"), model));
    }
  }
  return suite;
}

/// One case per condition and feature map, in the order given.
ReviewSuite condition_suite(const CompareResult& result, const ReportOptions& options) {
  ReviewSuite suite{"conditions", {}, {}};
  std::map<std::pair<std::string, int>, std::size_t> known;
  for (const ConditionOutcome& outcome : options.outcomes) {
    const auto [place, added] = known.try_emplace({outcome.condition, outcome.map}, suite.cases.size());
    if (added) {
      const std::string on = outcome.map < 0 ? "" : ": " + result.maps[as_size(outcome.map)].reference.name;
      suite.cases.push_back({outcome.condition + on, {}, ""});
    }
    if (!outcome.failure.empty()) suite.cases[place->second].failures.push_back(outcome.failure);
  }
  return suite;
}

ReviewSuite gap_suite(const CompareResult& result) {
  ReviewSuite suite{"not computed", {}, {}};
  for (const NotComputed& gap : result.not_computed) {
    suite.cases.push_back({fmt::format("{}: {} {}", gap.model, place(gap.map), gap.map.op), {}, gap.reason});
  }
  return suite;
}

/// "range too large" → "range-too-large".
std::string rule_id(std::string_view kind) {
  std::string id;
  for (const char c : kind) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    id += plain ? c : '-';
  }
  return id;
}

std::vector<ReviewFinding> findings(const CompareResult& result, const ReportOptions& options) {
  std::vector<ReviewFinding> all;
  for (const ConditionOutcome& outcome : options.outcomes) {
    if (outcome.failure.empty()) continue;
    ReviewFinding& each = all.emplace_back(ReviewFinding{"condition",
                                                         "a condition of the build does not hold",
                                                         Severity::kError,
                                                         outcome.failure,
                                                         result.quantized.path,
                                                         {},
                                                         outcome.condition});
    if (outcome.map >= 0) each.place = place_of(result.maps[as_size(outcome.map)].reference);
  }
  for (const NotComputed& gap : result.not_computed) {
    all.push_back({"not-computed", "an operator could not be run", Severity::kError,
                   fmt::format("{} {}: {}", place(gap.map), gap.map.op, gap.reason), gap.model, place_of(gap.map)});
  }
  for (const Anomaly& anomaly : result.anomalies) {
    all.push_back({rule_id(anomaly.kind), "a feature map or its scale is odd: " + anomaly.kind, Severity::kWarning,
                   fmt::format("{}: {}, {} (limit {})", shown_name(anomaly.map), anomaly.kind, brief(anomaly.value), brief(anomaly.limit)),
                   result.quantized.path, place_of(anomaly.map)});
  }
  return all;
}

/// In pieces, so that each is cut by itself: what is wrong begins with the metric and ends with its numbers.
Line failure_line(const ConditionOutcome& outcome) {
  constexpr std::string_view kBetween = " does not hold: ", kOthers = "; worse too: ";
  const std::string head = outcome.condition + std::string(kBetween);
  if (!outcome.failure.starts_with(head)) return {foreign(outcome.failure)};
  const std::string what = outcome.failure.substr(head.size());
  const std::size_t others = std::min(what.rfind(kOthers), what.size());
  Line line{foreign(outcome.condition), own(std::string(kBetween)), foreign(what.substr(0, others))};
  if (others < what.size()) {
    line.push_back(own(std::string(kOthers)));
    line.push_back(foreign(what.substr(others + kOthers.size())));
  }
  return line;
}

void add_verdict(const ReportOptions& options, Review& review) {
  if (options.outcomes.empty()) return;
  std::set<std::string> asked, broken;
  for (const ConditionOutcome& outcome : options.outcomes) {
    asked.insert(outcome.condition);
    if (outcome.failure.empty()) continue;
    broken.insert(outcome.condition);
    review.failures.push_back(failure_line(outcome));
  }
  const std::string all = plural(static_cast<std::int64_t>(asked.size()), "condition");
  review.passed = broken.empty();
  review.verdict = broken.empty() ? fmt::format("{} held.", all)
                                  : fmt::format("{} of {} {} not hold.", broken.size(), all, broken.size() == 1 ? "does" : "do");
}

/// What a comment has room for, of the metrics that there are.
std::vector<Metric> shown_metrics(const CompareResult& result, Metric sort) {
  constexpr std::size_t kColumns = 5;
  std::vector<Metric> shown = metrics_in(&MetricLook::terminal);
  shown.resize(std::min(shown.size(), kColumns));
  std::erase_if(shown,
                [&](Metric metric) { return std::find(result.metrics.begin(), result.metrics.end(), metric) == result.metrics.end(); });
  if (sort != Metric::kNone && std::find(shown.begin(), shown.end(), sort) == shown.end()) shown.insert(shown.begin(), sort);
  return shown;
}

ReviewTable map_table(const std::vector<Metric>& metrics) {
  ReviewTable table{{"index", "name", "op", "verdict"}, {}, 4};
  for (const Metric metric : metrics) table.titles.emplace_back(metric_info(metric).label);
  return table;
}

void add_row(const CompareResult& result, const std::string& name, const MapComparison& map, const std::vector<Metric>& metrics,
             ReviewTable& table) {
  const Piece verdict = map.integer ? own(brief(100 * map.differing_share) + " % differ") : foreign(remark(map));
  Line row{own(place(map.reference)), foreign(name), foreign(map.reference.op), verdict};
  for (const Metric metric : metrics) row.push_back(own(brief(value_of(result, map, metric))));
  table.rows.push_back(std::move(row));
}

ReviewSection output_section(const CompareResult& result, const std::vector<Metric>& metrics) {
  ReviewSection section{"Outputs", map_table(metrics), {}, ""};
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const MapComparison& map = compared_output(result, i);
    add_row(result, shown_name(map.reference), map, metrics, section.table);
  }
  return section;
}

ReviewSection worst_section(const CompareResult& result, const std::vector<Metric>& metrics, Metric sort) {
  std::vector<NodeRow> rows = worst_rows(result, sort);
  rows.resize(std::min(rows.size(), kWorst));
  const std::string by = sort == Metric::kNone ? "" : fmt::format(" by {}", metric_info(sort).label);
  ReviewSection section{fmt::format("Worst {} of {} nodes{}", rows.size(), node_rows(result, sort).size(), by), map_table(metrics), {}, ""};
  for (const NodeRow& row : rows) {
    add_row(result, shown_name(result.maps[row.first].reference), result.maps[row.worst], metrics, section.table);
  }
  return section;
}

ReviewSection accuracy_section(const Accuracy& values) {
  if (!values.program.empty()) {
    return {"Accuracy",
            {{"model", "accuracy"},
             {{own("reference"), own(brief(values.reference.main))}, {own("quantized"), own(brief(values.quantized.main))}},
             1},
            {},
            fmt::format("It drops by {} percentage points on {}.", brief(values.drop()), plural(values.records, "record"))};
  }
  const ScoreInfo& score = score_info(values.score);
  const auto row = [](const char* model, const ModelScore& top) {
    return Line{own(model), own(fmt::format("{:.2f} %", 100 * top.main)), own(fmt::format("{:.2f} %", 100 * top.second))};
  };
  return {"Accuracy",
          {{"model", std::string(score.title), std::string(score.second_title)},
           {row("reference", values.reference), row("quantized", values.quantized)},
           1},
          {},
          fmt::format("{} drops by {:.2f} percentage points on {}.", values.by_class() ? "Top-1" : score.title, values.drop(),
                      plural(values.records, "record"))};
}

void add_gaps_and_anomalies(const CompareResult& result, std::vector<ReviewSection>& sections) {
  ReviewSection gaps{"Not computed", {}, {}, ""}, odd{"Anomalies", {}, {}, ""};
  for (const NotComputed& gap : result.not_computed) {
    gaps.items.push_back({foreign(gap.model), own(": " + place(gap.map) + " "), foreign(gap.map.op), own(": "), foreign(gap.reason)});
  }
  for (const Anomaly& anomaly : result.anomalies) {
    odd.items.push_back({own(place(anomaly.map) + " "), foreign(shown_name(anomaly.map)), own(": "), foreign(anomaly.kind),
                         own(fmt::format(", {} (limit {})", brief(anomaly.value), brief(anomaly.limit)))});
  }
  sections.push_back(std::move(gaps));
  sections.push_back(std::move(odd));
}

NodeData node_data(const CompareResult& result, Metric metric, const ReportOptions& options) {
  const MetricInfo& info = metric_info(metric);
  NodeData data{std::string(info.name), std::string(info.label), {}, color_bins(info, finite_values(result, metric), options.colors)};
  for (const NodeRow& row : node_rows(result, metric)) {
    const MapComparison& first = result.maps[row.first];
    const MapIdentity& shown = options.quantized_names ? first.quantized : first.reference;
    const MetricValue value = value_of(result, result.maps[row.worst], metric);
    if (value.state == MetricValue::State::kFinite) data.values.push_back({shown.subgraph, shown.name, value.value, "", ""});
  }
  return data;
}

}  // namespace

Review review_of(const CompareResult& result, const ReportOptions& options) {
  Review review;
  review.stem = stem_of(result.reference.path);
  review.name = options.title.empty() ? fmt::format("compare {} {}", result.reference.path, result.quantized.path) : options.title;
  review.title = options.title.empty() ? own("Quantization error") : foreign(options.title);
  review.subject = {foreign(result.quantized.path), own(fmt::format(" ({}) against ", name(result.quantized_mode))),
                    foreign(result.reference.path), own(fmt::format(" ({}), {} of ", name(result.reference_mode), records_text(result))),
                    foreign(result.data)};
  review.properties = {{"reference", result.reference.path}, {"quantized", result.quantized.path}, {"data", result.data}};
  add_verdict(options, review);
  const Metric sort = main_metric(result);
  const std::vector<Metric> metrics = shown_metrics(result, sort);
  if (const PairVerdict verdict = pair_verdict(result); verdict.basis != VerdictBasis::kNothing) {
    ReviewSection& section = review.sections.emplace_back(ReviewSection{"Verdict", {}, {}, ""});
    for (const std::string& line : verdict_lines(result, verdict, kNameInVerdict)) section.items.push_back({foreign(line)});
  }
  review.sections.push_back(output_section(result, metrics));
  if (result.accuracy) review.sections.push_back(accuracy_section(*result.accuracy));
  review.sections.push_back(worst_section(result, metrics, sort));
  add_gaps_and_anomalies(result, review.sections);
  review.findings = findings(result, options);
  review.suites.push_back(output_suite(result));
  if (!options.outcomes.empty()) review.suites.push_back(condition_suite(result, options));
  if (!result.not_computed.empty()) review.suites.push_back(gap_suite(result));
  for (const Metric metric : result.metrics) review.node_data.push_back(node_data(result, metric, options));
  const ModelIdentity& shown = options.quantized_names ? result.quantized : result.reference;
  std::size_t subgraphs = 1;
  for (const MapComparison& map : result.maps) {
    const MapIdentity& identity = options.quantized_names ? map.quantized : map.reference;
    subgraphs = std::max(subgraphs, as_size(identity.subgraph) + 1);
  }
  review.graphs =
      viewer_graphs(shown.format, options.quantized_names ? result.quantized_graph.subgraphs : result.graph.subgraphs, subgraphs);
  return review;
}

}  // namespace visq::report
