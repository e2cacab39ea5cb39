// What `compare` prints on the terminal.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "core/as_size.h"
#include "report/review/review_parts.h"
#include "report/words/device_text.h"
#include "report/words/identity_text.h"
#include "report/words/match_text.h"
#include "report/words/origin_summary.h"
#include "report/words/text.h"
#include "report/words/text_table.h"
#include "report/words/verdict_text.h"
#include "report/words/view.h"
#include "visq/report.h"

namespace visq {
namespace report {
namespace {

constexpr std::size_t kNarrowestName = 16;
constexpr std::size_t kLegibleName = 36;
constexpr int kAboveNames = 3;  ///< columns up to this priority, the verdict among them, may make names narrower than is legible
constexpr std::size_t kWidestName = 60;
constexpr std::size_t kListed = 5;  ///< anomalies, warnings and the like that are listed before "and N more"

/// ANSI styles, or nothing.
class Style {
 public:
  explicit Style(bool color) : color_(color) {}
  std::string bold(const std::string& text) const { return wrap("1", text); }
  std::string warning(const std::string& text) const { return wrap("33", text); }
  /// A verdict: green, yellow or red.
  std::string of(Health health, const std::string& text) const {
    switch (health) {
      case Health::kFine:
        return wrap("1;32", text);
      case Health::kNoticeablyOff:
        return wrap("1;33", text);
      case Health::kBroken:
        return wrap("1;31", text);
      default:
        return bold(text);
    }
  }

 private:
  std::string wrap(std::string_view code, const std::string& text) const {
    return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  bool color_;
};

/// A column of the terminal's tables: how its cell is made, and what it gives way to. The smallest priority stays longest.
struct SummaryColumn {
  Column column;
  int priority;
  std::function<std::string(const CompareResult& result, const MapComparison& map)> cell;
  Metric metric = Metric::kNone;
};

const std::vector<SummaryColumn>& detail_columns() {
  using Result = const CompareResult&;
  using Map = const MapComparison&;
  static const std::vector<SummaryColumn> columns = [] {
    std::vector<SummaryColumn> all{{{"op"}, 2, [](Result, Map map) { return printable(map.reference.op); }}};
    for (const Metric metric : metrics_in(&MetricLook::terminal)) {
      const MetricInfo& info = metric_info(metric);
      const auto text = [metric](Result result, Map map) { return brief(value_of(result, map, metric)); };
      all.push_back({{std::string(info.label), true}, info.look.gives_way, text, metric});
    }
    const auto differing = [](Result, Map map) {
      return map.integer && map.not_compared.empty() ? brief(map.differing_share) : std::string("-");
    };
    all.push_back({{"dtype"}, 6, [](Result, Map map) { return std::string(name(map.quantized.dtype)); }});
    all.push_back({{"shape"}, 10, [](Result, Map map) { return compact(map.shape); }});
    all.push_back({{"differing", true}, 11, differing});
    all.push_back({{"verdict"}, 3, [](Result, Map map) { return remark(map); }});
    return all;
  }();
  return columns;
}

class Summary {
 public:
  Summary(const CompareResult& result, const SummaryOptions& options)
      : result_(result),
        options_(options),
        style_(options.color),
        sort_(options.sort != Metric::kNone ? options.sort : main_metric(result)),
        verdict_(pair_verdict(result)) {}

  std::string text() {
    header();
    outputs();
    accuracy();
    tokens();
    worst();
    origins();
    anomalies();
    pairing();
    device();
    verdict();
    next();
    return out_;
  }

 private:
  using Maps = std::vector<const MapComparison*>;

  template <class... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    out_ += fmt::format(text, std::forward<Args>(args)...);
  }

  void header() {
    out_ += text_table({{"reference"}, {model_text(result_.reference)}, {std::string(name(result_.reference_mode))}},
                       {{"quantized", model_text(result_.quantized), std::string(name(result_.quantized_mode))},
                        {"data", printable(result_.data), records_text(result_)}});
    if (result_.interrupted) out_ += style_.warning("interrupted: the numbers are those of the records done so far") + "\n";
  }

  void outputs() {
    if (result_.outputs.empty()) return;
    Maps maps;
    for (std::size_t i = 0; i < result_.outputs.size(); ++i) maps.push_back(&compared_output(result_, i));
    const std::string after = result_.post == PostProcess::kNone ? "" : fmt::format(" after {}", name(result_.post));
    add("\n{}{}\n{}", style_.bold("Outputs"), after, table(maps, maps));
  }

  void accuracy() {
    if (!result_.accuracy) return;
    const Accuracy& values = *result_.accuracy;
    if (!values.program.empty()) {
      add("\n{} by {} on {} records\n{}", style_.bold("Accuracy"), shortened(printable(values.program), kLegibleName), values.records,
          text_table({{""}, {"number", true}}, {{"reference", brief(values.reference.main)}, {"quantized", brief(values.quantized.main)}}));
      add("drop: {:.2f} percentage points, ratio {}\n", values.drop(), brief(values.ratio()));
      return;
    }
    const ScoreInfo& score = score_info(values.score);
    const auto percent = [](double share) { return fmt::format("{:.2f} %", 100 * share); };
    add("\n{} of {} on {} records\n{}", style_.bold("Accuracy"), shortened(printable(values.output), kLegibleName), values.records,
        text_table({{""}, {std::string(score.title), true}, {std::string(score.second_title), true}},
                   {{"reference", percent(values.reference.main), percent(values.reference.second)},
                    {"quantized", percent(values.quantized.main), percent(values.quantized.second)}}));
    add("drop of {}: {:.2f} percentage points, ratio {}\n", score.title, values.drop(), brief(values.ratio()));
  }

