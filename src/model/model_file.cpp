#include "model/model_file.h"

#include <filesystem>

#include "core/error.h"
#include "model/litertlm.h"
#include "model/printable.h"

namespace visq {
namespace {

struct Named {
  std::string file, section;
};

Named split(const std::string& path) {
  std::error_code ignored;
  const auto colon = path.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(path, ignored)) return {path, {}};
  const std::string file = path.substr(0, colon);
  if (!std::filesystem::is_regular_file(file, ignored)) return {path, {}};
  return {file, path.substr(colon + 1)};
}

}  // namespace

namespace loader {

Result<ModelFile> open_model_file(const std::string& path) {
  const Named named = split(path);
  VISQ_ASSIGN(auto file, MappedFile::open(named.file));
  const auto bytes = file->bytes();
  if (is_litertlm(bytes)) {
    VISQ_ASSIGN(const auto model, litertlm_model(bytes, path, named.section));
    return ModelFile{std::move(file), model};
  }
  if (named.file != path) return bad_input("{}: is no container that could hold '{}'", named.file, printable(named.section));
  return ModelFile{std::move(file), bytes};
}

}  // namespace loader

Result<std::vector<ContainerSection>> container_sections(const std::string& path) {
  const Named named = split(path);
  VISQ_ASSIGN(const auto file, MappedFile::open(named.file));
  if (!loader::is_litertlm(file->bytes())) return std::vector<ContainerSection>();
  return loader::litertlm_sections(file->bytes(), named.file);
}

}  // namespace visq
