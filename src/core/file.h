// Files: mapped for reading, replaced as a whole when written.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "visq/status.h"

namespace visq {

/// A file mapped read-only into memory.
class MappedFile {
 public:
  /// Errors: kBadInput, "m.tflite: cannot be opened: No such file or directory".
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::span<const std::byte> bytes_;
};

/// Gives the memory behind a part of a mapped file back to the system, whole pages only. Where it is looked at again, it is read again.
void release_pages(std::span<const std::byte> mapped);

/// Writes a file so that it is either whole or absent: a temporary beside it, flushed to disk, then renamed.
/// Errors: kBadInput naming the path and the system's reason; the temporary is removed.
Status write_file(const std::string& path, std::string_view content);

/// The name of a file or folder that must not be left behind where the process ends without its destructors: see remove_temporaries().
class TemporaryName {
 public:
  explicit TemporaryName(std::string name);
  ~TemporaryName();
  TemporaryName(TemporaryName&& other) noexcept = delete;
  TemporaryName& operator=(TemporaryName&&) = delete;
  const std::string& text() const { return name_; }

 private:
  const std::string name_;
};

/// A name beside `path` for a temporary that a library writes itself (HDF5); commit() renames it, the destructor removes it otherwise.
/// What killed processes left in that folder is removed on this occasion.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string final_path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return temporary_.text(); }
  /// Makes the temporary with this content, flushed to disk. Errors: kBadInput naming the final path and the system's reason.
  Status write(std::string_view content);
  Status commit();

 private:
  std::string final_;
  TemporaryName temporary_;
  bool committed_ = false;
};

/// Removes what temporaries there are (of folders those that are empty then), for a process that is about to end without its destructors.
/// May be called by a signal handler.
void remove_temporaries();

/// Creates a folder and its parents. Errors: kBadInput naming the path.
Status make_folder(const std::string& path);

/// SHA-256 of bytes in lower-case hexadecimal.
std::string sha256(std::span<const std::byte> bytes);
/// Of a mapped file's content, slice after slice: each is given back to the system (see release_pages).
std::string mapped_sha256(std::span<const std::byte> mapped);
/// Of a file's content, slice after slice: no more of it stays in memory. Errors: those of MappedFile::open().
Result<std::string> file_sha256(const std::string& path);

}  // namespace visq
