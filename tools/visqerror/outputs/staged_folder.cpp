#include "visqerror/outputs/staged_folder.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "core/temporary_name.h"

namespace visq::tool {

namespace fs = std::filesystem;

Result<StagedFolder> StagedFolder::create(const std::string& folder) {
  remove_stale_temporaries(folder);
  std::string path = temporary_name((fs::path(folder) / kTemporaryFolder).string());
  if (::mkdir(path.c_str(), S_IRWXU) != 0) return bad_input("{}: cannot be written: {}", folder, std::strerror(errno));
  return StagedFolder(std::move(path));
}

StagedFolder::StagedFolder(StagedFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

StagedFolder::~StagedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string StagedFolder::operator/(const std::string& name) const { return (fs::path(path_) / name).string(); }

Result<std::string> StagedFolder::read(const std::string& name) const {
  VISQ_ASSIGN(const auto file, MappedFile::open(*this / name));
  return std::string(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
}

}  // namespace visq::tool
