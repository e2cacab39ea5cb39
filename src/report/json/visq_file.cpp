// Reads a *.visq.json that may come from anywhere: every key and type is checked.
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "report/json/json_file.h"
#include "visq/report.h"

namespace visq {
namespace {

using report::PlainJson;

Result<std::string> text(const PlainJson& object, const char* key, const std::string& path) {
  const PlainJson* value = report::member(&object, key);
  if (value == nullptr || !value->is_string()) return bad_input("{}: 'meta.{}' is not a string", path, key);
  return value->get<std::string>();
}

bool is_color(const std::string& text) {
  return text.size() == 7 && text[0] == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
}

Result<std::vector<VisqFile::Bin>> read_bins(const PlainJson& meta, const std::string& path) {
  const PlainJson* scheme = report::member(&meta, "colorscheme");
  if (scheme == nullptr || !scheme->is_array()) return bad_input("{}: 'meta.colorscheme' is not an array", path);
  std::vector<VisqFile::Bin> bins;
  for (const PlainJson& entry : *scheme) {
    const PlainJson *begin = report::member(&entry, "b"), *end = report::member(&entry, "e"), *color = report::member(&entry, "c");
    const bool numbers = begin != nullptr && begin->is_number() && end != nullptr && end->is_number();
    if (!numbers || color == nullptr || !color->is_string() || !is_color(color->get<std::string>())) {
      return bad_input("{}: 'meta.colorscheme[{}]' does not hold numbers b and e and a colour c like \"#ffffcc\"", path, bins.size());
    }
    bins.push_back({begin->get<double>(), end->get<double>(), color->get<std::string>()});
  }
  return bins;
}

Result<std::vector<std::vector<std::pair<std::string, double>>>> read_errors(const PlainJson& document, const std::string& path) {
  const PlainJson* error = report::member(&document, "error");
  if (error == nullptr || !error->is_array()) return bad_input("{}: 'error' is not an array", path);
  std::vector<std::vector<std::pair<std::string, double>>> all;
  for (const PlainJson& subgraph : *error) {
    if (!subgraph.is_object()) return bad_input("{}: 'error[{}]' is not an object", path, all.size());
    auto& values = all.emplace_back();
    for (const auto& [name, value] : subgraph.items()) {
      if (!value.is_number()) return bad_input("{}: 'error[{}]' holds something that is not a number", path, all.size() - 1);
      values.emplace_back(name, value.get<double>());
    }
  }
  return all;
}

}  // namespace

Result<VisqFile> read_visq_json(const std::string& path) {
  VISQ_ASSIGN(const PlainJson document, report::read_json(path));
  const PlainJson* meta = report::member(&document, "meta");
  if (meta == nullptr || !meta->is_object()) return bad_input("{}: 'meta' is not an object", path);
  VisqFile file;
  file.path = path;
  VISQ_ASSIGN(const std::string model, text(*meta, "model", path));
  file.model = (std::filesystem::path(path).parent_path() / model).string();
  VISQ_ASSIGN(file.metric, text(*meta, "metric", path));
  if (report::member(meta, "title") != nullptr) {
    VISQ_ASSIGN(file.title, text(*meta, "title", path));
  }
  VISQ_ASSIGN(file.bins, read_bins(*meta, path));
  VISQ_ASSIGN(file.errors, read_errors(document, path));
  return file;
}

}  // namespace visq
