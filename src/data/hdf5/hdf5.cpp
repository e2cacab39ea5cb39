#include "data/hdf5/hdf5.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "core/as_size.h"
#include "core/error.h"
#include "core/sandbox.h"
#include "data/hdf5/hdf5_driver.h"
#include "data/hdf5/hdf5_readers.h"
#include "data/hdf5/hdf5_version.h"
#include "model/printable.h"

namespace visq::hdf5 {
namespace {

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// What the last failing call of this thread said. Later calls, such as closing handles, clear the library's own error stack.
thread_local std::string last_failure;
thread_local bool no_memory = false;  ///< whether that was why
/// The last link into another file that this thread met since the Session began: "'other.h5'".
thread_local std::string foreign_link;
constinit thread_local int sessions = 0;
bool confined = false;

/// Keeps the innermost message of the error stack, which is the first one walked upward. No exception may pass through the library.
herr_t keep_innermost(unsigned level, const H5E_error2_t* error, void*) {
  try {
    if (level != 0) return 0;
    no_memory = error->maj_num == H5E_RESOURCE;
    last_failure = error->desc != nullptr ? error->desc : "";
  } catch (const std::bad_alloc&) {
    last_failure.clear();
  }
  return 0;
}

/// Called by the library, in place of printing, when a call has failed.
herr_t note_failure(hid_t stack, void*) { return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, nullptr); }

/// Called by the library where a path leads through a link into another file.
hid_t note_link(const char*, hid_t, const void* value, std::size_t size, hid_t, hid_t) {
  const char *file = nullptr, *object = nullptr;
  try {
    const bool known = H5Lunpack_elink_val(value, size, nullptr, &file, &object) >= 0 && file != nullptr;
    foreign_link = "'" + printable(known ? file : "?") + "'";
  } catch (const std::bad_alloc&) {
    foreign_link.clear();
  }
  return -1;
}

/// H5Literate's visitor. No exception may pass through the library.
herr_t append_name(hid_t, const char* name, const H5L_info_t*, void* names) {
  try {
    static_cast<std::vector<std::string>*>(names)->emplace_back(name);
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

/// Opens an attribute; a Handle of nothing where there is none.
Result<Handle> open_attribute(hid_t object, const char* name, const std::string& place) {
  const htri_t exists = H5Aexists(object, name);
  if (exists == 0) return Handle();
  Handle attribute(exists > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1, H5Aclose);
  if (!attribute) return bad_input("{}: attribute {} cannot be read: {}", place, name, failure());
  return attribute;
}

hssize_t count_elements(const Handle& attribute) {
  const Handle space(H5Aget_space(attribute.get()), H5Sclose);
  return space ? H5Sget_simple_extent_npoints(space.get()) : -1;
}

constexpr const char* kTooLong = "its text takes more than 16 MiB";

/// The one string of an attribute, of variable or fixed length; nothing on failure.
std::optional<std::string> read_text(const Handle& attribute, const Handle& type) {
  if (H5Tis_variable_str(type.get()) > 0) {
    const Handle memory(H5Tcopy(type.get()), H5Tclose);
    char* text = nullptr;
    if (!memory || H5Aread(attribute.get(), memory.get(), static_cast<void*>(&text)) < 0) return std::nullopt;
    const std::string_view found = text != nullptr ? text : "";  // the library has no memory for a text of no length
    std::optional<std::string> value;
    if (found.size() <= kMaxText) value = found;
    if (!value) last_failure = kTooLong;
    H5free_memory(text);
    return value;
  }
  const std::size_t size = H5Tget_size(type.get());
  if (size > kMaxText) {
    last_failure = kTooLong;
    return std::nullopt;
  }
  std::string value(size, '\0');
  if (H5Aread(attribute.get(), type.get(), value.data()) < 0) return std::nullopt;
  value.resize(std::min(value.size(), value.find('\0')));
  return value;
}

template <class T>
Result<std::optional<std::vector<T>>> numeric_attribute(hid_t object, const char* name, hid_t memory_type, const std::string& place) {
  VISQ_ASSIGN(const Handle attribute, open_attribute(object, name, place));
  if (!attribute) return std::optional<std::vector<T>>();
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.get());
  const hssize_t count = count_elements(attribute);
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 0 || count > static_cast<hssize_t>(kMaxAttribute)) {
    return bad_input("{}: attribute {} does not hold numbers", place, name);
  }
  std::vector<T> values(as_size(count));
  if (count > 0 && H5Aread(attribute.get(), memory_type, values.data()) < 0) {
    return bad_input("{}: attribute {} cannot be read: {}", place, name, failure());
  }
  return std::optional(std::move(values));
}

}  // namespace

std::string version() {
  const Session session;
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("HDF5 {}.{}.{}", major, minor, release);
}

