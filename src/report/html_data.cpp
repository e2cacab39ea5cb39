#include "report/html_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/error.h"
#include "report/accumulate_report.h"
#include "report/diagnose_report.h"
#include "report/json_parts.h"
#include "report/palette.h"
#include "report/text.h"
#include "report/view.h"

namespace visq::report {
namespace {

/// Without folders, so that the page does not depend on where things lie.
std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

Json rounded(double value) { return std::round(value * 10) / 10; }

/// A number, "inf" (no error at all), or null.
Json metric_value(const MetricValue& value) {
  if (value.state == MetricValue::State::kInfinite) return "inf";
  return value.state == MetricValue::State::kFinite ? json_number(value.value) : Json(nullptr);
}

Json metric_values(const std::vector<MetricValue>& values) {
  Json out = Json::array();
  for (const MetricValue& value : values) out.push_back(metric_value(value));
  return out;
}

/// A value of SQNR that a result keeps as a plain double.
Json decibels(double value) { return std::isinf(value) && value > 0 ? Json("inf") : json_number(value); }

/// Where feature maps and operators stand in the page.
class Places {
 public:
  explicit Places(const CompareResult& result) {
    for (std::size_t i = 0; i < result.graph.nodes.size(); ++i) add_node(result.graph.nodes[i], static_cast<int>(i));
    for (std::size_t i = 0; i < result.maps.size(); ++i) add_map(result.maps[i], static_cast<int>(i));
  }

  Json node(const MapIdentity& map) const {
    if (map.subgraph != 0) return nullptr;
    const auto& places = map.node < 0 ? inputs_ : operators_;
    return find(places, map.node < 0 ? map.output : map.node);
  }
  Json map(const MapIdentity& map) const {
    const auto found = maps_.find({map.subgraph, map.node, map.output});
    return found == maps_.end() ? Json(nullptr) : Json(found->second);
  }
  /// The map that a finding is about: by the reference's name, else the first one of the quantized operator.
  Json map(const Finding& finding) const {
    const auto named = by_name_.find(finding.reference_name);
    if (!finding.reference_name.empty() && named != by_name_.end()) return named->second;
    const auto twin = by_quantized_name_.find(finding.name);
    if (twin != by_quantized_name_.end()) return twin->second;
    return finding.node < 0 ? Json(nullptr) : find(by_quantized_node_, finding.node);
  }

 private:
  using Index = std::map<int, int>;

  static Json find(const Index& index, int key) {
    const auto found = index.find(key);
    return found == index.end() ? Json(nullptr) : Json(found->second);
  }
  void add_node(const GraphNode& node, int place) {
    if (node.subgraph != 0 || node.kind == GraphNode::Kind::kOutput) return;
    (node.kind == GraphNode::Kind::kInput ? inputs_ : operators_).emplace(node.index, place);
  }
  void add_map(const MapComparison& map, int place) {
    maps_.emplace(std::tuple(map.reference.subgraph, map.reference.node, map.reference.output), place);
    if (map.reference.subgraph != 0) return;
    by_name_.emplace(map.reference.name, place);
    by_quantized_name_.emplace(map.quantized.name, place);
    if (map.quantized.node >= 0) by_quantized_node_.emplace(map.quantized.node, place);
  }

