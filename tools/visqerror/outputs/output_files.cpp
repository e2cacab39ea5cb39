#include "visqerror/outputs/output_files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "core/error.h"
#include "core/file.h"
#include "core/ranks.h"
#include "visq/data.h"

namespace visq::tool {
namespace {

namespace fs = std::filesystem;

/// The same text for every path that leads to one file; works for files that do not exist yet.
std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::weakly_canonical(path, error);
  return error ? path : result.string();
}

/// The file of an input; what follows ':' behind a file's name chooses a part of it (FILE.litertlm:1, FILE.h5:DATASET).
std::string file_of(const std::string& input) {
  std::error_code error;
  const auto colon = input.rfind(':');
  if (colon == std::string::npos || fs::exists(input, error)) return input;
  return fs::exists(input.substr(0, colon), error) ? input.substr(0, colon) : input;
}

bool is_device(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

/// Makes a nameless file in the folder, or a named one that is removed at once where the file system knows no nameless ones.
Status probe(const std::string& folder, const std::string& shown) {
  int file = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT)) {
    std::string name = folder + "/.visqerror-XXXXXX";
    file = ::mkstemp(name.data());
    if (file >= 0) ::unlink(name.c_str());
  }
  if (file < 0) return bad_input("{}: cannot be written: {}", shown, std::strerror(errno));
  ::close(file);
  return {};
}

}  // namespace

OutputFolder::~OutputFolder() {
  for (auto path = created_.rbegin(); path != created_.rend(); ++path) ::rmdir(path->text().c_str());  // only where it is empty
}

void OutputFolder::keep(const Console& console) {
  if (created_.size() > 1) {
    console.warn(
        fmt::format("{}: the folders above it were missing and are made, from {} on", created_.back().text(), created_.front().text()));
  }
  created_.clear();
}

Status OutputFolder::prepare(const std::string& path) {
  if (!ranks().first()) return {};  // of a job, the first rank alone writes
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) return bad_input("{}: is not a folder", path);
  std::vector<std::string> missing;
  for (fs::path level = fs::path(path).lexically_normal(); !level.empty() && !fs::exists(level, error); level = level.parent_path()) {
    missing.insert(missing.begin(), level.string());
  }
  for (std::string& level : missing) created_.emplace_back(std::move(level));
  VISQ_TRY(make_folder(path));
  return probe(path, path);
}

Status check_writable(const std::string& path) {
  if (!ranks().first()) return {};
  std::error_code error;
  if (fs::is_directory(path, error)) return bad_input("{}: is a folder", path);
  if (is_device(path)) return {};
  const fs::path parent = fs::path(path).parent_path();
  return probe(parent.empty() ? "." : parent.string(), path);
}

Status check_distinct(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_device(outputs[i])) continue;
    const std::string path = canonical(outputs[i]);
    for (const std::string& input : inputs) {
      const auto files = data_files(input);  // all inputs may be data
      const bool same = std::any_of(files.begin(), files.end(), [&](const std::string& file) { return path == canonical(file_of(file)); });
      if (same) return usage_error("{}: would overwrite an input", outputs[i]);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (path == canonical(outputs[j])) return usage_error("{}: is asked for twice", outputs[i]);
    }
  }
  return {};
}

namespace {

/// Holds the folders of some files against other runs of this program that are about to name theirs: files of two runs with the same
/// names would mix. Where a folder cannot be locked (some network file systems) they may.
class FolderLocks {
 public:
  explicit FolderLocks(const std::vector<std::string>& files) {
    std::set<std::string> folders;  // in one order for all processes
    for (const std::string& file : files) folders.insert(canonical(fs::path(file).has_parent_path() ? fs::path(file).parent_path() : "."));
    for (const std::string& folder : folders) {
      descriptors_.push_back(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      if (descriptors_.back() >= 0) ::flock(descriptors_.back(), LOCK_EX);
    }
  }
  ~FolderLocks() {
    for (const int descriptor : descriptors_) {
      if (descriptor >= 0) ::close(descriptor);
    }
  }
  FolderLocks(const FolderLocks&) = delete;
  FolderLocks& operator=(const FolderLocks&) = delete;

 private:
  std::vector<int> descriptors_;
};

/// Gives all temporaries their names. Where one cannot have it, those files go again that were not there before.
Status commit_all(const std::vector<std::unique_ptr<TemporaryFile>>& staged, const std::vector<std::string>& paths) {
  const FolderLocks locks(paths);
  std::vector<std::string> added;
  for (std::size_t i = 0; i < staged.size(); ++i) {
    std::error_code ignored;
    const bool is_new = !fs::exists(paths[i], ignored);
    const Status status = staged[i]->commit();
    if (!status.ok()) {
      for (const std::string& path : added) fs::remove(path, ignored);
      return status;
    }
    if (is_new) added.push_back(paths[i]);
  }
  return {};
}

}  // namespace

Status write_files(const std::vector<FileToWrite>& files) {
  if (!ranks().first()) return {};
  std::vector<std::unique_ptr<TemporaryFile>> staged;
  for (const FileToWrite& file : files) {
    if (is_device(file.path)) {
      VISQ_TRY(write_file(file.path, file.content));
      continue;
    }
    staged.push_back(std::make_unique<TemporaryFile>(file.path));
    VISQ_TRY(staged.back()->write(file.content));
  }
  std::vector<std::string> paths;
  for (const FileToWrite& file : files) {
    if (!is_device(file.path)) paths.push_back(file.path);
  }
  return commit_all(staged, paths);
}

void remove_leftovers(const std::vector<FileToWrite>& files) {
  if (!ranks().first()) return;
  constexpr std::size_t kTelling = 16;  // bytes, more than any other file begins with by accident
  for (const FileToWrite& file : files) {
    std::string head(kTelling, '\0');
    std::ifstream(file.path, std::ios::binary).read(head.data(), kTelling);
    if (head == file.content.substr(0, kTelling)) ::unlink(file.path.c_str());
  }
}

}  // namespace visq::tool
