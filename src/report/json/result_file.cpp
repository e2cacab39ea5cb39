#include "visq/report/result_file.h"

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "report/json/json_file.h"
#include "report/words/base64.h"
#include "report/words/text.h"

namespace visq::report {
namespace {

constexpr std::string_view kCompare = "visq.compare/1", kBadcase = "visq.badcase/1";

std::string text(const PlainJson* value) { return value != nullptr && value->is_string() ? value->get<std::string>() : ""; }

std::string schema_of(const PlainJson& document) { return text(member(&document, "schema")); }

bool is_count(const PlainJson& number) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return number.is_number_integer() && number >= 0 && number <= kMost;
}

std::optional<Mode> mode_called(const std::string& text) {
  for (const Mode mode : {Mode::kFp32, Mode::kFakeQuant, Mode::kInteger}) {
    if (name(mode) == text) return mode;
  }
  return std::nullopt;
}

/// Reads what a result is of. What a file does not say stays open; fault() is the first such thing.
class IdentityReader {
 public:
  explicit IdentityReader(const PlainJson& document) {
    const PlainJson *models = member(&document, "models"), *data = member(&document, "data");
    identity_.reference = model(member(models, "reference"), "models.reference");
    identity_.quantized = model(member(models, "quantized"), "models.quantized");
    identity_.data = string(data, "file", "data.file");
    records(member(data, "records"));
    if (const PlainJson* sequence = member(data, "sequence"); sequence != nullptr) read(*sequence);
    modes(member(&document, "modes"));
    identity_.post = post_process_called(text(member(&document, "post"))).value_or(PostProcess::kNone);
  }

  const PairIdentity& identity() const { return identity_; }
  const std::string& fault() const { return fault_; }

 private:
  void expect(bool sound, const std::string& fault) {
    if (!sound && fault_.empty()) fault_ = fault;
  }

  std::string string(const PlainJson* object, const char* key, const std::string& place) {
    const PlainJson* value = member(object, key);
    expect(value != nullptr && value->is_string(), fmt::format("'{}' is not a string", place));
    return text(value);
  }

  ModelIdentity model(const PlainJson* value, const std::string& place) {
    ModelIdentity identity;
    identity.path = string(value, "file", place + ".file");
    identity.sha256 = Checksum(string(value, "sha256", place + ".sha256"));
    identity.signature = text(member(value, "signature"));
    return identity;
  }

  void records(const PlainJson* range) {
    const bool sound = range != nullptr && range->is_array() && range->size() == 2 && is_count((*range)[0]) && is_count((*range)[1]) &&
                       (*range)[0] <= (*range)[1];
    expect(sound, "'data.records' is no range");
    if (sound) identity_.records = {(*range)[0].get<std::int64_t>(), (*range)[1].get<std::int64_t>()};
  }

  void read(const PlainJson& sequence) {
    const PlainJson *links = member(&sequence, "feed_back"), *length = member(&sequence, "length");
    const bool list = links != nullptr && links->is_array();
    expect(list, "'data.sequence.feed_back' is not an array");
    for (std::size_t i = 0; list && i < links->size(); ++i) {
      expect((*links)[i].is_string(), "'data.sequence.feed_back' holds what is not a string");
      identity_.sequence.feed_back.push_back(text(&(*links)[i]));
    }
    identity_.sequence.state_file = text(member(&sequence, "state"));
    if (length != nullptr && is_count(*length)) identity_.sequence.length = length->get<std::int64_t>();
  }

  void modes(const PlainJson* pair) {
    const bool two = pair != nullptr && pair->is_array() && pair->size() == 2;
    const auto reference = two ? mode_called(text(&(*pair)[0])) : std::nullopt,
               quantized = two ? mode_called(text(&(*pair)[1])) : std::nullopt;
    expect(reference && quantized, "'modes' are not two modes");
    identity_.reference_mode = reference.value_or(Mode::kFp32);
    identity_.quantized_mode = quantized.value_or(Mode::kFakeQuant);
  }

