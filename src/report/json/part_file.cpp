#include "report/json/part_file.h"

#include <algorithm>

#include "core/error.h"
#include "report/json/json_file.h"
#include "report/words/base64.h"
#include "report/words/text.h"

namespace visq::report {
namespace {

Json names_json(const std::vector<std::string>& names) {
  Json out = Json::array();
  for (const std::string& name : names) out.push_back(json_string(name));
  return out;
}

std::vector<std::string> strings(const PlainJson& list) {
  std::vector<std::string> out;
  for (const PlainJson& each : list) out.push_back(each.get<std::string>());
  return out;
}

Mode mode_called(const std::string& text) {
  for (const Mode mode : {Mode::kFp32, Mode::kFakeQuant, Mode::kInteger}) {
    if (name(mode) == text) return mode;
  }
  throw PlainJson::other_error::create(0, "'modes' holds an unknown mode", nullptr);
}

std::vector<int> metrics_called(const PlainJson& list) {
  std::vector<int> metrics;
  for (const PlainJson& each : list) {
    metrics.push_back(metric_index(each.get<std::string>()));
    if (metrics.back() < 0) throw PlainJson::other_error::create(0, "'metrics' holds an unknown metric", nullptr);
  }
  return metrics;
}

ModelIdentity model(const PlainJson& json) {
  ModelIdentity identity;
  identity.path = json.at("file").get<std::string>();
  identity.sha256 = json.at("sha256").get<std::string>();
  return identity;
}

/// A number of records or classes; the library would convert any number to an integer, whether it fits or not.
std::int64_t count(const PlainJson& json) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  const bool sound = json.is_number_integer() && json >= 0 && json <= kMost;
  if (!sound) throw PlainJson::other_error::create(0, "holds what is no count", nullptr);
  return json.get<std::int64_t>();
}

RecordRange records(const PlainJson& json) {
  const RecordRange range{count(json.at(0)), count(json.at(1))};
  if (range.last < range.first) throw PlainJson::other_error::create(0, "'data.records' is no range", nullptr);
  return range;
}

Accuracy accuracy(const PlainJson& json) {
  Accuracy out;
  const auto top = [&](const char* side) {
    return TopAccuracy{json.at(side).at("top1").get<double>(), json.at(side).at("top5").get<double>()};
  };
  out.program = json.value("program", "");
  out.records = count(json.at("records"));
  if (!out.program.empty()) return out;
  out.output = json.at("output").get<std::string>();
  out.classes = count(json.at("classes"));
  out.reference = top("reference");
  out.quantized = top("quantized");
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
  for (const PlainJson& each : json.at("records")) {
    auto bytes = from_base64(each.get_ref<const std::string&>());
    if (!bytes) throw PlainJson::other_error::create(0, "'sums.records' holds what is no sums", nullptr);
    out.records.push_back(std::move(*bytes));
  }
  return out;
}

SequenceIdentity sequence(const PlainJson& json) {
  SequenceIdentity out;
  out.feed_back = strings(json.at("feed_back"));
  if (json.at("state").is_string()) out.state_file = json.at("state").get<std::string>();
  if (json.at("length").is_number_integer()) out.length = json.at("length").get<std::int64_t>();
  return out;
}

/// Throws what the JSON library throws where a key is missing or of another type.
PartFile part_of(const PlainJson& document, const std::string& path) {
  PartFile file;
  file.badcase = document.at("schema") == "visq.badcase/1";
  file.reference = model(document.at("models").at("reference"));
  file.quantized = model(document.at("models").at("quantized"));
  Part& part = file.part;
  part.path = path;
  part.data = document.at("data").at("file").get<std::string>();
  part.records = records(document.at("data").at("records"));
  if (document.at("data").contains("sequence")) part.sequence = sequence(document.at("data").at("sequence"));
  part.reference_mode = mode_called(document.at("modes").at(0).get<std::string>());
  part.quantized_mode = mode_called(document.at("modes").at(1).get<std::string>());
  if (document.at("post").is_string()) {
    part.post = post_process_called(document.at("post").get<std::string>()).value_or(PostProcess::kNone);
  }
  part.metrics = metrics_called(document.at("sums").at("metrics"));
  if (document.contains("accuracy") && document.at("accuracy").is_object()) part.accuracy = accuracy(document.at("accuracy"));
  part.sums = sums(document.at("sums"));
  return file;
}

}  // namespace

Json json_sums(const RecordSums& sums, const std::vector<int>& metrics) {
  Json out;
  out["metrics"] = Json::array();
  for (const int metric : metrics) out["metrics"].push_back(all_metrics()[static_cast<std::size_t>(metric)].name);
  out["nodes"] = names_json(sums.nodes);
  out["ops"] = names_json(sums.ops);
  out["modes_given"] = sums.modes_given;
  out["per_channel"] = sums.per_channel;
  out["origin"] = sums.origin;
  out["max_scale"] = sums.max_scale;
  out["records"] = Json::array();
  for (const std::string& record : sums.records) out["records"].push_back(base64(record));
  return out;
}

Result<PartFile> read_part_file(const std::string& path) {
  VISQ_ASSIGN(const PlainJson document, read_json(path));
  const std::string schema =
      document.is_object() && document.contains("schema") && document["schema"].is_string() ? document["schema"] : "";
  if (schema != "visq.compare/1" && schema != "visq.badcase/1") {
    return bad_input("{}: is not a result of `visqerror compare` or `visqerror badcase`", path);
  }
  if (!document.contains("sums")) return bad_input("{}: holds no sums of its records; make it with --per-record", path);
  try {
    return part_of(document, path);
  } catch (const PlainJson::exception& fault) {
    return bad_input("{}: {}", path, printable(fault.what()));
  }
}

}  // namespace visq::report
