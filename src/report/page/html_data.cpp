#include "report/page/html_data.h"

#include <fmt/core.h>

#include <map>
#include <tuple>

#include "report/json/tokens_json.h"
#include "report/page/html_analyses.h"
#include "report/page/html_graph.h"
#include "report/words/match_text.h"
#include "report/words/palette.h"
#include "report/words/text.h"
#include "report/words/verdict_text.h"
#include "report/words/view.h"

namespace visq::report {
namespace {

/// Names in the verdict may be as long as a line of the page.
constexpr std::size_t kVerdictName = 60;

/// Without folders, so that the page does not depend on where things lie.
std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// A colour and the values it stands for; where the comparison comes from a visq.json file, as that file has it.
Json json_metrics(const FullReport& report) {
  const CompareResult& result = report.comparison;
  Json out = Json::array();
  for (const Metric metric : result.metrics) {
    const MetricInfo& info = metric_info(metric);
    Json bins = Json::array();
    for (const VisqFile::Bin& bin :
         report.picture ? report.picture->bins : color_bins(info, finite_values(result, metric), report.colors)) {
      bins.push_back({{"begin", bin.begin}, {"end", bin.end}, {"color", bin.color}, {"text", text_color(bin.color)}});
    }
    out.push_back({{"name", info.name},
                   {"label", report.picture ? json_string(report.picture->metric) : Json(info.label)},
                   {"higher", info.better == Direction::kHigherIsBetter},
                   {"formula", report.picture ? Json("") : Json(info.formula)},
                   {"bins", std::move(bins)}});
  }
  return out;
}

Json json_model_facts(const ModelIdentity& identity, const std::optional<Inspection>& inspection, Mode mode) {
  Json out{{"file", json_string(base_name(identity.path))}, {"sha256", identity.sha256.hex()}, {"mode", name(mode)}};
  if (!identity.signature.empty()) out["signature"] = json_string(identity.signature);
  if (!inspection) return out;
  out["operators"] = inspection->operators;
  out["macs"] = inspection->macs;
  out["parameters"] = inspection->parameters.elements;
  out["bytes"] = inspection->file_bytes;
  out["quantization"] = json_string(inspection->quantization);
  return out;
}

/// The answer before the numbers: how the pair does, what that rests on, and where it breaks first. Null where nothing says.
Json json_verdict(const CompareResult& result) {
  const PairVerdict verdict = pair_verdict(result);
  Json remarks = Json::array();
  for (const std::string& remark : comparison_remarks(result)) remarks.push_back(json_string(remark));
  if (verdict.basis == VerdictBasis::kNothing) return {{"health", name(Health::kUnknown)}, {"text", ""}, {"remarks", std::move(remarks)}};
  const std::vector<std::string> lines = verdict_lines(result, verdict, kVerdictName);
  const std::string_view health = name(verdict.health);
  const std::size_t behind_health = health.size() + std::string_view(". ").size();
  Json out{{"health", health}, {"text", json_string(lines.front().substr(behind_health))}, {"remarks", std::move(remarks)}};
  if (verdict.first_node >= 0) out["first"] = verdict.first_node;
  if (lines.size() > 1) out["first_text"] = json_string(lines.back());
  return out;
}

Json json_statistics(const MapStatistics& values) {
  return {json_short(values.min), json_short(values.max), json_short(values.mean), json_short(values.rms), values.non_finite};
}

Json json_quantization(const MapIdentity& map) {
  Json out;
  out["dtype"] = name(map.dtype);
  out["scale"] = scale_text(map.scale);
  out["axis"] = map.scale.size() > 1 ? Json(map.quantized_dimension) : Json(nullptr);
  out["zero_point"] = map.zero_point.size() == 1 ? Json(map.zero_point.front()) : Json(nullptr);
  return out;
}

/// The three errors in the map's units and in roundings, then what created error is made of, and this map's share of the outputs' error.
Json json_origin(const ErrorOrigin& origin) {
  Json out{{"gap", json_string(origin.not_computed)},
           {"errors", {json_short(origin.errors.accumulated), json_short(origin.errors.created), json_short(origin.errors.inherited)}},
           {"created",
            {json_short(origin.weight_rounding), json_short(origin.inner_rounding), json_short(origin.output_rounding),
             json_short(origin.output_clipping)}},
           {"share", json_short(origin.measured_share.value_or(origin.output_share))},
           {"measured", origin.measured_share.has_value()}};
  if (origin.in_roundings) {
    const ThreeErrors& rounded = *origin.in_roundings;
    out["roundings"] = {json_short(rounded.accumulated), json_short(rounded.created), json_short(rounded.inherited)};
  }
  return out;
}

Json json_accuracy(const Accuracy& accuracy) {
  const ScoreInfo& score = score_info(accuracy.score);
  return {{"output", json_string(accuracy.output)},
          {"program", json_string(accuracy.program)},
          {"records", accuracy.records},
          {"classes", accuracy.classes},
          {"titles", {json_string(std::string(score.title)), json_string(std::string(score.second_title))}},
          {"main", {json_short(accuracy.reference.main), json_short(accuracy.quantized.main)}},
          {"second", {json_short(accuracy.reference.second), json_short(accuracy.quantized.second)}},
          {"ratio", json_short(accuracy.ratio())},
          {"drop", json_short(accuracy.drop())}};
}

Json json_map(const MapComparison& map, const Places& places) {
  Json out;
  out["place"] = place(map.reference);
  out["name"] = json_string(map.reference.name);
  out["display"] = json_string(shown_name(map.reference));
  out["op"] = json_string(map.reference.op);
  out["node"] = places.node(map.reference);
  out["twin"] = places.twin(map.quantized);
  if (map.quantized.name != map.reference.name) out["quantized_name"] = json_string(map.quantized.name);
  if (map.quantized.op != map.reference.op) out["quantized_op"] = json_string(map.quantized.op);
  out["quantized_place"] = place(map.quantized);
  if (map.paired_by != PairedBy::kName) out["paired_by"] = evidence_text(map);
  out["shape"] = compact(map.shape);
  out.update(json_quantization(map.quantized));
  out["metrics"] = metric_values(map.metrics);
  out["verdict"] = json_string(remark(map));
  if (map.integer) out["differing"] = json_short(map.differing_share);
  if (map.origin) out["origin"] = json_origin(*map.origin);
  if (!map.not_compared.empty()) return out;
  out["saturated"] = json_short(map.saturated_share);
  out["reference"] = json_statistics(map.reference_statistics);
  out["quantized"] = json_statistics(map.quantized_statistics);
  return out;
}

Json json_anomalies(const CompareResult& result, const Places& places) {
  Json out = Json::array();
  for (const Anomaly& anomaly : result.anomalies) {
    out.push_back({{"name", json_string(anomaly.map.name)},
                   {"map", places.map(anomaly.map)},
                   {"kind", json_string(anomaly.kind)},
                   {"value", json_short(anomaly.value)},
                   {"limit", json_short(anomaly.limit)}});
  }
  return out;
}

Json json_match(const CompareResult& result) {
  Json unpaired = Json::array(), warnings = Json::array(), gaps = Json::array();
  for (const Unpaired& each : result.match.unpaired) {
    unpaired.push_back({each.in_reference ? "reference" : "quantized", place(each.map), json_string(shown_name(each.map)),
                        json_string(each.map.op), json_string(each.reason)});
  }
  Json doubtful = Json::array();
  for (const DoubtfulPair& each : result.match.doubtful) {
    doubtful.push_back({place(each.reference), json_string(shown_name(each.reference)), place(each.quantized),
                        json_string(shown_name(each.quantized)), fmt::format("{:.3f}", each.correlation)});
  }
  for (const std::string& warning : result.match.warnings) warnings.push_back(json_string(warning));
  for (const NotComputed& gap : result.not_computed) {
    gaps.push_back({json_string(base_name(gap.model)), place(gap.map), json_string(shown_name(gap.map)), json_string(gap.map.op),
                    json_string(gap.reason)});
  }
  return {{"by_name", result.match.by_name}, {"by_structure", result.match.by_structure}, {"by_weights", result.match.by_weights},
          {"by_maps", result.match.by_maps}, {"by_user", result.match.by_user},           {"doubtful", std::move(doubtful)},
          {"unpaired", std::move(unpaired)}, {"warnings", std::move(warnings)},           {"not_computed", std::move(gaps)}};
}

/// A recipe in a line, and the SQNR of every map of `base` under it.
Json json_recipe(const CompareResult& result, const std::optional<Inspection>& model, const CompareResult& base) {
  Json out{{"model", json_model_facts(result.quantized, model, result.quantized_mode)},
           {"verdict", json_verdict(result)},
           {"accuracy", result.accuracy ? json_accuracy(*result.accuracy) : Json(nullptr)}};
  std::map<std::tuple<int, int, int>, const MapComparison*> by_place;
  for (const MapComparison& map : result.maps) by_place[{map.reference.subgraph, map.reference.node, map.reference.output}] = &map;
  const Metric sqnr = metric_named("sqnr");
  Json values = Json::array();
  for (const MapComparison& map : base.maps) {
    const auto found = by_place.find({map.reference.subgraph, map.reference.node, map.reference.output});
    values.push_back(found == by_place.end() ? Json(nullptr) : metric_value(value_of(result, *found->second, sqnr)));
  }
  out["sqnr"] = std::move(values);
  return out;
}

/// All recipes, the one of the comparison first; none where it is the only one.
Json json_recipes(const FullReport& report) {
  Json out = Json::array();
  if (report.others.empty()) return out;
  out.push_back(json_recipe(report.comparison, report.quantized, report.comparison));
  for (const RecipeReport& other : report.others) out.push_back(json_recipe(other.comparison, other.model, report.comparison));
  return out;
}

}  // namespace

Json html_data(const FullReport& report) {
  const CompareResult& result = report.comparison;
  const Places places(result);
  const auto texts = [](const std::vector<std::string>& list) {
    Json out = Json::array();
    for (const std::string& text : list) out.push_back(json_string(text));
    return out;
  };
  Json maps = Json::array(), processed = Json::array();
  for (const MapComparison& map : result.maps) maps.push_back(json_map(map, places));
  for (const MapComparison& map : result.processed) processed.push_back(metric_values(map.metrics));
  Json out;
  out["title"] = json_string(report.title);
  out["version"] = report.version;
  out["command"] = json_string(report.command);
  out["next"] = json_string(report.next);
  out["verdict"] = report.picture ? Json(nullptr) : json_verdict(result);
  out["models"] = {{"reference", json_model_facts(result.reference, report.reference, result.reference_mode)},
                   {"quantized", json_model_facts(result.quantized, report.quantized, result.quantized_mode)}};
  out["data"] = json_string(base_name(result.data));
  out["records"] = result.records.last - result.records.first;
  out["picture"] = report.picture ? json_string(base_name(report.picture->path)) : Json(nullptr);
  out["metrics"] = json_metrics(report);
  out["maps"] = std::move(maps);
  out["outputs"] = result.outputs;
  out["post"] = name(result.post);
  out["processed"] = std::move(processed);
  out["accuracy"] = result.accuracy ? json_accuracy(*result.accuracy) : Json(nullptr);
  if (result.tokens && !result.tokens->output.empty()) out["tokens"] = json_token_totals(*result.tokens);
  out["anomalies"] = json_anomalies(result, places);
  out["match"] = json_match(result);
  out["diagnosis"] = report.diagnosis ? json_diagnosis(*report.diagnosis, places) : Json(nullptr);
  out["sensitivity"] = report.sensitivity ? json_sensitivity(*report.sensitivity, places) : Json(nullptr);
  out["weights"] = json_weights(report.weights, places);
  out["accumulation"] = report.accumulation ? json_accumulation(*report.accumulation, places) : Json(nullptr);
  out["partial"] = report.partial ? json_partial(*report.partial, places) : Json(nullptr);
  out["distributions"] = report.distribution ? json_distributions(*report.distribution, places) : Json(nullptr);
  out["operators"] = json_operators(report, places);
  out["top"] = report.top;
  out["missing"] = texts(report.missing);
  out["left_out"] = texts(report.left_out);
  out["recipes"] = json_recipes(report);
  out["graph"] = html_graph(result.graph);
  out["quantized_graph"] = result.quantized_graph.nodes.empty() ? Json(nullptr) : html_graph(result.quantized_graph);
  return out;
}

}  // namespace visq::report
