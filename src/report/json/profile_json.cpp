// profile's result JSON: visq.profile/1.
#include "report/json/json_parts.h"
#include "visq/report/profile.h"

namespace visq::report {
namespace {

Json json_shape(const Shape& shape) { return std::vector<std::int64_t>(shape.dims().begin(), shape.dims().end()); }

Json json_statistics(const ValueStatistics& values) {
  const bool any = values.count > 0;
  const auto number = [&](double value) { return any ? json_number(value) : Json(nullptr); };
  Json json;
  json["count"] = values.count;
  json["non_finite"] = values.non_finite;
  json["min"] = number(values.min);
  json["max"] = number(values.max);
  json["mean"] = number(values.mean);
  json["var"] = number(values.variance);
  json["std"] = number(values.deviation());
  return json;
}

Json json_tensor(const TensorProfile& tensor) {
  Json json = json_quantized(tensor.map);
  if (tensor.constant) json["index"] = nullptr, json["op"] = nullptr;
  json["constant"] = tensor.constant;
  json["shape"] = json_shape(tensor.shape);
  json["statistics"] = json_statistics(tensor.values);
  json["quantiles"] = Json::array();
  for (const Quantile& quantile : tensor.quantiles) {
    json["quantiles"].push_back({{"share", quantile.share}, {"value", json_number(quantile.value)}});
  }
  json["histogram"] = json_histogram(tensor.histogram);
  if (!tensor.channels.empty()) {
    json["channel_axis"] = tensor.channel_axis;
    json["channels"] = Json::array();
    for (const ValueStatistics& channel : tensor.channels) json["channels"].push_back(json_statistics(channel));
  }
  return json;
}

Json json_time(const OperatorTime& time) {
  Json json;
  json["subgraph"] = time.map.subgraph;
  json["node"] = time.node;
  json["op"] = json_string(time.map.op);
  json["name"] = json_string(time.map.name);
  json["median_seconds"] = json_number(time.median_seconds);
  json["min_seconds"] = json_number(time.min_seconds);
  json["turns"] = json_number(time.turns);
  json["macs"] = time.macs ? Json(*time.macs) : Json(nullptr);
  json["bytes"] = time.bytes;
  return json;
}

Json json_profile(const ModelProfile& profile) {
  Json json = json_model(profile.model);
  json["mode"] = name(profile.mode);
  json["tensors"] = Json::array();
  for (const TensorProfile& tensor : profile.tensors) json["tensors"].push_back(json_tensor(tensor));
  json["rows"] = Json::array();
  for (const ProfileRow& row : profile.rows) {
    json["rows"].push_back({{"node", row.node}, {"op", json_string(row.op)}, {"attribute", row.attribute}, {"tensor", row.tensor}});
  }
  json["timed_runs"] = profile.timed_runs;
  json["times"] = Json::array();
  for (const OperatorTime& time : profile.times) json["times"].push_back(json_time(time));
  json["not_computed"] = Json::array();
  for (const NotComputed& each : profile.not_computed) {
    json["not_computed"].push_back({{"subgraph", each.map.subgraph}, {"node", each.map.node}, {"reason", json_string(each.reason)}});
  }
  return json;
}

Json json_weight(const WeightProfile& weight) {
  Json json;
  json["node"] = weight.reference.node;
  json["op"] = json_string(weight.reference.op);
  json["quantized_node"] = weight.quantized.node;
  json["attribute"] = weight.attribute;
  json["name"] = json_string(weight.reference_name);
  json["quantized_name"] = json_string(weight.quantized_name);
  json["dtype"] = name(weight.reference_dtype);
  json["quantized_dtype"] = name(weight.quantized_dtype);
  json["statistics"] = json_statistics(weight.reference_values);
  json["quantized_statistics"] = json_statistics(weight.quantized_values);
  json["mse"] = json_number(weight.mse);
  json["sqnr"] = json_number(weight.sqnr);
  return json;
}

}  // namespace

std::string profile_json(const ProfileResult& result) {
  Json json;
  json["schema"] = "visq.profile/1";
  json["data"] = json_data(result);
  json["models"] = Json::array();
  for (const ModelProfile& model : result.models) json["models"].push_back(json_profile(model));
  json["weights"] = Json::array();
  for (const WeightProfile& weight : result.weights) json["weights"].push_back(json_weight(weight));
  return json_text(json);
}

}  // namespace visq::report
