// distribution's result JSON: visq.distribution/1.
#include "report/json/json_parts.h"
#include "visq/report/distribution.h"

namespace visq::report {
namespace {

Json json_values(const ValueHistogram& values) {
  Json json = json_histogram(values.histogram);
  json["max_abs"] = json_number(values.largest);
  return json;
}

Json json_box(const BoxPlot& box) {
  Json json;
  json["channels"] = {box.first_channel, box.last_channel};
  json["count"] = box.count;
  json["whiskers"] = {json_number(box.lower_whisker), json_number(box.upper_whisker)};
  json["quartiles"] = {json_number(box.lower_quartile), json_number(box.median), json_number(box.upper_quartile)};
  json["mean"] = json_number(box.mean);
  json["largest_outlier"] = box.outliers.empty() ? Json(nullptr) : json_number(box.largest_outlier);
  return json;
}

Json json_distribution(const Distribution& each) {
  Json json;
  json["kind"] = each.kind == Distribution::Kind::kWeight ? "weight" : "activation";
  json["subgraph"] = each.reference.subgraph;
  json["node"] = each.reference.node;
  json["op"] = json_string(each.reference.op);
  json["name"] = json_string(each.reference_tensor);
  add_display(json, each.reference.display);
  json["quantized_name"] = json_string(each.quantized_tensor);
  json["quantized_node"] = each.quantized.node;
  json["dtype"] = name(each.quantized_dtype);
  json["shape"] = std::vector<std::int64_t>(each.shape.dims().begin(), each.shape.dims().end());
  json["scale"] = json_scales(each.scale);
  json["lowest"] = json_optional(each.lowest);
  json["highest"] = json_optional(each.highest);
  json["smallest"] = json_number(each.smallest);
  json["greatest"] = json_number(each.greatest);
  json["values"] = each.values;
  json["below"] = each.below;
  json["above"] = each.above;
  json["sqnr"] = json_number(each.sqnr);
  json["reference"] = json_values(each.before);
  json["quantized"] = json_values(each.after);
  json["difference"] = json_values(each.difference);
  json["axis"] = each.boxes.empty() ? Json(nullptr) : Json(each.axis);
  json["boxes"] = Json::array();
  for (const BoxPlot& box : each.boxes) json["boxes"].push_back(json_box(box));
  return json;
}

}  // namespace

std::string distribution_json(const DistributionResult& result) {
  Json json;
  json["schema"] = "visq.distribution/1";
  add_run_with_modes(json, result);
  json["distributions"] = Json::array();
  for (const Distribution& each : result.distributions) json["distributions"].push_back(json_distribution(each));
  return json_text(json);
}

}  // namespace visq::report
