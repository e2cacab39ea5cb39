#include "support/results/report_results.h"

namespace visq::testing {
namespace {

MapIdentity identity(int subgraph, int node, int output, int tensor, std::string name, std::string op) {
  MapIdentity map;
  map.subgraph = subgraph;
  map.node = node;
  map.output = output;
  map.tensor = tensor;
  map.name = std::move(name);
  map.op = std::move(op);
  return map;
}

MapComparison pair(const MapIdentity& reference, DType dtype, std::vector<float> scale) {
  MapComparison map;
  map.reference = reference;
  map.quantized = reference;
  map.quantized.dtype = dtype;
  map.quantized.zero_point.assign(scale.size(), 0);
  map.quantized.scale = std::move(scale);
  map.shape = {1, 4};
  map.metrics.resize(all_metrics().size());
  map.reference_statistics.elements = map.quantized_statistics.elements = 4;
  return map;
}

}  // namespace

MetricValue finite_value(double value, std::int64_t record) { return {MetricValue::State::kFinite, value, record}; }
MetricValue infinite_value() { return {MetricValue::State::kInfinite, 0, -1}; }

void set_metric(MapComparison& map, std::string_view metric, const MetricValue& value) {
  map.metrics[metric_place(metric_named(metric))] = value;
}

CompareResult chain_result(const std::vector<std::string>& names) {
  CompareResult result;
  result.reference.path = "chain.tflite";
  result.quantized.path = "chain8.tflite";
  result.metrics = every_metric();
  result.graph.subgraphs = {"main"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int node = static_cast<int>(i) - 1;
    const bool input = i == 0;
    result.maps.push_back(pair(identity(0, node, 0, static_cast<int>(i), names[i], input ? "INPUT" : "CONV_2D"), DType::kInt8, {0.5F}));
    result.graph.nodes.push_back({input ? GraphNode::Kind::kInput : GraphNode::Kind::kOperator,
                                  0,
                                  input ? 0 : node,
                                  input ? "INPUT" : "CONV_2D",
                                  {names[i]},
                                  input ? std::vector<int>{} : std::vector<int>{node}});
  }
  const int last = static_cast<int>(names.size()) - 1;
  result.graph.nodes.push_back({GraphNode::Kind::kOutput, 0, 0, "OUTPUT", {names.back()}, {last}});
  result.outputs = {last};
  return result;
}

CompareResult complete_result() {
  CompareResult result = chain_result({"in", "conv"});
  result.reference.sha256 = Checksum("aa");
  result.quantized.sha256 = Checksum("bb");
  result.data = "data.h5";
  result.records = {0, 16};
  result.quantized_mode = Mode::kFakeQuant;
  MapComparison& conv = result.maps[1];
  conv.quantized.scale = {0.5F, 0.25F};
  conv.quantized.zero_point = {0, 0};
  conv.quantized.name = "conv;Relu";
  conv.paired_by = PairedBy::kStructure;
  conv.verdict = "rounding only";
  set_metric(conv, "mse", finite_value(0.25));
  set_metric(conv, "cosine", finite_value(0.75));
  set_metric(conv, "sqnr", infinite_value());
  set_metric(conv, "atol", finite_value(2, 3));
  conv.reference_statistics = {-1, 2, 0.5, 1.5, 4, 1, 7, 2};
  conv.per_record = {conv.metrics};
  conv.per_channel = {conv.metrics, conv.metrics};

  result.maps.push_back(pair(identity(0, 1, 0, 2, "left", "SPLIT"), DType::kInt8, {0.5F}));
  set_metric(result.maps.back(), "mse", finite_value(0.5));
  set_metric(result.maps.back(), "sqnr", finite_value(30));
  result.maps.push_back(pair(identity(0, 1, 1, 3, "right", "SPLIT"), DType::kInt8, {0.5F}));
  set_metric(result.maps.back(), "mse", finite_value(1));
  set_metric(result.maps.back(), "sqnr", finite_value(20));
  result.maps.push_back(pair(identity(0, 2, 0, 4, "best", "ARG_MAX"), DType::kInt64, {}));
  result.maps.back().integer = true;
  result.maps.back().differing_share = 0.125;
  result.maps.back().metrics.clear();
  result.maps.push_back(pair(identity(1, 0, 0, 0, "body", "ADD"), DType::kFloat32, {}));
  result.maps.back().not_compared = "shapes [2] and [3] differ";
  result.maps.back().metrics.clear();
  result.outputs = {3, 4};

  result.graph.subgraphs = {"main", ""};
  result.graph.nodes.pop_back();
  result.graph.nodes.push_back({GraphNode::Kind::kOperator, 0, 1, "SPLIT", {"left", "right"}, {1}});
  result.graph.nodes.push_back({GraphNode::Kind::kOperator, 0, 2, "ARG_MAX", {"best"}, {2}});
  result.graph.nodes.push_back({GraphNode::Kind::kOutput, 0, 0, "OUTPUT", {"right"}, {2}});
  result.graph.nodes.push_back({GraphNode::Kind::kOutput, 0, 1, "OUTPUT", {"best"}, {3}});
  result.graph.nodes.push_back({GraphNode::Kind::kOperator, 1, 0, "ADD", {"body"}, {}});

  result.anomalies.push_back({result.maps[1].reference, "non-finite", 1, 0, 7});
  result.anomalies.push_back({result.maps[1].reference, "scale too large", 8, 16, -1});
  result.match.by_name = 5;
  result.match.by_structure = 1;
  result.match.unpaired.push_back({false, identity(0, 0, 0, 9, "in_int8", "QUANTIZE"), "QUANTIZE inserted"});
  result.match.warnings.push_back("the weights have nothing in common");
  result.not_computed.push_back({"chain.tflite", identity(0, 3, 0, 5, "flex", "FlexFoo"), "no such operator"});
  return result;
}

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names = {"quote\"apostrophe'",
                                                 "back\\slash\\",
                                                 "line\nbreak\r\ttab",
                                                 "<b>bold</b>&amp;&#65;{|}",
                                                 std::string("nul\0byte", 8),
                                                 "escape\x1b[31mred",
                                                 "broken\xff\xc3(utf8\xed\xa0\x80",
                                                 "broken\xfe\xc3(utf8\xed\xa0\x80",
                                                 "=SUM(A1:A9),\"x\"",
                                                 "\\N\\G\\l",
                                                 "\xe2\x80\xae turned",
                                                 "",
                                                 "node"};
  return names;
}

}  // namespace visq::testing
