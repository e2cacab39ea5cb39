// diff as JSON: see schema/diff.schema.json for the meaning of every key.
#include "core/as_size.h"
#include "report/json/json_parts.h"
#include "visq/report/diff.h"

namespace visq::report {
namespace {

Json side(const StoredResult& stored) {
  Json out;
  out["file"] = json_string(stored.path);
  out["models"] = json_models(stored);
  out["data"] = json_string(stored.data);
  return out;
}

/// A number, or in words why there is none.
Json value(const MetricValue& value) {
  if (value.state == MetricValue::State::kFinite) return json_number(value.value);
  return value.state == MetricValue::State::kInfinite ? "inf" : "undefined";
}

Json difference(const Difference& each) {
  Json out;
  out["output"] = each.output;
  out["subgraph"] = each.map.subgraph;
  out["index"] = each.map.index;
  out["name"] = json_string(each.map.name);
  add_display(out, each.map.display);
  out["op"] = json_string(each.map.op);
  out["metric"] = diff_metrics()[as_size(each.metric)].name;
  out["old"] = value(each.before);
  out["new"] = value(each.after);
  out["change"] = each.change == Change::kWorse ? "worse" : "better";
  out["relative"] = json_number(each.relative);
  return out;
}

Json own_tolerances(const Tolerance& tolerance) {
  Json out = Json::object();
  for (const auto& [index, allowance] : tolerance.own) {
    out[std::string(diff_metrics()[as_size(index)].name)] = {{allowance.absolute ? "absolute" : "share", json_number(allowance.amount)}};
  }
  return out;
}

Json names(const std::vector<std::string>& list) {
  Json out = Json::array();
  for (const std::string& name : list) out.push_back(json_string(name));
  return out;
}

}  // namespace

std::string diff_json(const DiffResult& result) {
  Json document;
  document["schema"] = "visq.diff/1";
  document["old"] = side(result.before);
  document["new"] = side(result.after);
  document["tolerance"] = json_number(result.tolerance.share);
  document["tolerances"] = own_tolerances(result.tolerance);
  document["nodes"] = {{"compared", result.nodes}, {"worse", result.nodes_worse}, {"better", result.nodes_better}};
  Json differences = Json::array();
  for (const Difference& each : result.differences) differences.push_back(difference(each));
  document["differences"] = std::move(differences);
  document["only_old"] = names(result.only_before);
  document["only_new"] = names(result.only_after);
  return json_text(document);
}

}  // namespace visq::report
