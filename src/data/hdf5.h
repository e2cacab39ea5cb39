// The HDF5 library, tamed: handles that close themselves, errors as values, one thread at a time.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visq/status.h"
#include "visq/tensor.h"

namespace visq::hdf5 {

/// Held while the library is called: its state is global, and not every build of it locks. Sets the library up at first use: no exit
/// handler (after a failed write it would crash the process) and nothing printed. Recursive: whoever is called may hold it as well.
class Session {
 public:
  /// `path`: the file that is read, which must live as long; see file_in_library(). Empty: one that we write ourselves.
  explicit Session(std::string_view path = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::lock_guard<std::recursive_mutex> lock_;
  std::string_view outer_;  ///< what file_in_library() was before
};

/// An HDF5 identifier that is closed at the end of its scope. Holds nothing where the call that made it failed.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Handle& operator=(Handle&& other) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }
  /// Closes now. False where the library could not: for a file, what was written is not on the disk.
  bool close();

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Why a call failed: the last one of this thread that did since the Session began. In the system's words where it was the system, else in
/// the library's.
std::string failure();

/// Opens a file read-only. Errors: "data.h5: cannot be read: truncated file: …".
Result<Handle> open_file(const std::string& path);
/// Holds the library's cache of groups and headers to 1 MiB: left alone it grows with every record, to many times the 32 MiB that it
/// counts.
void bound_metadata_cache(hid_t file);

/// Whether a group has a link of this name.
bool has_link(hid_t group, const std::string& name);

/// How many links a group has; the largest number where that cannot be told.
std::uint64_t link_count(hid_t group);

/// Names of a group's links. Errors: begin with `place`.
Result<std::vector<std::string>> link_names(hid_t group, const std::string& place);

/// The value of an attribute of an object; nothing where there is none. Numbers are converted by the library.
/// Errors: begin with `place`; where the attribute is of another kind, or numbers are more than a million.
Result<std::optional<std::string>> text_attribute(hid_t object, const char* name, const std::string& place);
Result<std::optional<std::vector<float>>> float_attribute(hid_t object, const char* name, const std::string& place);
Result<std::optional<std::vector<std::int64_t>>> integer_attribute(hid_t object, const char* name, const std::string& place);

}  // namespace visq::hdf5
