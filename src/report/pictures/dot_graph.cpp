// The graph in Graphviz' language: a cluster per subgraph, a box per operator in the colour of its worst output, a legend.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "core/as_size.h"
#include "core/error.h"
#include "report/json/visq_values.h"
#include "report/words/palette.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report.h"

namespace visq {
namespace report {
namespace {

constexpr std::size_t kLongestName = 52;
/// Of ids and tooltips: Graphviz refuses strings of more than 16,384 bytes, and an escaped character has up to 5.
constexpr std::size_t kLongestText = 3000;
constexpr std::string_view kInk = "#333333";

/// Values by tensor name, one table per subgraph.
using Values = std::vector<std::unordered_map<std::string, MetricValue>>;

/// What to paint.
struct Picture {
  std::string title;  ///< above everything; may be empty
  std::string label;  ///< of the metric
  MetricInfo metric;  ///< its direction decides which output of an operator is the worst
  std::vector<VisqFile::Bin> bins;
  Values values;
};

/// A quoted identifier: quotes and backslashes escaped.
std::string quoted_id(const std::string& printable_text) {
  std::string out = "\"";
  for (const char c : printable_text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// The same for labels, in which Graphviz reads entities too.
std::string label_text(const std::string& printable_text) {
  std::string out;
  for (const char c : printable_text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
    if (c == '&') out += "amp;";
  }
  return out;
}

class DotWriter {
 public:
  DotWriter(const Picture& picture, const Graph& graph) : picture_(picture), graph_(graph) {
    for (const GraphNode& node : graph.nodes) ids_.push_back(quoted_id(unique_id(node)));
  }

  std::string write() {
    out_ = "digraph visq {\n";
    line(0, "rankdir=TB; nodesep=0.3; ranksep=0.3; fontname=\"Helvetica\"; fontcolor=\"{}\";", kInk);
    line(0, "node [fontname=\"Helvetica\", fontsize=11, color=\"{}\", margin=\"0.12,0.06\"];", kInk);
    line(0, "edge [color=\"#777777\", arrowsize=0.7];");
    heading();
    std::size_t subgraphs = graph_.subgraphs.size();
    for (const GraphNode& node : graph_.nodes) subgraphs = std::max(subgraphs, as_size(node.subgraph) + 1);
    for (std::size_t i = 0; i < subgraphs; ++i) cluster(static_cast<int>(i));
    return out_ + "}\n";
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> text, Args&&... args) {
    out_ += std::string(as_size(2 * depth + 2), ' ') + fmt::format(text, std::forward<Args>(args)...) + "\n";
  }

  /// An operator is named after its first output; where that name is taken (other subgraphs), a number follows.
  std::string unique_id(const GraphNode& node) {
    std::string name = node.names.empty() ? fmt::format("{} {}", node.op, node.index) : node.names.front();
    if (node.kind == GraphNode::Kind::kOutput) name = "output: " + name;
    name = shortened(printable(name), kLongestText);
    std::string id = name;
    for (int number = 2; !taken_.insert(id).second; ++number) id = fmt::format("{} ({})", name, number);
    return id;
  }

  /// Title and legend. They are the graph's label, since a node as tall as a legend would push the first operators apart.
  void heading() {
    const auto& bins = picture_.bins;
    const double low = bins.empty() ? 0 : bins.front().begin, high = bins.empty() ? 0 : bins.back().end;
    line(0, "labelloc=t; labeljust=l; fontsize=11; label=<<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\">");
    if (!picture_.title.empty()) {
      line(1, "<TR><TD BORDER=\"0\" ALIGN=\"LEFT\"><FONT POINT-SIZE=\"18\">{}</FONT></TD></TR>", escape_html(printable(picture_.title)));
    }
    line(1, "<TR><TD><B>{}: {} ~ {}</B></TD></TR>", escape_html(printable(picture_.label)), brief(low), brief(high));
    for (const VisqFile::Bin& bin : bins) {
      line(1, "<TR><TD BGCOLOR=\"{}\"><FONT COLOR=\"{}\">{} ~ {}</FONT></TD></TR>", bin.color, text_color(bin.color), brief(bin.begin),
           brief(bin.end));
    }
    line(1, "<TR><TD BGCOLOR=\"{}\">no value</TD></TR>", kNoValueColor);
    line(0, "</TABLE>>;");
  }

  void cluster(int subgraph) {
    const auto position = as_size(subgraph);
    const std::string name = position < graph_.subgraphs.size() ? shortened(printable(graph_.subgraphs[position]), kLongestText) : "";
    line(0, "subgraph cluster_{} {{", subgraph);
    line(1, "label=\"{}\"; labeljust=c; fontsize=13; color=\"#bbbbbb\"; style=rounded; margin=14;",
         label_text(name.empty() ? fmt::format("subgraph {}", subgraph) : name));
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].subgraph == subgraph) node(i);
    }
    line(0, "}}");
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].subgraph != subgraph) continue;
      for (const int input : graph_.nodes[i].inputs) line(0, "{} -> {};", ids_[as_size(input)], ids_[i]);
    }
  }

  void node(std::size_t i) {
    const GraphNode& node = graph_.nodes[i];
    const std::string name = node.names.empty() ? "" : shortened(printable(node.names.front()), kLongestText);
    const std::string shown = node.displays.empty() ? name : printable(node.displays.front());
    const std::string short_name = label_text(shortened(shown, kLongestName)), full_name = label_text(name);
    const std::optional<MetricValue> value = worst(node);
    const std::string number = value ? label_text(printable(picture_.label)) + " " + number_text(*value) : "";
    if (node.kind != GraphNode::Kind::kOperator) {
      line(1, "{} [shape=ellipse, label=\"{}\\n{}{}\", tooltip=\"{}\"];", ids_[i], label_text(node.op), short_name,
           number.empty() ? "" : "\\n" + number, full_name);
      return;
    }
    const std::string fill(value ? fill_of(*value) : kNoValueColor);
    line(1, "{} [shape=box, style=\"filled,rounded\", fillcolor=\"{}\", fontcolor=\"{}\", label=\"{} {}{}\\n{}\", tooltip=\"{}\"];",
         ids_[i], fill, text_color(fill), node.index, label_text(printable(node.op)), number.empty() ? "" : "   " + number, short_name,
         full_name);
  }

  /// The worst value among what a node makes; nothing where there is none.
  std::optional<MetricValue> worst(const GraphNode& node) const {
    std::optional<MetricValue> found;
    if (as_size(node.subgraph) >= picture_.values.size() || node.kind == GraphNode::Kind::kOutput) return found;
    const auto& values = picture_.values[as_size(node.subgraph)];
    for (const std::string& name : node.names) {
      const auto value = values.find(name);
      if (value == values.end() || value->second.state == MetricValue::State::kUndefined) continue;
      if (!found || worse(picture_.metric, value->second, *found)) found = value->second;
    }
    return found;
  }

  /// No error at all is as good as the best value there is.
  std::string_view fill_of(const MetricValue& value) const {
    if (value.state == MetricValue::State::kInfinite) return picture_.bins.empty() ? kNoValueColor : picture_.bins.back().color;
    return color_of(picture_.bins, value.value);
  }

  static std::string number_text(const MetricValue& value) {
    return value.state == MetricValue::State::kInfinite ? "inf" : brief(value.value);
  }

  const Picture& picture_;
  const Graph& graph_;
  std::vector<std::string> ids_;
  std::unordered_set<std::string> taken_;
  std::string out_;
};

}  // namespace
}  // namespace report

