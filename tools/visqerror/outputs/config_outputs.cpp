#include "visqerror/outputs/config_outputs.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/suggest.h"

namespace visq::tool {

Result<ConfigOutputs> ConfigOutputs::parse(const std::vector<std::string>& words, const std::string& folder) {
  ConfigOutputs outputs;
  const auto known = quantizer_config_kinds();
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    const std::string kind = word.substr(0, equals);
    const auto found = std::find_if(known.begin(), known.end(), [&](const QuantizerConfigKind& each) { return each.kind == kind; });
    if (found == known.end()) {
      std::vector<std::string_view> names;
      for (const QuantizerConfigKind& each : known) names.push_back(each.kind);
      return usage_error("--write: unknown kind '{}'{}", kind, suggestion(kind, names));
    }
    const std::string file = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (file.empty() && (equals != std::string::npos || folder.empty())) {
      return usage_error("--write {}: where to? Give {}=FILE, or a folder with -o", kind, kind);
    }
    outputs.destinations_.push_back({kind, file.empty() ? (std::filesystem::path(folder) / found->file_name).string() : file});
  }
  return outputs;
}

std::string ConfigOutputs::kinds() {
  std::string list;
  for (const QuantizerConfigKind& each : quantizer_config_kinds()) list += (list.empty() ? "" : ", ") + std::string(each.kind);
  return list;
}

std::vector<std::string> ConfigOutputs::paths() const {
  std::vector<std::string> paths;
  for (const Destination& destination : destinations_) paths.push_back(destination.path);
  return paths;
}

Result<std::vector<FileToWrite>> ConfigOutputs::files(const QuantizerConfig& config) const {
  std::vector<FileToWrite> files;
  for (const Destination& destination : destinations_) {
    VISQ_ASSIGN(std::string text, quantizer_config_text(config, destination.kind));
    files.push_back({destination.path, std::move(text)});
  }
  return files;
}

}  // namespace visq::tool
