#include "report/json/json_parts.h"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "report/words/base64.h"

namespace visq::report {

Json json_model(const ModelIdentity& identity) {
  Json out;
  out["file"] = json_string(identity.path);
  out["sha256"] = identity.sha256.hex();
  if (!identity.signature.empty()) out["signature"] = json_string(identity.signature);
  return out;
}

Json json_models(const PairIdentity& pair) {
  return {{"reference", json_model(pair.reference)}, {"quantized", json_model(pair.quantized)}};
}

Json json_data(const RunIdentity& run) {
  Json json = {{"file", json_string(run.data)}, {"records", {run.records.first, run.records.last}}};
  const SequenceIdentity& sequence = run.sequence;
  if (sequence == SequenceIdentity()) return json;
  Json& out = json["sequence"];
  out["feed_back"] = Json::array();
  for (const std::string& link : sequence.feed_back) out["feed_back"].push_back(json_string(link));
  out["state"] = sequence.state_file.empty() ? Json(nullptr) : json_string(sequence.state_file);
  out["length"] = sequence.length > 0 ? Json(sequence.length) : Json(nullptr);
  return json;
}

void add_run(Json& document, const PairIdentity& pair) {
  document["models"] = json_models(pair);
  document["data"] = json_data(pair);
}

void add_run_with_modes(Json& document, const PairIdentity& pair) {
  add_run(document, pair);
  document["modes"] = {name(pair.reference_mode), name(pair.quantized_mode)};
}

Json json_optional(const std::optional<double>& value) { return value ? json_number(*value) : Json(nullptr); }

Json json_histogram(const Histogram& histogram) {
  Json json;
  json["low"] = json_number(histogram.low);
  json["high"] = json_number(histogram.high);
  json["counts"] = Json::array();
  for (const double count : histogram.counts) json["counts"].push_back(json_number(count));
  return json;
}

Json json_scales(const std::vector<float>& scales) {
  Json out = Json::array();
  for (const float value : scales) out.push_back(std::isfinite(value) ? json_number(std::stod(fmt::format("{}", value))) : Json(nullptr));
  return out;
}

void add_metrics(Json& out, const std::vector<Metric>& metrics, const std::vector<MetricValue>& values) {
  Json numbers = Json::object(), state = Json::object(), record = Json::object();
  for (std::size_t i = 0; i < values.size() && i < metrics.size(); ++i) {
    const std::string name(metric_info(metrics[i]).name);
    const bool finite = values[i].state == MetricValue::State::kFinite;
    if (metric_info(metrics[i]).outputs_only && values[i].state == MetricValue::State::kUndefined) continue;
    numbers[name] = finite ? json_number(values[i].value) : Json(nullptr);
    if (!finite) state[name] = values[i].state == MetricValue::State::kInfinite ? "inf" : "undefined";
    if (finite && values[i].record >= 0) record[name] = values[i].record;
  }
  out["metrics"] = std::move(numbers);
  out["state"] = std::move(state);
  if (!record.empty()) out["record"] = std::move(record);
}

void add_whole_sqnr(Json& out, const WholeSqnr& whole, std::size_t i) {
  if (i < whole.outputs.size()) out["whole"] = {{"records", whole.records}, {"sqnr", json_number(whole.outputs[i])}};
}

Json json_judgement(const Judgement& judgement) { return {{"records", judgement.records}, {"unseen", judgement.unseen}}; }

Json json_accuracy(const Accuracy& values) {
  const ScoreInfo& score = score_info(values.score);
  const auto both = [&](const ModelScore& side) {
    return Json{{std::string(score.key), side.main}, {std::string(score.second_key), side.second}};
  };
  Json out;
  if (!values.program.empty()) {
    return {{"program", json_string(values.program)},
            {"records", values.records},
            {"reference", json_number(values.reference.main)},
            {"quantized", json_number(values.quantized.main)},
            {"ratio", json_number(values.ratio())},
            {"drop", json_number(values.drop())}};
  }
  out["score"] = score.key;
  out["output"] = json_string(values.output);
  out["records"] = values.records;
  out["classes"] = values.classes;
  out["reference"] = both(values.reference);
  out["quantized"] = both(values.quantized);
  out["ratio"] = json_number(values.ratio());
  out["drop"] = json_number(values.drop());
  return out;
}

void add_display(Json& out, const std::string& display) {
  if (!display.empty()) out["display"] = json_string(display);
}

void add_identity(Json& out, const MapIdentity& map) {
  out["subgraph"] = map.subgraph;
  out["index"] = map.node;
  out["output"] = map.output;
  out["tensor"] = map.tensor;
  out["name"] = json_string(map.name);
  add_display(out, map.display);
  out["op"] = json_string(map.op);
}

Json json_gaps(const std::vector<SensitivityGap>& gaps) {
  Json out = Json::array();
  for (const SensitivityGap& gap : gaps) {
    out.push_back({{"index", gap.map.node},
                   {"name", json_string(gap.map.name)},
                   {"op", json_string(gap.map.op)},
                   {"reason", json_string(gap.reason)}});
    add_display(out.back(), gap.map.display);
  }
  return out;
}

Json json_quantized(const MapIdentity& map) {
  Json out;
  add_identity(out, map);
  out["dtype"] = name(map.dtype);
  out["scale"] = json_scales(map.scale);
  out["zero_point"] = map.zero_point;
  if (map.scale.size() > 1) out["quantized_dimension"] = map.quantized_dimension;
  return out;
}

Json json_sums(const RecordSums& sums, const std::vector<Metric>& metrics) {
  const auto names = [](const std::vector<std::string>& list) {
    Json out = Json::array();
    for (const std::string& name : list) out.push_back(json_string(name));
    return out;
  };
  Json out;
  out["metrics"] = Json::array();
  for (const Metric metric : metrics) out["metrics"].push_back(metric_info(metric).name);
  out["nodes"] = names(sums.nodes);
  out["ops"] = names(sums.ops);
  out["modes_given"] = sums.modes_given;
  out["per_channel"] = sums.per_channel;
  out["origin"] = sums.origin;
  out["max_scale"] = sums.max_scale;
  out["pairs"] = Json::array();
  for (const PairRule& pair : sums.pairs) {
    out["pairs"].push_back({{"reference", pair.reference},
                            {"quantized", pair.quantized},
                            {"by", name(pair.by)},
                            {"correlation", json_number(pair.correlation)},
                            {"doubtful", pair.doubtful}});
  }
  out["records"] = Json::array();
  for (const std::string& record : sums.records) out["records"].push_back(base64(record));
  return out;
}

}  // namespace visq::report
