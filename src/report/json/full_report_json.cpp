#include "visq/report/full_report.h"

#include "report/json/json_text.h"
#include "visq/report/accumulate.h"
#include "visq/report/diagnose.h"
#include "visq/report/partial.h"
#include "visq/report/sensitivity.h"

namespace visq::report {
namespace {

Json document(const std::string& text) { return Json::parse(text, nullptr, /*allow_exceptions=*/false); }

template <class Part>
Json document_of(const std::optional<Part>& part, std::string (*write)(const Part&)) {
  return part ? document(write(*part)) : Json(nullptr);
}

Json strings(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(json_string(text));
  return out;
}

}  // namespace

std::string full_report_json(const FullReport& report) {
  Json json;
  json["schema"] = "visq.report/1";
  json["compare"] = document(result_json(report.comparison));
  json["diagnose"] = document_of(report.diagnosis, diagnose_json);
  json["sensitivity"] = document_of(report.sensitivity, sensitivity_json);
  json["accumulate"] = document_of(report.accumulation, accumulate_json);
  json["partial"] = document_of(report.partial, partial_json);
  json["others"] = Json::array();
  for (const RecipeReport& other : report.others) json["others"].push_back(document(result_json(other.comparison)));
  json["missing"] = strings(report.missing);
  json["left_out"] = strings(report.left_out);
  return json_text(json);
}

}  // namespace visq::report