  PairIdentity identity_;
  std::string fault_;
};

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
    const Metric metric = metric_named(name);
    if (metric == Metric::kNone) continue;  // of a later version
    VISQ_ASSIGN(map.values[metric_place(metric)], metric_value(number, member(states, name.c_str()), where + ".metrics." + name));
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
  map.display = text(member(&entry, "display"));
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

std::vector<std::string> strings(const PlainJson& list) {
  std::vector<std::string> out;
  for (const PlainJson& each : list) out.push_back(each.get<std::string>());
  return out;
}

std::vector<Metric> metrics_called(const PlainJson& list) {
  std::vector<Metric> metrics;
  for (const PlainJson& each : list) {
    metrics.push_back(metric_named(each.get<std::string>()));
    if (metrics.back() == Metric::kNone) throw PlainJson::other_error::create(0, "'metrics' holds an unknown metric", nullptr);
  }
  return metrics;
}

/// A number of records or classes; the library would convert any number to an integer, whether it fits or not.
std::int64_t count(const PlainJson& json) {
  if (!is_count(json)) throw PlainJson::other_error::create(0, "holds what is no count", nullptr);
  return json.get<std::int64_t>();
}

Accuracy accuracy(const PlainJson& json) {
  Accuracy out;
  out.score = score_named(json.value("score", "top1"));  // files of earlier versions do not say
  const ScoreInfo& score = score_info(out.score);
  if (out.score == Score::kUsual || !score.by_labels) throw PlainJson::other_error::create(0, "'accuracy' has an unknown score", nullptr);
  const auto both = [&](const char* side) {
    return ModelScore{json.at(side).at(std::string(score.key)).get<double>(),
                      json.at(side).at(std::string(score.second_key)).get<double>()};
  };
  out.program = json.value("program", "");
  out.records = count(json.at("records"));
  if (!out.program.empty()) return out;
  out.output = json.at("output").get<std::string>();
  out.classes = count(json.at("classes"));
  out.reference = both("reference");
  out.quantized = both("quantized");
  return out;
}

RecordSums sums(const PlainJson& json) {
  RecordSums out;
  out.nodes = strings(json.at("nodes"));
  out.ops = strings(json.at("ops"));
  out.modes_given = json.at("modes_given").get<bool>();
  out.per_channel = json.at("per_channel").get<bool>();
  out.origin = json.at("origin").get<bool>();
  out.max_scale = json.at("max_scale").get<double>();
  if (json.contains("pairs")) {  // files of earlier versions have none
    for (const PlainJson& each : json.at("pairs")) {
      const PairedBy by = each.at("by").get<std::string>() == name(PairedBy::kUser) ? PairedBy::kUser : PairedBy::kMaps;
      out.pairs.push_back({each.at("reference").get<int>(), each.at("quantized").get<int>(), by, each.at("correlation").get<double>(),
                           each.at("doubtful").get<bool>()});
    }
  }
  for (const PlainJson& each : json.at("records")) {
    auto bytes = from_base64(each.get_ref<const std::string&>());
    if (!bytes) throw PlainJson::other_error::create(0, "'sums.records' holds what is no sums", nullptr);
    out.records.push_back(std::move(*bytes));
  }
  return out;
}

}  // namespace

Result<StoredResult> read_result(const std::string& path) {
  VISQ_ASSIGN(const PlainJson document, read_json(path));
  if (schema_of(document) != kCompare) return bad_input("{}: is not a result of `visqerror compare`", path);
  StoredResult result;
  static_cast<PairIdentity&>(result) = IdentityReader(document).identity();
  result.path = path;
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

Result<Part> read_part(const std::string& path) {
  VISQ_ASSIGN(const PlainJson document, read_json(path));
  const std::string schema = schema_of(document);
  if (schema != kCompare && schema != kBadcase) {
    return bad_input("{}: is not a result of `visqerror compare` or `visqerror badcase`", path);
  }
  const PlainJson *own = member(&document, "sums"), *rated = member(&document, "accuracy");
  if (own == nullptr) return bad_input("{}: holds no sums of its records; make it with --per-record", path);
  const IdentityReader reader(document);
  if (!reader.fault().empty()) return bad_input("{}: {}", path, reader.fault());
  Part part;
  static_cast<PairIdentity&>(part) = reader.identity();
  part.path = path;
  part.badcase = schema == kBadcase;
  try {
    part.metrics = metrics_called(own->at("metrics"));
    if (rated != nullptr && rated->is_object()) part.accuracy = accuracy(*rated);
    part.sums = sums(*own);
  } catch (const PlainJson::exception& fault) {
    return bad_input("{}: {}", path, printable(fault.what()));
  }
  return part;
}

}  // namespace visq::report