  Index inputs_, operators_, by_quantized_node_;
  std::map<std::tuple<int, int, int>, int> maps_;
  std::map<std::string, int, std::less<>> by_name_, by_quantized_name_;
};

Json json_metrics(const CompareResult& result) {
  Json out = Json::array();
  for (const int metric : result.metrics) {
    const MetricInfo& info = all_metrics()[static_cast<std::size_t>(metric)];
    Json bins = Json::array();
    for (const VisqFile::Bin& bin : color_bins(info, finite_values(result, metric), ColorScale::kDefault)) {
      bins.push_back({{"begin", bin.begin}, {"end", bin.end}, {"color", bin.color}, {"text", text_color(bin.color)}});
    }
    out.push_back({{"name", info.name},
                   {"label", info.label},
                   {"higher", info.better == Direction::kHigherIsBetter},
                   {"formula", info.formula},
                   {"bins", std::move(bins)}});
  }
  return out;
}

Json json_model_facts(const ModelIdentity& identity, const std::optional<Inspection>& inspection, Mode mode) {
  Json out{{"file", json_string(file_name(identity.path))}, {"sha256", identity.sha256}, {"mode", name(mode)}};
  if (!inspection) return out;
  out["operators"] = inspection->operators;
  out["macs"] = inspection->macs;
  out["parameters"] = inspection->parameters.elements;
  out["bytes"] = inspection->file_bytes;
  out["quantization"] = json_string(inspection->quantization);
  return out;
}

Json json_statistics(const MapStatistics& values) {
  return {json_number(values.min), json_number(values.max), json_number(values.mean), json_number(values.rms), values.non_finite};
}

Json json_quantization(const MapIdentity& map) {
  Json out;
  out["dtype"] = name(map.dtype);
  out["scale"] = scale_text(map.scale);
  out["axis"] = map.scale.size() > 1 ? Json(map.quantized_dimension) : Json(nullptr);
  out["zero_point"] = map.zero_point.size() == 1 ? Json(map.zero_point.front()) : Json(nullptr);
  return out;
}

Json json_map(const MapComparison& map, const Places& places) {
  Json out;
  out["place"] = place(map.reference);
  out["name"] = json_string(map.reference.name);
  out["op"] = json_string(map.reference.op);
  out["node"] = places.node(map.reference);
  if (map.quantized.name != map.reference.name) out["quantized_name"] = json_string(map.quantized.name);
  if (map.quantized.op != map.reference.op) out["quantized_op"] = json_string(map.quantized.op);
  out["quantized_place"] = place(map.quantized);
  out["shape"] = compact(map.shape);
  out.update(json_quantization(map.quantized));
  out["metrics"] = metric_values(map.metrics);
  out["verdict"] = json_string(remark(map));
  if (map.integer) out["differing"] = json_number(map.differing_share);
  if (!map.not_compared.empty()) return out;
  out["saturated"] = json_number(map.saturated_share);
  out["reference"] = json_statistics(map.reference_statistics);
  out["quantized"] = json_statistics(map.quantized_statistics);
  return out;
}

Json json_outputs(const CompareResult& result) {
  Json out = Json::array();
  for (const int index : result.outputs) out.push_back(index);
  return out;
}

Json json_anomalies(const CompareResult& result, const Places& places) {
  Json out = Json::array();
  for (const Anomaly& anomaly : result.anomalies) {
    out.push_back({{"name", json_string(anomaly.map.name)},
                   {"map", places.map(anomaly.map)},
                   {"kind", json_string(anomaly.kind)},
                   {"value", json_number(anomaly.value)},
                   {"limit", json_number(anomaly.limit)}});
  }
  return out;
}

Json json_match(const CompareResult& result) {
  Json unpaired = Json::array(), warnings = Json::array(), gaps = Json::array();
  for (const Unpaired& each : result.match.unpaired) {
    unpaired.push_back({each.in_reference ? "reference" : "quantized", place(each.map), json_string(each.map.name),
                        json_string(each.map.op), json_string(each.reason)});
  }
  for (const std::string& warning : result.match.warnings) warnings.push_back(json_string(warning));
  for (const NotComputed& gap : result.not_computed) {
    gaps.push_back(
        {json_string(file_name(gap.model)), place(gap.map), json_string(gap.map.name), json_string(gap.map.op), json_string(gap.reason)});
  }
  return {{"by_name", result.match.by_name},
          {"by_structure", result.match.by_structure},
          {"unpaired", std::move(unpaired)},
          {"warnings", std::move(warnings)},
          {"not_computed", std::move(gaps)}};
}

Json json_finding(const Finding& finding, const Places& places) {
  Json evidence = Json::array();
  for (const auto& [what, value] : finding.evidence) evidence.push_back({what, json_number(value)});
  return {{"cause", finding.cause},
          {"severity", finding.severity == Severity::kHint ? "info" : name(finding.severity)},
          {"tensor", json_string(finding.name)},
          {"op", json_string(finding.op)},
          {"map", places.map(finding)},
          {"text", json_string(finding.text)},
          {"evidence", std::move(evidence)},
          {"fix", json_string(finding.fix)},
          {"configuration", json_string(finding.configuration)},
          {"gain", finding.tried ? json_number(finding.gain_db) : Json(nullptr)}};
}

Json json_diagnosis(const DiagnoseResult& result, const Places& places) {
  Json findings = Json::array(), remarks = Json::array(), measures = Json::array(), outputs = Json::array();
  for (const Finding& finding : result.findings) findings.push_back(json_finding(finding, places));
  for (const GlobalRemark& remark : result.remarks) remarks.push_back(json_string(remark.text));
  for (const std::string& measure : result.measures) measures.push_back(json_string(measure));
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    outputs.push_back({json_string(result.outputs[i]), decibels(result.output_sqnr[i])});
  }
  return {{"mode", name(result.mode)},
          {"findings", std::move(findings)},
          {"remarks", std::move(remarks)},
          {"measures", std::move(measures)},
          {"outputs", std::move(outputs)}};
}

Json json_sensitivity(const SensitivityResult& result, const Places& places) {
  Json metrics = Json::array(), rows = Json::array();
  for (const int metric : result.metrics) metrics.push_back(all_metrics()[static_cast<std::size_t>(metric)].label);
  for (const Sensitivity& each : result.nodes) {
    const SensitivePart& part = each.part;
    rows.push_back({{"rank", each.rank},
                    {"name", json_string(part.reference.name)},
                    {"type", sensitive_type(part)},
                    {"op", json_string(part.reference.op)},
                    {"map", places.map(part.reference)},
                    {"dtype", part.quant_dtype},
                    {"threshold", json_number(part.threshold)},
                    {"flops", json_number(part.flops_share)},
                    {"metrics", metric_values(each.metrics)}});
  }
  return {{"metrics", std::move(metrics)},
          {"records", result.records.last - result.records.first},
          {"all", metric_values(result.all_quantized)},
          {"rows", std::move(rows)}};
}

Json json_spread(const ValueStatistics& values) {
  return {json_number(values.min), json_number(values.max), json_number(values.mean), json_number(values.deviation())};
}

Json json_weights(const std::vector<WeightProfile>& weights, const Places& places) {
  Json out = Json::array();
  for (const WeightProfile& weight : weights) {
    out.push_back({{"name", json_string(weight.reference_name)},
                   {"op", json_string(weight.reference.op)},
                   {"map", places.map(weight.reference)},
                   {"attribute", weight.attribute},
                   {"dtype", name(weight.quantized_dtype)},
                   {"reference", json_spread(weight.reference_values)},
                   {"quantized", json_spread(weight.quantized_values)},
                   {"mse", json_number(weight.mse)},
                   {"sqnr", decibels(weight.sqnr)}});
  }
  return out;
}

/// Curves over the layers, drawn as the commands draw them that know them.
Json json_pictures(const FullReport& report) {
  Json out = Json::array();
  if (report.accumulation) {
    out.push_back({"Error through the graph: weights alone quantized, activations alone quantized", accumulate_svg(*report.accumulation)});
  }
  if (!report.diagnosis) return out;
  constexpr const char* kTitles[] = {"Degradation by layer: MSE", "Degradation by layer: cosine", "Degradation by layer: SQNR"};
  const auto graphs = degradation_graphs(*report.diagnosis, {}, false);
  for (std::size_t i = 0; i < graphs.size() && i < std::size(kTitles); ++i) {
    if (!graphs[i].content.empty()) out.push_back({kTitles[i], graphs[i].content});
  }
  return out;
}

constexpr std::size_t kLabelColumns = 26;
constexpr double kColumnWidth = 6.6, kBoldWidth = 7.9, kBoxHeight = 34, kBoxMargin = 14;

/// The main subgraph; boxes wide enough for the two lines that the page writes into them.
Result<Json> json_graph(const Graph& graph) {
  GraphLayout layout;
  Json nodes = Json::array(), edges = Json::array();
  std::vector<std::string> labels;
  const auto main = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const GraphNode& node) { return node.subgraph != 0; });
  for (auto node = graph.nodes.begin(); node != main; ++node) {
    labels.push_back(node->names.empty() ? "" : shortened(valid_utf8(node->names.front()), kLabelColumns));
    const double label = static_cast<double>(width(labels.back())) * kColumnWidth;
    const double op = static_cast<double>(width(valid_utf8(node->op))) * kBoldWidth;
    layout.boxes.push_back({std::max(label, op) + kBoxMargin, kBoxHeight});
    const int to = static_cast<int>(layout.boxes.size()) - 1;
    for (const int from : node->inputs) layout.arrows.push_back({from, to, {}});
  }
  VISQ_TRY(lay_out(layout));
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    const LaidOutBox& box = layout.boxes[i];
    const GraphNode& node = graph.nodes[i];
    Json shape{rounded(box.x), rounded(box.y), rounded(box.width), rounded(box.height)};
    nodes.push_back({{"box", std::move(shape)},
                     {"op", json_string(node.op)},
                     {"label", json_string(labels[i])},
                     {"name", node.names.empty() ? Json("") : json_string(node.names.front())}});
  }
  for (const LaidOutArrow& arrow : layout.arrows) {
    Json path = Json::array();
    for (const auto& [x, y] : arrow.path) {
      path.push_back(rounded(x));
      path.push_back(rounded(y));
    }
    edges.push_back({arrow.from, arrow.to, std::move(path)});
  }
  return Json{{"width", rounded(layout.width)},
              {"height", rounded(layout.height)},
              {"subgraphs", graph.subgraphs.size()},
              {"nodes", std::move(nodes)},
              {"edges", std::move(edges)}};
}

}  // namespace

