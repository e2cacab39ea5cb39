#include "visqerror/outputs/resume_file.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "core/ranks.h"

namespace visq::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 64;

std::string sha256_text(std::string_view text) { return sha256(std::as_bytes(std::span(text.data(), text.size()))); }

/// The regular files that a path stands for, sorted.
std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error)) files.push_back(entry->path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

void ContentKey::add(const std::string& text) { parts_ += fmt::format("{}:{},", text.size(), text); }

Status ContentKey::add_content(const std::string& path) {
  for (const std::string& file : files_of(path)) {
    if (file != path) add(fs::path(file).lexically_relative(path).string());
    VISQ_ASSIGN(const std::string hash, file_sha256(file));
    add(hash);
  }
  return {};
}

std::string ContentKey::digest() const { return sha256_text(parts_); }

ResumeFile::ResumeFile(const std::string& folder, const std::string& command, const std::string& key) : command_(command) {
  if (folder.empty()) return;
  folder_ = (fs::path(folder) / ".visqerror").string();
  path_ = (fs::path(folder_) / (command + "-" + key.substr(0, 32) + ".state")).string();
}

/// A state file is the SHA-256 of what follows it, so that one that was cut short, or touched, is not gone on from.
std::optional<std::string> ResumeFile::load() const {
  const auto states = ranks().exchange(load_own().value_or(""));
  return states.ok() && !states->front().empty() ? std::optional(states->front()) : std::nullopt;
}

std::optional<std::string> ResumeFile::load_own() const {
  std::error_code error;
  if (!possible() || !fs::is_regular_file(path_, error)) return std::nullopt;
  const auto file = MappedFile::open(path_);
  if (!file.ok()) return std::nullopt;
  const std::string_view bytes(reinterpret_cast<const char*>((*file)->bytes().data()), (*file)->bytes().size());
  if (bytes.size() < kDigits || sha256_text(bytes.substr(kDigits)) != bytes.substr(0, kDigits)) return std::nullopt;
  return std::string(bytes.substr(kDigits));
}

Status ResumeFile::save(const std::string& state) const {
  if (!possible() || !ranks().first()) return {};
  VISQ_TRY(make_folder(folder_));
  return write_file(path_, sha256_text(state) + state);
}

void ResumeFile::clean() const {
  std::error_code error;
  std::vector<fs::path> ours;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(command_ + "-")) ours.push_back(entry->path());  // temporaries of a run that was killed among them
  }
  for (const fs::path& path : ours) fs::remove(path, error);
  fs::remove(folder_, error);  // only where it is empty
}

}  // namespace visq::tool
