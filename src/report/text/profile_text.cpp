// profile for people: tables of statistics, weights and times.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "report/words/fitted_table.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/profile.h"

namespace visq::report {
namespace {

using NumberText = std::string (*)(double);
using Row = std::vector<std::string>;

/// Rows that the terminal shows of the table of outputs, and of the slowest operators.
constexpr std::size_t kShownOutputs = 40, kShownTimes = 10;

std::string zero_points(const std::vector<std::int64_t>& zero_point) {
  if (zero_point.empty()) return "";
  const auto [low, high] = std::minmax_element(zero_point.begin(), zero_point.end());
  return *low == *high ? std::to_string(*low) : fmt::format("{}..{}", *low, *high);
}

struct Table {
  std::vector<FittedColumn> columns;
  std::vector<Row> rows;

  std::string text(std::size_t width) const {
    auto filled = rows;
    for (Row& row : filled) {
      for (std::string& cell : row) {
        if (cell.empty()) cell.assign(1, '-');
      }
    }
    return fitted_table(columns, filled, width);
  }
  std::string csv() const {
    std::vector<Column> plain;
    for (const FittedColumn& column : columns) plain.push_back(column.column);
    return csv_table(plain, rows);
  }
};

/// min, max, mean, var, std; empty cells where there are no values.
void add_statistics(Row& row, const ValueStatistics& values, NumberText number) {
  for (const double value : {values.min, values.max, values.mean, values.variance, values.deviation()}) {
    row.push_back(values.count > 0 ? number(value) : std::string());
  }
}

/// Of an operator, also where the map is another's: what it reads.
std::string place_of(int subgraph, int node) {
  MapIdentity map;
  map.subgraph = subgraph;
  map.node = node;
  return place(map);
}

Table statistic_table(const ModelProfile& model, NumberText number, bool outputs_only) {
  Table table{{{{"index", true}},
               {{"op"}, 2},
               {{"name"}, 0, true},
               {{"attribute"}, outputs_only ? 9 : 0},
               {{"dtype"}, 4},
               {{"scale"}, 6},
               {{"zero point", true}, 7},
               {{"min", true}, 1},
               {{"max", true}, 1},
               {{"mean", true}, 2},
               {{"var", true}, 8},
               {{"std", true}, 3},
               {{"shape"}, 5},
               {{"non-finite", true}, 8}},
              {}};
  for (const ProfileRow& each : model.rows) {
    if (outputs_only && each.attribute != "output") continue;
    const TensorProfile& tensor = model.tensors[each.tensor];
    const std::string owner = place_of(tensor.map.subgraph, each.node);
    Row row{owner,
            printable(each.op),
            printable(outputs_only ? shown_name(tensor.map) : tensor.map.name),
            each.attribute,
            std::string(name(tensor.map.dtype)),
            scale_text(tensor.map.scale),
            zero_points(tensor.map.zero_point)};
    add_statistics(row, tensor.values, number);
    row.push_back(compact(tensor.shape));
    row.push_back(std::to_string(tensor.values.non_finite));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table weight_table(const ProfileResult& result, NumberText number) {
  Table table{{{{"index", true}}, {{"op"}}, {{"attribute"}}, {{"base_dtype"}}, {{"analy_dtype"}}}, {}};
  for (const char* side : {"base_", "analy_"}) {
    for (const char* column : {"min", "max", "mean", "var", "std"}) table.columns.push_back({{std::string(side) + column, true}});
  }
  table.columns.insert(table.columns.end(), {{{"MSE", true}}, {{"SQNR", true}}, {{"base_name"}}, {{"analy_name"}}});
  for (const WeightProfile& weight : result.weights) {
    Row row{place(weight.reference), printable(weight.reference.op), weight.attribute, std::string(name(weight.reference_dtype)),
            std::string(name(weight.quantized_dtype))};
    add_statistics(row, weight.reference_values, number);
    add_statistics(row, weight.quantized_values, number);
    row.insert(row.end(), {number(weight.mse), number(weight.sqnr), printable(weight.reference_name), printable(weight.quantized_name)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The column of turns is left out where nothing took any, unless it is wanted.
Table time_table(const ModelProfile& model, NumberText number, bool turns, bool for_file = true) {
  turns = turns || std::any_of(model.times.begin(), model.times.end(), [](const OperatorTime& time) { return time.turns != 1; });
  Table table{{{{"index", true}},
               {{"op"}, 1},
               {{"name"}, 0, true},
               {{"median ms", true}},
               {{"share", true}, 2},
               {{"min ms", true}, 5},
               {{"MACs", true}, 3},
               {{"GMAC/s", true}, 4},
               {{"bytes", true}, 4}},
              {}};
  if (turns) table.columns.push_back({{"turns", true}, 1});
  double total = 0;
  for (const OperatorTime& time : model.times) total += time.median_seconds;
  for (const OperatorTime& time : model.times) {
    const auto macs = static_cast<double>(time.macs.value_or(0));
    const bool rated = macs > 0 && time.median_seconds > 0;
    table.rows.push_back({place_of(time.map.subgraph, time.node), printable(time.map.op),
                          printable(for_file ? time.map.name : shown_name(time.map)), number(1e3 * time.median_seconds),
                          total > 0 ? fmt::format("{:.1f} %", 100 * time.median_seconds / total) : "", number(1e3 * time.min_seconds),
                          time.macs ? std::to_string(*time.macs) : "", rated ? number(macs / time.median_seconds / 1e9) : "",
                          std::to_string(time.bytes)});
    if (turns) table.rows.back().push_back(number(time.turns));
  }
  return table;
}

Table channel_table(const ProfileResult& result, NumberText number) {
  Table table{{{{"model"}}, {{"name"}}, {{"axis", true}}, {{"channel", true}}, {{"scale", true}}}, {}};
  for (const char* column : {"min", "max", "mean", "var", "std"}) table.columns.push_back({{column, true}});
  for (const ModelProfile& model : result.models) {
    for (const TensorProfile& tensor : model.tensors) {
      const auto& scale = tensor.map.scale;
      for (std::size_t c = 0; c < tensor.channels.size(); ++c) {
        const std::size_t s = scale.size() == tensor.channels.size() ? c : 0;
        Row row{printable(model.model.path), printable(tensor.map.name), std::to_string(tensor.channel_axis), std::to_string(c),
                scale.empty() ? "" : number(static_cast<double>(scale[s]))};
        add_statistics(row, tensor.channels[c], number);
        table.rows.push_back(std::move(row));
      }
    }
  }
  return table;
}

/// The rows of the largest numbers in a column, largest first.
void keep_largest(Table& table, std::size_t count, const std::vector<double>& keys) {
  std::vector<std::size_t> order(table.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
  order.resize(std::min(order.size(), count));
  std::vector<Row> rows;
  for (const std::size_t i : order) rows.push_back(table.rows[i]);
  table.rows = std::move(rows);
}

std::string times_text(const ModelProfile& model, std::size_t columns) {
  Table table = time_table(model, brief, false, false);
  std::vector<double> keys;
  double total = 0;
  for (const OperatorTime& time : model.times) {
    keys.push_back(time.median_seconds);
    total += time.median_seconds;
  }
  keep_largest(table, kShownTimes, keys);
  return fmt::format("\nSlowest of {}: {} ms in all, median of {} runs on one thread, with visqerror's own kernels\n{}",
                     plural(static_cast<std::int64_t>(model.times.size()), "operator"), brief(1e3 * total), model.timed_runs,
                     table.text(columns));
}

}  // namespace

std::string profile_text(const ProfileResult& result, std::size_t columns) {
  std::string text = data_text(result) + "\n";
  for (const ModelProfile& model : result.models) {
    Table table = statistic_table(model, brief, true);
    const std::size_t all = table.rows.size();
    table.rows.resize(std::min(all, kShownOutputs));
    text += fmt::format("\n{} ({}): what its operators make\n{}", printable(model.model.path), name(model.mode), table.text(columns));
    if (all > kShownOutputs) text += fmt::format("… and {} more\n", all - kShownOutputs);
    if (!model.times.empty()) text += times_text(model, columns);
  }
  return text;
}

std::vector<OutputFile> profile_files(const ProfileResult& result, std::size_t models, bool per_channel, bool time) {
  std::vector<OutputFile> files;
  const auto add = [&](const std::string& stem, const Table& brief_table, const Table& exact_table) {
    files.push_back({stem + ".txt", brief_table.text(0)});
    files.push_back({stem + ".csv", exact_table.csv()});
  };
  const ModelProfile none;
  for (std::size_t i = 0; i < models; ++i) {
    const ModelProfile& model = i < result.models.size() ? result.models[i] : none;
    const std::string prefix = i == 0 ? "" : "quantized_";
    add(prefix + "statistic", statistic_table(model, brief, false), statistic_table(model, exact, false));
    if (time) add(prefix + "time", time_table(model, brief, false), time_table(model, exact, true));
  }
  if (models > 1) add("weights", weight_table(result, brief), weight_table(result, exact));
  if (per_channel) files.push_back({"channels.csv", channel_table(result, exact).csv()});
  return files;
}

}  // namespace visq::report