Result<Json> html_data(const FullReport& report) {
  const CompareResult& result = report.comparison;
  const Places places(result);
  Json maps = Json::array();
  for (const MapComparison& map : result.maps) maps.push_back(json_map(map, places));
  Json out;
  out["title"] = json_string(report.title);
  out["version"] = report.version;
  out["models"] = {{"reference", json_model_facts(result.reference, report.reference, result.reference_mode)},
                   {"quantized", json_model_facts(result.quantized, report.quantized, result.quantized_mode)}};
  out["data"] = json_string(file_name(result.data));
  out["records"] = result.records.last - result.records.first;
  out["metrics"] = json_metrics(result);
  out["maps"] = std::move(maps);
  out["outputs"] = json_outputs(result);
  out["anomalies"] = json_anomalies(result, places);
  out["match"] = json_match(result);
  out["diagnosis"] = report.diagnosis ? json_diagnosis(*report.diagnosis, places) : Json(nullptr);
  out["sensitivity"] = report.sensitivity ? json_sensitivity(*report.sensitivity, places) : Json(nullptr);
  out["weights"] = json_weights(report.weights, places);
  out["pictures"] = json_pictures(report);
  out["missing"] = Json::array();
  for (const std::string& part : report.missing) out["missing"].push_back(json_string(part));
  VISQ_ASSIGN(out["graph"], json_graph(result.graph));
  return out;
}

}  // namespace visq::report
