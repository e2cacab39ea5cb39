#include "core/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/as_size.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "core/temporary_name.h"

namespace visq {
namespace {

std::string reason() { return std::strerror(errno); }

/// The names of temporaries that stand, for remove_temporaries(); more than these are not removed by it.
std::array<std::atomic<const char*>, 64> standing{};

Status write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return bad_input("{}: cannot be written: {}", path, reason());
    content.remove_prefix(as_size(written));
  }
  if (::fsync(descriptor) != 0) return bad_input("{}: cannot be written: {}", path, reason());
  return {};
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));  // a pipe is not waited for
  if (file.get() < 0) return bad_input("{}: cannot be opened: {}", path, reason());
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return bad_input("{}: cannot be read: {}", path, reason());
  if (!S_ISREG(facts.st_mode)) return bad_input("{}: is not a file", path);
  const auto size = as_size(facts.st_size);
  if (size == 0) return bad_input("{}: is empty", path);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) return bad_input("{}: cannot be read: {}", path, reason());
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const std::byte*>(address), size}));
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

void release_pages(std::span<const std::byte> mapped) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(mapped.data()) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(mapped.data()) + mapped.size()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);  // if it fails, they stay
}

Status write_file(const std::string& path, std::string_view content) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {  // /dev/stdout and the like cannot be replaced
    if (S_ISDIR(facts.st_mode)) return bad_input("{}: is a folder", path);
    const Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0) return bad_input("{}: cannot be written: {}", path, reason());
    while (!content.empty()) {
      const ssize_t written = ::write(device.get(), content.data(), content.size());
      if (written < 0) return bad_input("{}: cannot be written: {}", path, reason());
      content.remove_prefix(as_size(written));
    }
    return {};
  }
  TemporaryFile temporary(path);
  VISQ_TRY(temporary.write(content));
  return temporary.commit();
}

TemporaryName::TemporaryName(std::string name) : name_(std::move(name)) {
  for (auto& place : standing) {
    const char* free = nullptr;
    if (place.compare_exchange_strong(free, name_.c_str())) break;
  }
}

TemporaryName::~TemporaryName() {
  for (auto& place : standing) {
    const char* own = name_.c_str();
    if (place.compare_exchange_strong(own, nullptr)) break;
  }
}

TemporaryFile::TemporaryFile(std::string final_path) : final_(std::move(final_path)), temporary_(temporary_name(final_)) {
  remove_stale_temporaries(std::filesystem::path(final_).parent_path().string());
}

TemporaryFile::~TemporaryFile() {
  if (!committed_) ::unlink(path().c_str());
}

void remove_temporaries() {
  for (bool removed = true; removed;) {  // a folder is empty only when what it holds has gone
    removed = false;
    for (const auto& place : standing) {
      const char* const name = place.load();
      if (name != nullptr && (::unlink(name) == 0 || ::rmdir(name) == 0)) removed = true;
    }
  }
}

Status TemporaryFile::write(std::string_view content) {
  const Descriptor file(::open(path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) return bad_input("{}: cannot be written: {}", final_, reason());
  return write_all(file.get(), content, final_);
}

Status TemporaryFile::commit() {
  if (::rename(path().c_str(), final_.c_str()) != 0) return bad_input("{}: cannot be written: {}", final_, reason());
  committed_ = true;
  return {};
}

Status make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return bad_input("{}: cannot be created: {}", path, error.message());
  if (!std::filesystem::is_directory(path, error)) return bad_input("{}: is not a folder", path);
  return {};
}

}  // namespace visq