  void tokens() {
    if (!result_.tokens || result_.tokens->output.empty()) return;
    const TokenScores& scores = *result_.tokens;
    const auto row = [&](const char* model, TokenGuess TokenScore::*side) {
      return std::vector<std::string>{model, brief(scores.perplexity(side))};
    };
    add("\n{} by {}, one of {}\n{}", style_.bold(plural(static_cast<std::int64_t>(scores.tokens.size()), "token")),
        shortened(printable(scores.output), kLegibleName), scores.vocabulary,
        text_table({{""}, {"perplexity", true}}, {row("reference", &TokenScore::reference), row("quantized", &TokenScore::quantized)}));
    add("the greedy token is the same in {:.2f} %; KL divergence {} nats in the mean", 100 * scores.agreement(), brief(scores.mean_kl()));
    const auto worst = std::ranges::max_element(scores.tokens, [](const TokenScore& a, const TokenScore& b) { return a.kl < b.kl; });
    if (worst != scores.tokens.end()) add(", at most {} after token {} of sequence {}", brief(worst->kl), worst->position, worst->sequence);
    add("\n");
  }

  /// Nodes with a value come first, worst in front; equal ones in graph order.
  void worst() {
    const std::size_t all = node_rows(result_, sort_).size();
    std::vector<NodeRow> rows = worst_rows(result_, sort_);
    const std::size_t valued = rows.size();
    rows.resize(std::min(rows.size(), as_size(std::max(options_.worst, 0))));
    if (rows.empty()) return;
    Maps maps, names;
    for (const NodeRow& row : rows) {
      maps.push_back(&result_.maps[row.worst]);
      names.push_back(&result_.maps[row.first]);
    }
    const std::string by = sort_ != Metric::kNone ? fmt::format(" by {}", metric_info(sort_).label) : "";
    const std::string without = valued < all ? fmt::format(" ({} without a value)", all - valued) : "";
    add("\n{}{}\n{}", style_.bold(fmt::format("Worst {} of {} nodes{}", rows.size(), all, by)), without, table(maps, names));
  }

  void origins() {
    if (!has_origins(result_)) return;
    const auto rows = as_size(std::max(options_.worst, 0));
    const auto columns = as_size(std::max(options_.width, 0));
    add("\n{}\n{}", style_.bold(origin_title(result_, rows)), origin_table(result_, rows, columns));
    add("{}\n", wrapped("errors in % of the map's RMS; s/√12: the created one in these units, where 1 is pure rounding", columns, 0));
    const std::string sentence = origin_sentence(result_);
    if (!sentence.empty()) add("{}\n", wrapped(sentence, columns, 0));
    list("Origin not known", origin_gaps(result_));
  }

  /// A table that fits the terminal: columns are dropped, then names are shortened.
  std::string table(const Maps& maps, const Maps& names) const {
    std::vector<Column> columns = {{"index"}, {"name"}};
    std::vector<std::vector<std::string>> rows;
    std::size_t index_width = width(columns[0].title), name_width = kNarrowestName;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      rows.push_back({place(names[i]->reference), printable(shown_name(names[i]->reference))});
      index_width = std::max(index_width, width(rows[i][0]));
      name_width = std::max(name_width, std::min(width(rows[i][1]), kWidestName));
    }
    std::size_t left = as_size(std::max(options_.width, 0));
    left -= std::min(left, index_width + 2 + kNarrowestName);
    const std::size_t legible = std::min(name_width, kLegibleName) - kNarrowestName;
    for (const SummaryColumn* column : fitting(maps, legible, left)) {
      columns.push_back(column->column);
      for (std::size_t i = 0; i < maps.size(); ++i) rows[i].push_back(column->cell(result_, *maps[i]));
    }
    std::vector<std::string> shown;
    for (const auto& row : rows) shown.push_back(row[1]);
    shorten_apart(shown, std::min(name_width, kNarrowestName + left));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i][1] = std::move(shown[i]);
    return text_table(columns, rows);
  }

