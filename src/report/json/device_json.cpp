#include "report/json/device_json.h"

#include "core/as_size.h"
#include "report/json/json_parts.h"

namespace visq::report {
namespace {

Json json_difference(const StepDifference& difference) {
  Json out;
  out["elements"] = difference.elements;
  out["differing"] = difference.differing;
  out["beyond"] = difference.beyond;
  out["largest"] = json_number(difference.largest);
  out["record"] = difference.record >= 0 ? Json(difference.record) : Json(nullptr);
  out["element"] = difference.element >= 0 ? Json(difference.element) : Json(nullptr);
  out["offset"] = json_number(difference.offset);
  out["offset_share"] = json_number(difference.offset_share);
  return out;
}

}  // namespace

Json json_device(const DeviceReport& report) {
  Json out;
  out["first"] = report.first >= 0 ? json_string(report.maps[as_size(report.first)].name) : Json(nullptr);
  out["maps"] = Json::array();
  for (const DeviceMap& map : report.maps) {
    Json entry;
    entry["node"] = map.node >= 0 ? Json(map.node) : Json(nullptr);
    entry["tensor"] = map.tensor;
    entry["name"] = json_string(map.name);
    entry["op"] = json_string(map.op);
    entry["step"] = json_number(map.step);
    entry["whole"] = json_difference(map.whole);
    entry["own"] = map.own.elements > 0 ? json_difference(map.own) : Json(nullptr);
    entry["unseen"] = Json::array();
    for (const std::string& name : map.unseen) entry["unseen"].push_back(json_string(name));
    entry["fault"] = map.fault.empty() ? Json(nullptr) : Json(map.fault);
    out["maps"].push_back(std::move(entry));
  }
  out["remarks"] = Json::array();
  for (const std::string& remark : report.remarks) out["remarks"].push_back(json_string(remark));
  return out;
}

}  // namespace visq::report
