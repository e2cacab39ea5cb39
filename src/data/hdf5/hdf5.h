// The HDF5 library, tamed: handles that close themselves, errors as values, one thread at a time.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"
#include "visq/status.h"
#include "visq/tensor.h"

namespace visq::hdf5 {

/// Held while the library is called: its state is global, and not every build of it locks. Sets the library up at first use: no exit
/// handler (after a failed write it would crash the process) and nothing printed. Recursive: whoever is called may hold it as well.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
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
/// Whether it failed because it got no more memory.
bool failed_for_memory();

/// Whether a call since the Session began met a link into another file.
bool leads_elsewhere();
/// Why a group or a dataset cannot be opened: it lies in another file, or what failure() says. `otherwise`: what it says is no help.
Error cannot_open(const std::string& place, const std::string& otherwise = {});

/// A file that is read.
struct InputFile {
  OpenFile file;
  Handle id;  ///< closed first
};

/// Names of a file's records and tensors take no more than the file itself; of files that are larger, no more than this.
inline constexpr std::uint64_t kMostListed = std::uint64_t{1} << 30;

/// Reads a regular file that is open already. Errors: "data.h5: cannot be read: truncated file: …".
Result<InputFile> open_file(OpenFile file, const std::string& path);
/// Opens the group /value, where records and dumps stand. Errors: "data.h5: there is no group /value".
Result<Handle> open_value(const InputFile& file, const std::string& path);
/// Opens a group in it. Errors: "PLACE: is not a group".
Result<Handle> open_record(const Handle& value, std::int64_t record, const std::string& place);
/// Holds the library's cache of groups and headers to 1 MiB: left alone it grows with every record, to many times the 32 MiB that it
/// counts.
void bound_metadata_cache(hid_t file);

/// Whether a group has a link of this name.
bool has_link(hid_t group, const std::string& name);

/// How many links a group has; the largest number where that cannot be told.
std::uint64_t link_count(hid_t group);

/// Names of a group's links. Errors: begin with `place`.
Result<std::vector<std::string>> link_names(hid_t group, const std::string& place);

/// Numbers that one attribute may hold.
inline constexpr std::size_t kMaxAttribute = std::size_t{1} << 20;
/// Bytes of one text: a tensor's name can be long.
inline constexpr std::size_t kMaxText = std::size_t{16} << 20;

/// The value of an attribute of an object; nothing where there is none. Numbers are converted by the library.
/// Errors: begin with `place`; where the attribute is of another kind, or numbers are more than a million.
Result<std::optional<std::string>> text_attribute(hid_t object, const char* name, const std::string& place);
Result<std::optional<std::vector<float>>> float_attribute(hid_t object, const char* name, const std::string& place);
Result<std::optional<std::vector<std::int64_t>>> integer_attribute(hid_t object, const char* name, const std::string& place);

}  // namespace visq::hdf5
