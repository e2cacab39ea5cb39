// inspect for people: a summary on top, then node by node.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/as_size.h"
#include "core/joined.h"
#include "report/words/text.h"
#include "report/words/text_table.h"
#include "visq/report/inspect.h"

namespace visq::report {
namespace {

/// Narrower than this a name tells nothing; then the end of the line goes instead.
constexpr std::size_t kSmallestName = 12;
/// What a terminal's line keeps for quantization parameters: "scale 0.003922 zero -128". Longer ones (per channel) may lose their end.
constexpr std::size_t kDetailsRoom = 24;
/// The longest builtin's name has 31 characters; a custom operator's may have any number.
constexpr std::size_t kLongestType = 40;
/// Elements of a list option that are shown; the rest is counted.
constexpr std::size_t kShownElements = 8;

/// "7,490,048"
std::string grouped(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(count), thing, count == 1 ? "" : "s");
}

/// The shortest text that reads back as the same float.
std::string single(double value) { return fmt::format("{}", static_cast<float>(value)); }
std::string rounded(double value) { return brief(value); }

/// Sizes, with "?" for an axis that is known only when the model is fed.
std::string shape_text(const InspectedTensor& tensor) {
  if (!tensor.has_rank) return "unknown";
  std::vector<std::string> sizes;
  for (int axis = 0; axis < tensor.shape.rank(); ++axis) {
    const bool dynamic = !tensor.shape_signature.empty() && tensor.shape_signature[as_size(axis)] < 0;
    sizes.push_back(dynamic ? "?" : std::to_string(tensor.shape[axis]));
  }
  return fmt::format("[{}]", joined(sizes, ", "));
}

/// `number` writes a scale.
std::string quantization_text(const Quantization& q, std::string (*number)(double)) {
  if (q.block_size > 0) return fmt::format("scales in tensor {} for blocks of {}", q.block_scales, q.block_size);
  if (!q.quantized()) return "";
  const auto [least, greatest] = std::minmax_element(q.zero_point.begin(), q.zero_point.end());
  const std::string zero = *least == *greatest ? std::to_string(*least) : fmt::format("{} to {}", *least, *greatest);
  const auto write = [&](float scale) { return number(static_cast<double>(scale)); };
  if (!q.per_channel()) return fmt::format("scale {} zero {}", write(q.scale[0]), zero);
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  std::size_t odd = 0;
  for (const float scale : q.scale) {
    if (!std::isfinite(scale)) {
      ++odd;
      continue;
    }
    low = std::min(low, scale);
    high = std::max(high, scale);
  }
  const std::string range = odd < q.scale.size() ? fmt::format("scale {} to {}", write(low), write(high)) : "no finite scale";
  const std::string warning = odd > 0 ? fmt::format(", {} not finite", odd) : "";
  return fmt::format("{} zero {}, {} on axis {}{}", range, zero, q.scale.size(), q.axis, warning);
}

std::string role_text(const InspectedTensor& tensor) {
  if (tensor.constant) return fmt::format("{}constant of {}", tensor.sparse ? "sparse " : "", counted(tensor.bytes, "byte"));
  return tensor.variable ? "variable" : "";
}

std::string option_text(const Attribute& value) {
  const auto list = [](const auto& values, auto text) {
    std::vector<std::string> shown;
    for (std::size_t i = 0; i < std::min(values.size(), kShownElements); ++i) shown.push_back(text(values[i]));
    const std::string more = values.size() > kShownElements ? fmt::format(", … {} in all", values.size()) : "";
    return fmt::format("[{}{}]", joined(shown, ", "), more);
  };
  const auto integer = [](std::int64_t number) { return std::to_string(number); };
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return integer(*number);
  if (const auto* number = std::get_if<double>(&value)) return single(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return printable(*text);
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value)) return list(*numbers, integer);
  return list(std::get<std::vector<double>>(value), single);
}

