#include "data/hdf5.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "data/hdf5_version.h"
#include "data/library_fault.h"
#include "model/printable.h"

namespace visq::hdf5 {
namespace {

constexpr hssize_t kMaxAttributeElements = 1 << 20;

std::recursive_mutex& library_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// What the last failing call of this thread said. Later calls, such as closing handles, clear the library's own error stack.
thread_local std::string last_failure;

constinit thread_local std::string_view current_file;

/// Keeps the innermost message of the error stack, which is the first one walked upward. No exception may pass through the library.
herr_t keep_innermost(unsigned level, const H5E_error2_t* error, void*) {
  try {
    if (level == 0 && error->desc != nullptr) last_failure = error->desc;
  } catch (const std::bad_alloc&) {
    last_failure.clear();
  }
  return 0;
}

/// Called by the library, in place of printing, when a call has failed.
herr_t note_failure(hid_t stack, void*) { return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, nullptr); }

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

/// The one string of an attribute, of variable or fixed length; nothing on failure.
std::optional<std::string> read_text(const Handle& attribute, const Handle& type) {
  if (H5Tis_variable_str(type.get()) > 0) {
    const Handle memory(H5Tcopy(type.get()), H5Tclose);
    char* text = nullptr;
    if (!memory || H5Aread(attribute.get(), memory.get(), static_cast<void*>(&text)) < 0) return std::nullopt;
    std::string value = text != nullptr ? text : "";
    H5free_memory(text);
    return value;
  }
  const std::size_t size = H5Tget_size(type.get());
  if (size > static_cast<std::size_t>(kMaxAttributeElements)) return std::nullopt;
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
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 0 || count > kMaxAttributeElements) {
    return bad_input("{}: attribute {} does not hold numbers", place, name);
  }
  std::vector<T> values(static_cast<std::size_t>(count));
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

std::string_view file_in_library() { return current_file; }

Session::Session(std::string_view path) : lock_(library_mutex()), outer_(std::exchange(current_file, path)) {
  static std::once_flag first;
  std::call_once(first, [] { H5dont_atexit(); });
  H5Eset_auto2(H5E_DEFAULT, note_failure, nullptr);  // where the library is thread-safe, each thread has its own setting
  last_failure.clear();
}

Session::~Session() { current_file = outer_; }

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

Result<Handle> open_file(const std::string& path) {
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) return bad_input("{}: cannot be read: {}", path, failure());
  bound_metadata_cache(file.get());
  return file;
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
