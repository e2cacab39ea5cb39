#include "report/json/compare_file.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "report/json/json_file.h"
#include "report/words/text.h"

namespace visq::report {
namespace {

std::string text(const PlainJson* value) { return value != nullptr && value->is_string() ? value->get<std::string>() : ""; }

ModelIdentity model(const PlainJson* value) {
  ModelIdentity identity;
  identity.path = text(member(value, "file"));
  identity.sha256 = text(member(value, "sha256"));
  return identity;
}

Result<int> small(const PlainJson& entry, const char* key, const std::string& where) {
  const PlainJson* value = member(&entry, key);
  const bool whole = value != nullptr && value->is_number_integer();
  if (!whole || *value < -1 || *value > std::numeric_limits<int>::max()) return bad_input("{}.{}' is not an index", where, key);
  return value->get<int>();
}

/// A number; null means what "state" says of it.
Result<MetricValue> metric_value(const PlainJson& number, const PlainJson* state, const std::string& where) {
  if (number.is_number()) return MetricValue{MetricValue::State::kFinite, number.get<double>(), -1};
  if (!number.is_null()) return bad_input("{}' is neither a number nor null", where);
  return MetricValue{text(state) == "inf" ? MetricValue::State::kInfinite : MetricValue::State::kUndefined, 0, -1};
}

Status read_values(const PlainJson& entry, const std::string& where, StoredMap& map) {
  const PlainJson *metrics = member(&entry, "metrics"), *states = member(&entry, "state"), *share = member(&entry, "differing_share");
  if (metrics == nullptr || !metrics->is_object()) return bad_input("{}.metrics' is not an object", where);
  map.values.resize(diff_metrics().size());
  for (const auto& [name, number] : metrics->items()) {
    const int metric = metric_index(name);
    if (metric < 0) continue;  // of a later version
    VISQ_ASSIGN(map.values[static_cast<std::size_t>(metric)],
                metric_value(number, member(states, name.c_str()), where + ".metrics." + name));
  }
  if (share != nullptr) {
    VISQ_ASSIGN(map.values[all_metrics().size()], metric_value(*share, nullptr, where + ".differing_share"));
  }
  return {};
}

Result<StoredMap> read_map(const PlainJson& entry, const std::string& where) {
  StoredMap map;
  const PlainJson *name = member(&entry, "name"), *subgraph = member(&entry, "subgraph");
  if (name == nullptr || !name->is_string()) return bad_input("{}.name' is not a string", where);
  map.name = name->get<std::string>();
  map.op = text(member(&entry, "op"));
  if (subgraph != nullptr) {
    VISQ_ASSIGN(map.subgraph, small(entry, "subgraph", where));
  }
  if (member(&entry, "index") != nullptr) {
    VISQ_ASSIGN(map.index, small(entry, "index", where));
  }
  VISQ_TRY(read_values(entry, where, map));
  return map;
}

Result<std::vector<StoredMap>> read_maps(const PlainJson& document, const char* key, const std::string& path) {
  const PlainJson* list = member(&document, key);
  if (list == nullptr || !list->is_array()) return bad_input("{}: '{}' is not an array", path, key);
  std::vector<StoredMap> maps;
  for (const PlainJson& entry : *list) {
    VISQ_ASSIGN(maps.emplace_back(), read_map(entry, fmt::format("{}: '{}[{}]", path, key, maps.size())));
  }
  return maps;
}

/// What was asked for but has no value, where maps could not be compared, is undefined rather than not asked for.
void complete(const PlainJson& nodes, std::vector<StoredMap>& maps) {
  std::vector<bool> asked(diff_metrics().size());
  for (const StoredMap& map : maps) {
    for (std::size_t i = 0; i < all_metrics().size(); ++i) asked[i] = asked[i] || map.values[i].has_value();
  }
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (member(&nodes[i], "not_compared") == nullptr) continue;
    for (std::size_t metric = 0; metric < asked.size(); ++metric) {
      if (asked[metric] && !maps[i].values[metric]) maps[i].values[metric] = MetricValue{};
    }
  }
}

Status read_accuracy(const PlainJson& document, const std::string& path, StoredResult& result) {
  const PlainJson* accuracy = member(&document, "accuracy");
  if (accuracy == nullptr || accuracy->is_null()) return {};
  const PlainJson *output = member(accuracy, "output"), *drop = member(accuracy, "drop");
  if (drop == nullptr || !drop->is_number()) return bad_input("{}: 'accuracy' does not hold a number 'drop'", path);
  result.outputs.push_back(stored_accuracy(text(output), drop->get<double>()));
  return {};
}

}  // namespace

Result<StoredResult> read_compare_file(const std::string& path) {
  VISQ_ASSIGN(const PlainJson document, read_json(path));
  const PlainJson* schema = member(&document, "schema");
  if (schema == nullptr || *schema != "visq.compare/1") return bad_input("{}: is not a result of `visqerror compare`", path);
  StoredResult result;
  result.path = path;
  result.reference = model(member(member(&document, "models"), "reference"));
  result.quantized = model(member(member(&document, "models"), "quantized"));
  result.data = text(member(member(&document, "data"), "file"));
  const PlainJson* records = member(member(&document, "data"), "records");
  const auto is_count = [](const PlainJson& number) { return number.is_number_integer() && number >= 0 && number <= INT32_MAX; };
  if (records != nullptr && records->is_array() && records->size() == 2 && std::all_of(records->begin(), records->end(), is_count)) {
    result.records = {(*records)[0].get<std::int64_t>(), (*records)[1].get<std::int64_t>()};
  }
  VISQ_ASSIGN(result.nodes, read_maps(document, "nodes", path));
  VISQ_ASSIGN(result.outputs, read_maps(document, "outputs", path));
  complete(document["nodes"], result.nodes);
  VISQ_TRY(read_accuracy(document, path, result));
  return result;
}

StoredResult stored_as_written(const CompareResult& result) {
  StoredResult out = stored(result);
  for (auto* maps : {&out.nodes, &out.outputs}) {
    for (StoredMap& map : *maps) map.name = valid_utf8(map.name);
  }
  return out;
}

}  // namespace visq::report
