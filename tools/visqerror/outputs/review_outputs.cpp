#include "visqerror/outputs/review_outputs.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/suggest.h"
#include "visqerror/options/shared_options.h"

namespace visq::tool {
namespace {

std::vector<std::string_view> review_kinds() {
  std::vector<std::string_view> list;
  for (const report::FormatDef* format : report::all_formats()) {
    if (format->write_review != nullptr) list.push_back(format->info.kind);
  }
  return list;
}

}  // namespace

Result<bool> parse_names(const std::string& text) {
  if (text.empty() || text == "reference") return false;
  if (text == "quantized") return true;
  return usage_error("--names: '{}' is neither reference nor quantized", text);
}

void ReviewOutputOptions::add_to(Options& options, bool pair) {
  const std::string group = "Output";
  std::string known;
  for (const std::string_view kind : review_kinds()) known += (known.empty() ? "" : ", ") + std::string(kind);
  options.values("--write", write, "KIND[=FILE]", "one output format, into the folder or a file of its own; KIND: " + known).group(group);
  options.value("--title", title, "TEXT", "title of these").group(group);
  if (pair) {
    options.value("--names", names, "MODEL", "whose tensor names model-explorer uses: reference (default) or quantized").group(group);
  }
}

Result<ReviewOutputs> ReviewOutputs::parse(const ReviewOutputOptions& options, const std::string& folder) {
  ReviewOutputs outputs;
  outputs.options_.title = options.title;
  VISQ_ASSIGN(outputs.options_.quantized_names, parse_names(options.names));
  const auto known = review_kinds();
  for (const std::string& word : options.write) {
    const auto equals = word.find('=');  // kinds hold no '=', file names may
    const std::string kind = word.substr(0, equals), file = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (std::find(known.begin(), known.end(), kind) == known.end()) {
      return usage_error("--write: unknown kind '{}'{}", kind, suggestion(kind, known));
    }
    if (equals != std::string::npos && file.empty()) return usage_error("--write: '{}' names no file", word);
    outputs.destinations_.push_back({report::find_format(kind), folder.empty() ? "." : folder, file});
  }
  return outputs;
}

std::vector<FileToWrite> ReviewOutputs::files(const report::Review& review) const {
  std::vector<FileToWrite> files;
  for (const Destination& destination : destinations_) {
    for (OutputFile& file : destination.format->write_review(review)) {
      const std::string own = (std::filesystem::path(destination.folder) / file.name).string();
      files.push_back({destination.file.empty() ? own : destination.file, std::move(file.content)});
    }
  }
  return files;
}

std::vector<std::string> ReviewOutputs::paths(const report::Review& review) const {
  std::vector<std::string> paths;
  for (const FileToWrite& file : files(review)) paths.push_back(file.path);
  return paths;
}

}  // namespace visq::tool
