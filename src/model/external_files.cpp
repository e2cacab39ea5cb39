#include "model/external_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "model/printable.h"

namespace visq::loader {
namespace {

namespace fs = std::filesystem;

/// Whether `inner` is `folder` or below it; both canonical.
bool lies_in(const fs::path& inner, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), inner.begin(), inner.end()).first == folder.end();
}

/// The file of that name, links followed. Errors: it is not below the model's folder.
Result<std::string> confined(const std::string& model_path, const std::string& name, const Place& place) {
  if (name.empty() || name.find('\0') != std::string::npos) return place.fail("its values lie in a file without a proper name");
  const fs::path wanted(name);
  const bool leads_out = wanted.is_absolute() || std::ranges::find(wanted, fs::path("..")) != wanted.end();
  if (leads_out) return place.fail("its values lie in '{}', outside the model's folder, which is not read", printable(name));
  std::error_code failure;
  const fs::path folder = fs::canonical(fs::absolute(fs::path(model_path)).parent_path(), failure);
  const fs::path file = failure ? fs::path() : fs::canonical(folder / wanted, failure);
  if (failure) return place.fail("its values lie in '{}', which cannot be opened: {}", printable(name), failure.message());
  if (!lies_in(file, folder)) return place.fail("its values lie in '{}', outside the model's folder, which is not read", printable(name));
  if (!fs::is_regular_file(file, failure)) return place.fail("its values lie in '{}', which is no file", printable(name));
  return file.string();
}

}  // namespace

Result<std::span<const std::byte>> ExternalFiles::bytes(const std::string& model_path, const std::string& name, std::uint64_t offset,
                                                        std::uint64_t length, const Place& place) {
  auto found = files_.find(name);
  if (found == files_.end()) {
    VISQ_ASSIGN(const std::string path, confined(model_path, name, place));
    VISQ_ASSIGN(auto file, MappedFile::open(path));
    found = files_.emplace(name, std::move(file)).first;
  }
  const auto all = found->second->bytes();
  if (offset > all.size() || length > all.size() - offset) {
    return place.fail("its {1} bytes begin at byte {0} of '{2}', which has {3}", offset, length, printable(name), all.size());
  }
  return all.subspan(offset, length);
}

std::shared_ptr<const void> ExternalFiles::keep(std::shared_ptr<const void> first) const {
  if (files_.empty()) return first;
  std::vector<std::shared_ptr<const void>> all{std::move(first)};
  for (const auto& [name, file] : files_) all.push_back(file);
  return std::make_shared<const std::vector<std::shared_ptr<const void>>>(std::move(all));
}

}  // namespace visq::loader