  /// The columns that fit into `left` columns of the terminal, which loses what they take. The metric sorted by comes before all others;
  /// all but the first few leave names `legible` columns.
  std::vector<const SummaryColumn*> fitting(const Maps& maps, std::size_t legible, std::size_t& left) const {
    std::vector<const SummaryColumn*> by_priority, chosen;
    for (const SummaryColumn& column : detail_columns()) by_priority.push_back(&column);
    const auto rank = [&](const SummaryColumn* column) { return sort_ != Metric::kNone && column->metric == sort_ ? 0 : column->priority; };
    std::sort(by_priority.begin(), by_priority.end(), [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
    for (const SummaryColumn* column : by_priority) {
      std::size_t needed = width(column->column.title);
      bool informative = false;
      for (const MapComparison* map : maps) {
        const std::string cell = column->cell(result_, *map);
        needed = std::max(needed, width(cell));
        informative = informative || (cell != "-" && !cell.empty());
      }
      const std::size_t reserved = rank(column) <= kAboveNames ? 0 : legible;
      if (!informative || needed + 2 + reserved > left) continue;
      left -= needed + 2;
      chosen.push_back(column);
    }
    std::sort(chosen.begin(), chosen.end());  // back into the order of the table, where they stand side by side
    return chosen;
  }

  void list(const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    add("\n{}\n", style_.warning(title));
    for (std::size_t i = 0; i < std::min(lines.size(), kListed); ++i) add("  {}\n", lines[i]);
    if (lines.size() > kListed) add("  and {} more\n", lines.size() - kListed);
  }

  void anomalies() {
    std::vector<std::string> lines;
    for (const Anomaly& anomaly : result_.anomalies) {
      lines.push_back(fmt::format("{} {}: {}, {} (limit {})", place(anomaly.map),
                                  shortened(printable(shown_name(anomaly.map)), kLegibleName), printable(anomaly.kind),
                                  brief(anomaly.value), brief(anomaly.limit)));
    }
    list(fmt::format("{} anomal{}", lines.size(), lines.size() == 1 ? "y" : "ies"), lines);
    lines.clear();
    for (const NotComputed& each : result_.not_computed) {
      lines.push_back(fmt::format("{}: {} {}: {}", printable(each.model), place(each.map), printable(each.map.op), printable(each.reason)));
    }
    list("Not computed", lines);
  }

  void pairing() {
    const MatchReport& match = result_.match;
    add("\nPaired {}\n", how_paired(match));
    for (const std::string& warning : match.warnings) out_ += style_.warning("warning: " + printable(warning)) + "\n";
  }

  void device() {
    if (!result_.device) return;
    std::vector<std::string> lines;
    for (const std::string& remark : result_.device->remarks) lines.push_back(printable(remark));
    list("How the device's maps were understood", lines);
    const std::string sentence = "Device: " + device_sentence(result_, kLegibleName) + ".";
    add("\n{}\n",
        style_.of(result_.device->first < 0 ? Health::kFine : Health::kBroken, wrapped(sentence, as_size(std::max(options_.width, 0)), 0)));
  }

  /// Dumps do not say which of their maps are outputs.
  void verdict() {
    for (const std::string& remark : comparison_remarks(result_)) {
      add("\n{}\n", style_.warning(wrapped("Beware: " + remark, as_size(std::max(options_.width, 0)), 0)));
    }
    if (verdict_.basis == VerdictBasis::kNothing || result_.device) return;
    const std::string sentence = "Verdict: " + verdict_sentence(result_, verdict_, kLegibleName) + ".";
    add("\n{}\n", style_.of(verdict_.health, wrapped(sentence, as_size(std::max(options_.width, 0)), 0)));
  }

  bool wrong() const { return verdict_.health == Health::kNoticeablyOff || verdict_.health == Health::kBroken; }

  void next() {
    if (!options_.next) return;
    if (const std::string cut_out = device_next(result_, options_.data_options); !cut_out.empty()) {
      add("\nNext: {}  cuts it out, for whoever maintains it\n", cut_out);
      return;
    }
    const bool alone = result_.reference.path == result_.quantized.path;  // it is compared with itself where no other is given
    const std::string reference = shell_word(printable(result_.reference.path));
    const std::string quantized = alone ? "" : " " + shell_word(printable(result_.quantized.path));
    const char* const option = result_.tokens ? " --tokens " : " -d ";
    const std::string data = result_.data == "random" || result_.graph.nodes.empty() ? "" : option + shell_word(printable(result_.data));
    const std::string more = (data.empty() ? "" : options_.data_options) + options_.more_options;
    if (wrong() && !alone && !result_.tokens) {
      add("\nNext: visqerror diagnose {}{}{}{}  says why, and what to do\n", reference, quantized, data, more);
      return;
    }
    if (options_.folder.empty()) {
      add("\nNext: visqerror compare {}{}{}{} -o OUT  writes tables, pictures and JSON\n", reference, quantized, data,
          more + options_.own_options);
      return;
    }
    const std::string_view metric = sort_ != Metric::kNone ? metric_info(sort_).name : "mse";
    const auto file = std::filesystem::path(options_.folder) / fmt::format("{}.{}.visq.json.dot", stem_of(result_.reference.path), metric);
    add("\nNext: dot -Tsvg -O {}  draws the graph\n", shell_word(printable(file.string())));
  }

  const CompareResult& result_;
  const SummaryOptions& options_;
  Style style_;
  Metric sort_;
  PairVerdict verdict_;
  std::string out_;
};

}  // namespace
}  // namespace report

std::string summary(const CompareResult& result, const SummaryOptions& options) { return report::Summary(result, options).text(); }

}  // namespace visq