Session::Session() : lock_(library_mutex(), std::defer_lock) {
  if (!confined) lock_.lock();
  ++sessions;
  static std::once_flag first;
  std::call_once(first, [] { H5dont_atexit(); });
  H5Eset_auto2(H5E_DEFAULT, note_failure, nullptr);  // where the library is thread-safe, each thread has its own setting
  last_failure.clear();
  foreign_link.clear();
  no_memory = false;
}

Session::~Session() { --sessions; }

bool in_library() { return sessions > 0; }

void confine() {
  confined = true;
  const Session session;
  H5PLset_loading_state(0);
  H5L_class_t links{};
  links.version = H5L_LINK_CLASS_T_VERS;
  links.id = H5L_TYPE_EXTERNAL;
  links.comment = "not followed";
  links.trav_func = note_link;
  H5Lregister(&links);
}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    close();
    id_ = std::exchange(other.id_, -1);
    close_ = other.close_;
  }
  return *this;
}

bool Handle::close() {
  if (id_ < 0) return true;
  return close_(std::exchange(id_, -1)) >= 0;
}

std::string failure() {
  std::string text = last_failure.empty() ? "unknown HDF5 error" : last_failure;
  constexpr std::string_view kSystem = "error message = '";
  if (const auto begin = text.find(kSystem); begin != std::string::npos) {
    text = text.substr(begin + kSystem.size());
    text.resize(std::min(text.size(), text.find('\'')));
  }
  return printable(text);
}

bool failed_for_memory() { return no_memory; }

bool leads_elsewhere() { return !foreign_link.empty(); }

Error cannot_open(const std::string& place, const std::string& otherwise) {
  if (leads_elsewhere()) return bad_input("{}: is a link into another file, {}: no file but the one given is read", place, foreign_link);
  if (!otherwise.empty()) return bad_input("{}: {}", place, otherwise);
  return bad_input("{}: cannot be opened: {}", place, failure());
}

Result<InputFile> open_file(OpenFile file, const std::string& path) {
  allow_work(std::min(file.size, kMostListed));
  Handle id = open_descriptor(file, path);
  if (!id) return bad_input("{}: cannot be read: {}", path, failure());
  bound_metadata_cache(id.get());
  return InputFile{std::move(file), std::move(id)};
}

Result<Handle> open_value(const InputFile& file, const std::string& path) {
  Handle value(has_link(file.id.get(), "value") ? H5Gopen2(file.id.get(), "value", H5P_DEFAULT) : -1, H5Gclose);
  if (!value) return cannot_open(leads_elsewhere() ? path + ": /value" : path, "there is no group /value");
  return value;
}

Result<Handle> open_record(const Handle& value, std::int64_t record, const std::string& place) {
  Handle group(H5Gopen2(value.get(), std::to_string(record).c_str(), H5P_DEFAULT), H5Gclose);
  if (!group) return cannot_open(place, "is not a group");
  return group;
}

void bound_metadata_cache(hid_t file) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  H5AC_cache_config_t config;
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Fget_mdc_config(file, &config) < 0) return;  // then the library's own limit stands
  config.set_initial_size = true;
  config.initial_size = config.min_size = config.max_size = kBytes;
  H5Fset_mdc_config(file, &config);
}

bool has_link(hid_t group, const std::string& name) { return H5Lexists(group, name.c_str(), H5P_DEFAULT) > 0; }

std::uint64_t link_count(hid_t group) {
  H5G_info_t info;
  return H5Gget_info(group, &info) >= 0 ? info.nlinks : std::numeric_limits<std::uint64_t>::max();
}

Result<std::vector<std::string>> link_names(hid_t group, const std::string& place) {
  std::vector<std::string> names;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, append_name, &names) < 0) {
    return bad_input("{}: cannot be listed: {}", place, failure());
  }
  return names;
}

Result<std::optional<std::string>> text_attribute(hid_t object, const char* name, const std::string& place) {
  VISQ_ASSIGN(const Handle attribute, open_attribute(object, name, place));
  if (!attribute) return std::optional<std::string>();
  const Handle type(H5Aget_type(attribute.get()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || count_elements(attribute) != 1) {
    return bad_input("{}: attribute {} is not one string", place, name);
  }
  auto text = read_text(attribute, type);
  if (!text) return bad_input("{}: attribute {} cannot be read: {}", place, name, failure());
  return text;
}

Result<std::optional<std::vector<float>>> float_attribute(hid_t object, const char* name, const std::string& place) {
  return numeric_attribute<float>(object, name, H5T_NATIVE_FLOAT, place);
}

Result<std::optional<std::vector<std::int64_t>>> integer_attribute(hid_t object, const char* name, const std::string& place) {
  return numeric_attribute<std::int64_t>(object, name, H5T_NATIVE_INT64, place);
}

}  // namespace visq::hdf5
