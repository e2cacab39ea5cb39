// diagnose's result JSON: visq.diagnose/1.
#include "report/json/json_parts.h"
#include "report/words/view.h"
#include "visq/report/diagnose.h"

namespace visq::report {
namespace {

Json json_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : json_string(text); }

/// A heading's anchor as Markdown viewers make it.
std::string anchor(std::string cause) {
  for (char& letter : cause) letter = static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  return cause;
}

Json json_values(const ValueEvidence& values) {
  Json json = json_histogram(values.histogram);
  json["what"] = json_string(values.what);
  json["range"] = {json_number(values.range_low), json_number(values.range_high)};
  return json;
}

Json json_finding(const Finding& finding) {
  Json json;
  json["tensor"] = json_or_null(finding.name);
  add_display(json, finding.display);
  json["reference_tensor"] = json_or_null(finding.reference_name);
  json["tensor_index"] = finding.tensor < 0 ? Json(nullptr) : Json(finding.tensor);
  json["node"] = finding.node < 0 ? Json(nullptr) : Json(finding.node);
  json["op"] = json_or_null(finding.op);
  json["cause"] = finding.cause;
  json["severity"] = finding.severity == Severity::kHint ? "info" : name(finding.severity);
  json["text"] = json_string(finding.text);
  json["evidence"] = Json::object();
  for (const auto& [what, value] : finding.evidence) json["evidence"][what] = json_number(value);
  json["histogram"] = finding.values ? json_values(*finding.values) : Json(nullptr);
  json["fix"] = json_or_null(finding.fix);
  json["configuration"] = json_or_null(finding.configuration);
  json["gain_db"] = finding.tried ? json_number(finding.gain_db) : Json(nullptr);
  json["promised"] = finding.tried && !finding.stands_in;
  json["then"] =
      finding.tried && finding.decisions > 0 ? Json{{"decisions", finding.decisions}, {"changed", finding.changed}} : Json(nullptr);
  json["mode"] = finding.tried ? Json(name(finding.mode)) : Json(nullptr);
  json["manual"] = "docs/causes.md#" + anchor(finding.cause);
  return json;
}

Json json_joint(const JointRepair& joint) {
  Json json = {{"causes", Json::array()}, {"sqnr", json_number(joint.sqnr)}, {"gain_db", json_number(joint.gain_db)}};
  for (const std::string& cause : joint.causes) json["causes"].push_back(cause);
  return json;
}

Json json_loss(const LayerLoss& loss) {
  Json json = {{"name", json_string(loss.name)},     {"mse", json_number(loss.mse)},   {"mse_threshold", json_number(loss.mse_limit)},
               {"cosine", json_number(loss.cosine)}, {"sqnr", json_number(loss.sqnr)}, {"degraded", loss.degraded}};
  add_display(json, loss.display);
  return json;
}

Json json_damage(const OutputDamage& damage) {
  return {{"harmless", damage.harmless()}, {"records", damage.records},         {"decisions", damage.decisions},
          {"changed", damage.changed},     {"fresh_state", damage.fresh_state}, {"sqnr", json_number(damage.sqnr)}};
}

}  // namespace

std::string diagnose_json(const DiagnoseResult& result) {
  Json json;
  json["schema"] = "visq.diagnose/1";
  add_run(json, result);
  json["mode"] = name(result.quantized_mode);
  json["judged"] = json_judgement(result.judgement);
  json["outputs"] = Json::array();
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    Json output = {{"name", json_string(result.outputs[i])}, {"sqnr", json_number(result.output_sqnr[i])}};
    add_display(output, shown_output(result, i));
    add_whole_sqnr(output, result.whole, i);
    json["outputs"].push_back(std::move(output));
  }
  json["damage"] = result.damage.records > 0 ? json_damage(result.damage) : Json(nullptr);
  json["accuracy"] = result.accuracy ? json_accuracy(*result.accuracy) : Json(nullptr);
  json["remarks"] = Json::array();
  for (const GlobalRemark& remark : result.remarks) json["remarks"].push_back({{"kind", remark.kind}, {"text", json_string(remark.text)}});
  json["measures"] = Json::array();
  for (const std::string& measure : result.measures) json["measures"].push_back(measure);
  json["findings"] = Json::array();
  for (const Finding& finding : result.findings) json["findings"].push_back(json_finding(finding));
  json["together"] = result.together ? json_joint(*result.together) : Json(nullptr);
  json["layers"] = Json::array();
  for (const LayerLoss& loss : result.losses) json["layers"].push_back(json_loss(loss));
  json["validation"] = Json::array();
  for (const LayerLoss& loss : result.validation) json["validation"].push_back(json_loss(loss));
  return json_text(json);
}

}  // namespace visq::report