std::string dot_graph(const CompareResult& result, Metric metric, const ReportOptions& options) {
  using namespace report;
  const MetricInfo& info = metric_info(metric);
  const std::string file = std::filesystem::path(result.reference.path).filename().string();
  Picture picture{options.title.empty() ? file : options.title, std::string(info.label), info, {}, Values(result.graph.subgraphs.size())};
  picture.bins = color_bins(info, finite_values(result, metric), options.colors);
  for (const MapComparison& map : result.maps) {
    const auto subgraph = as_size(map.reference.subgraph);
    if (subgraph >= picture.values.size()) picture.values.resize(subgraph + 1);
    picture.values[subgraph][map.reference.name] = value_of(result, map, metric);
  }
  return DotWriter(picture, result.graph).write();
}

Result<std::string> dot_graph(const VisqFile& file, const Graph& graph) {
  using namespace report;
  VISQ_ASSIGN(auto known, values_of(file, graph));
  const Metric metric = metric_by_label(file.metric);
  const MetricInfo info = metric == Metric::kNone ? MetricInfo{"", file.metric, Direction::kLowerIsBetter, ""} : metric_info(metric);
  const std::string title = file.title.empty() ? std::filesystem::path(file.model).filename().string() : file.title;
  Picture picture{title, file.metric, info, file.bins, Values(known.size())};
  for (std::size_t subgraph = 0; subgraph < known.size(); ++subgraph) {
    for (const auto& [name, value] : known[subgraph]) picture.values[subgraph][name] = {MetricValue::State::kFinite, value, -1};
  }
  return DotWriter(picture, graph).write();
}

}  // namespace visq
