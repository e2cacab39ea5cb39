#include "support/models/operator_cases.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace visq::testing {
namespace {

using nlohmann::json;

const std::string kFolder = VISQ_SOURCE_DIR "/tests/opcases/data/";

std::ifstream open(const std::string& file) {
  std::ifstream stream(kFolder + file, std::ios::binary);
  if (!stream) throw std::runtime_error("no " + kFolder + file);
  return stream;
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

DType type_of(const std::string& text) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (name(static_cast<DType>(i)) == text) return static_cast<DType>(i);
  }
  throw std::runtime_error("element type " + text);
}

Array array_of(const json& entry) {
  Array array{type_of(entry.at("type")), Shape(entry.at("shape").get<std::vector<std::int64_t>>()), {}, {}};
  if (array.dtype == DType::kString) {
    for (const json& text : entry.at("strings")) array.strings.emplace_back(text.get_binary().begin(), text.get_binary().end());
    return array;
  }
  const auto& bytes = entry.at("data").get_binary();
  array.bytes.resize(bytes.size());
  if (!bytes.empty()) std::memcpy(array.bytes.data(), bytes.data(), bytes.size());
  return array;
}

Records records_of(const json& entry) {
  Records records;
  for (const json& record : entry) {
    auto& arrays = records.emplace_back();
    for (const json& array : record) arrays.push_back(array_of(array));
  }
  return records;
}

class CaseSource final : public RecordSource {
 public:
  explicit CaseSource(Records inputs) : inputs_(std::move(inputs)) {}
  std::int64_t count() const override { return static_cast<std::int64_t>(inputs_.size()); }
  Result<Record> read(std::int64_t index) override {
    Record record;
    record.index = index;
    record.inputs = inputs_[static_cast<std::size_t>(index)];
    return record;
  }
  std::string description() const override { return "case"; }

 private:
  Records inputs_;
};

}  // namespace

std::vector<CaseName> case_names() {
  std::vector<CaseName> names;
  std::ifstream file = open("cases.csv");
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto fields = split(line, ',');
    if (fields.size() != 4) throw std::runtime_error("cases.csv: " + line);
    names.push_back({fields[0], split(fields[1], '+'), fields[1] + "/" + fields[2], fields[3] == "quantized"});
  }
  return names;
}

OperatorCase load_case(const CaseName& name) {
  std::ifstream file = open(name.family + ".cbor");
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const json cases = json::from_cbor(bytes);
  const json& entry = cases.at(name.key);
  const auto& model = entry.at("model").get_binary();
  OperatorCase result{std::string(model.begin(), model.end()), entry.at("moves"), records_of(entry.at("inputs")),
                      records_of(entry.at("value")), std::nullopt};
  if (entry.contains("fake")) result.fake = records_of(entry.at("fake"));
  return result;
}

std::unique_ptr<RecordSource> case_source(Records inputs) { return std::make_unique<CaseSource>(std::move(inputs)); }

}  // namespace visq::testing