using Row = std::vector<std::string>;

// A tensor's line.
constexpr std::size_t kNameColumn = 2, kDetailsColumn = 5;
const std::vector<Column>& tensor_columns() {
  static const std::vector<Column> columns{{""}, {"", true}, {""}, {""}, {""}, {""}};  // role, index, name, shape, type, details
  return columns;
}

/// Lines of a table without its title line.
std::vector<std::string> aligned(const std::vector<Column>& columns, const std::vector<Row>& rows) {
  const std::string table = text_table(columns, rows);
  std::vector<std::string> lines;
  for (std::size_t at = table.find('\n') + 1; at < table.size();) {
    const std::size_t end = table.find('\n', at);
    lines.push_back(table.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Shortens the names of tensors' lines so that the lines fit, but for the end of long details.
void fit_names(std::vector<Row>& rows, std::size_t columns) {
  if (columns == 0 || rows.empty()) return;
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  widths[kNameColumn] = 0;
  widths[kDetailsColumn] = std::min(widths[kDetailsColumn], kDetailsRoom);
  std::size_t others = 2 * (widths.size() - 1);
  for (const std::size_t one : widths) others += one;
  const std::size_t room = std::max(columns > others ? columns - others : 0, kSmallestName);
  std::vector<std::string> names;
  for (const Row& row : rows) names.push_back(row[kNameColumn]);
  shorten_apart(names, room);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i][kNameColumn] = std::move(names[i]);
}

/// Ends a line of valid UTF-8 at the terminal's edge.
std::string fit_line(const std::string& line, std::size_t columns) {
  if (columns == 0 || width(line) <= columns) return line;
  std::size_t characters = 0;
  std::size_t end = 0;
  for (; end < line.size(); ++end) {
    const bool starts_character = (static_cast<unsigned char>(line[end]) & 0xC0U) != 0x80U;
    if (starts_character && ++characters == columns) break;
  }
  return line.substr(0, end) + "…";
}

/// Writes the report line by line.
class TextReport {
 public:
  TextReport(const Inspection& inspection, const InspectTextOptions& options) : inspection_(inspection), options_(options) {}

  std::string write() {
    summary();
    types();
    for (std::size_t i = 0; i < inspection_.subgraphs.size(); ++i) {
      const InspectedSubgraph& graph = inspection_.subgraphs[i];
      line("");
      line(fmt::format("subgraph {} '{}': {}", i, printable(graph.name),
                       counted(static_cast<std::int64_t>(graph.operators.size()), "operator")));
      nodes(graph);
      if (options_.tensors) tensors(graph);
    }
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += fit_line(text, options_.columns) + "\n"; }

  void summary() {
    const Inspection& all = inspection_;
    line(printable(all.path));
    line(fmt::format("  format        {}, version {}, {}", format_label(all.format), all.version,
                     counted(static_cast<std::int64_t>(all.file_bytes), "byte")));
    if (!all.description.empty()) line("  description   " + printable(all.description));
    line("  quantization  " + all.quantization);
    line(fmt::format("  operators     {} in {}", grouped(all.operators),
                     counted(static_cast<std::int64_t>(all.subgraphs.size()), "subgraph")));
    line(fmt::format("  multiply-adds {}{}{}", grouped(all.macs),
                     all.macs_unknown > 0 ? fmt::format(", and those of {} that do not tell", counted(all.macs_unknown, "operator")) : "",
                     all.dynamic_shapes && all.macs > 0 ? " (open sizes count as stored)" : ""));
    line(fmt::format("  parameters    {} in {}", grouped(all.parameters.elements), counted(all.parameters.bytes, "byte")));
    for (std::size_t i = 0; i < all.sections.size(); ++i) line("  section       " + section_text(i));
    for (const Signature& signature : all.signatures) line("  signature     " + signature_text(signature));
  }

  std::string section_text(std::size_t i) const {
    const ContainerSection& section = inspection_.sections[i];
    const std::string model = section.model.empty() ? "" : fmt::format(" '{}'", printable(section.model));
    return fmt::format("{} {}{}, {}", i, section.kind, model, counted(static_cast<std::int64_t>(section.end - section.begin), "byte"));
  }

  std::string signature_text(const Signature& signature) const {
    const auto names = [](const std::vector<std::pair<std::string, int>>& tensors) {
      std::string list;
      for (const auto& [name, tensor] : tensors) list += (list.empty() ? "" : ", ") + printable(name);
      return list;
    };
    const std::string place = inspection_.subgraphs.size() > 1 ? fmt::format(" (subgraph {})", signature.subgraph) : "";
    return fmt::format("{}{}: {} -> {}", printable(signature.key), place, names(signature.inputs), names(signature.outputs));
  }

  void types() {
    std::vector<Row> rows;
    for (const OperatorCount& type : inspection_.types) {
      rows.push_back({shortened(printable(type.type), kLongestType), grouped(type.count), type.macs > 0 ? grouped(type.macs) : "",
                      type.can_run ? "" : "cannot be run"});
    }
    line("");
    text_ += text_table({{"operator"}, {"count", true}, {"multiply-adds", true}, {""}}, rows);
  }

  Row tensor_row(std::string role, int index, const InspectedSubgraph& graph, bool with_kind) const {
    if (index < 0) return {std::move(role), "-", "(absent)", "", "", ""};
    const InspectedTensor& tensor = graph.tensors[as_size(index)];
    std::string details = quantization_text(tensor.quantization, options_.columns == 0 ? single : rounded);
    const std::string kind = with_kind ? role_text(tensor) : "";
    if (!details.empty() && !kind.empty()) details += ", ";
    details += kind;
    return {std::move(role), std::to_string(index), printable(tensor.name), shape_text(tensor), std::string(name(tensor.dtype)), details};
  }

  /// Inputs and outputs of the graph, then every node with its own. All these lines share one set of columns.
  void nodes(const InspectedSubgraph& graph) {
    std::vector<Row> rows;
    const auto add = [&](const std::string& role, const std::vector<int>& tensors) {
      for (const int tensor : tensors) rows.push_back(tensor_row(role, tensor, graph, false));
    };
    add("  input", graph.inputs);
    add("  output", graph.outputs);
    for (const InspectedOperator& op : graph.operators) {
      add("    in", op.inputs);
      add("    out", op.outputs);
    }
    fit_names(rows, options_.columns);
    const auto lines = aligned(tensor_columns(), rows);
    std::size_t next = 0;
    const auto emit = [&](std::size_t count) {
      for (; count > 0; --count) line(lines[next++]);
    };
    emit(graph.inputs.size() + graph.outputs.size());
    for (const InspectedOperator& op : graph.operators) {
      line(node_line(op));
      emit(op.inputs.size() + op.outputs.size());
    }
  }

  static std::string node_line(const InspectedOperator& op) {
    std::string text = fmt::format("  {} {}", op.index, printable(op.type));
    if (!op.can_run) text += " (cannot be run)";
    for (const auto& [name, value] : op.options.all()) text += fmt::format(" {}={}", name, option_text(value));
    return text;
  }

  void tensors(const InspectedSubgraph& graph) {
    std::vector<Row> rows;
    for (const InspectedTensor& tensor : graph.tensors) rows.push_back(tensor_row("  tensor", tensor.index, graph, true));
    fit_names(rows, options_.columns);
    line("");
    for (const std::string& row : aligned(tensor_columns(), rows)) line(row);
  }

  const Inspection& inspection_;
  const InspectTextOptions& options_;
  std::string text_;
};

}  // namespace

std::string inspect_text(const Inspection& inspection, const InspectTextOptions& options) {
  return TextReport(inspection, options).write();
}

}  // namespace visq::report
