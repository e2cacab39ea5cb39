#include "data/hdf5/hdf5_write.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/as_size.h"
#include "core/error.h"
#include "core/half.h"
#include "data/hdf5/hdf5_array.h"

namespace visq::hdf5 {
namespace {

/// Properties of files, groups and datasets: no time stamps.
Handle properties(hid_t kind) {
  Handle list(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(list.get(), false);
  return list;
}

}  // namespace

Error cannot_write(const std::string& path) { return bad_input("{}: cannot be written: {}", path, failure()); }

Handle scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose}; }

Handle space_of(const Shape& shape) {
  if (shape.rank() == 0) return scalar_space();
  if (shape.rank() > H5S_MAX_RANK) return {};
  hsize_t dims[H5S_MAX_RANK];
  for (int axis = 0; axis < shape.rank(); ++axis) dims[axis] = static_cast<hsize_t>(shape[axis]);
  return {H5Screate_simple(shape.rank(), dims, nullptr), H5Sclose};
}

Result<Handle> create_file(const TemporaryFile& temporary, const std::string& final_path) {
  std::error_code missing;
  const auto status = std::filesystem::status(final_path, missing);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return bad_input("{}: cannot be written: is not a file", final_path);
  }
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Newer object formats: compact groups, and attributes of any size (a scale per channel).
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  const Handle creation = properties(H5P_FILE_CREATE);
  Handle file(H5Fcreate(temporary.path().c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
  if (!file) return cannot_write(final_path);
  bound_metadata_cache(file.get());
  return file;
}

Status commit(TemporaryFile& temporary, const std::string& final_path) {
  const int descriptor = ::open(temporary.path().c_str(), O_RDONLY | O_CLOEXEC);
  const bool ok = descriptor >= 0 && ::fsync(descriptor) == 0;
  const std::string reason = std::strerror(errno);
  if (descriptor >= 0) ::close(descriptor);
  if (!ok) return bad_input("{}: cannot be written: {}", final_path, reason);
  return temporary.commit();
}

Handle make_group(const Handle& parent, const char* name) {
  const Handle creation = properties(H5P_GROUP_CREATE);
  return {H5Gcreate2(parent.get(), name, H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Gclose};
}

Handle make_dataset(const Handle& group, const char* name, const Handle& type, const Handle& space) {
  const Handle creation = properties(H5P_DATASET_CREATE);
  return {H5Dcreate2(group.get(), name, type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose};
}

bool write_attribute(const Handle& object, const char* name, const Handle& type, const Handle& space, const void* value) {
  const Handle attribute(H5Acreate2(object.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), type.get(), value) >= 0;
}

bool write_text(const Handle& object, const char* name, const std::string& text) {
  const char* pointer = text.c_str();
  return write_attribute(object, name, element_type(DType::kString), scalar_space(), static_cast<const void*>(&pointer));
}

bool write_elements(const Handle& dataset, const Handle& type, const void* elements) {
  return H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) >= 0;
}

Handle stored_type(DType dtype) { return element_type(dtype == DType::kBFloat16 ? DType::kFloat32 : dtype); }

bool write_array(const Handle& dataset, DType dtype, const Shape& shape, const std::byte* elements, std::span<const std::string> strings) {
  const auto count = as_size(shape.elements());
  const Handle type = stored_type(dtype);
  if (count == 0) return true;
  if (dtype == DType::kString) {
    std::vector<const char*> texts;
    for (const std::string& text : strings) texts.push_back(text.c_str());
    return write_elements(dataset, type, static_cast<const void*>(texts.data()));
  }
  if (dtype == DType::kBFloat16) {
    std::vector<float> wide(count);
    for (std::size_t i = 0; i < count; ++i) {
      BFloat16 value = 0;
      std::memcpy(&value, elements + sizeof value * i, sizeof value);
      wide[i] = value;
    }
    return write_elements(dataset, type, wide.data());
  }
  return write_elements(dataset, type, elements);
}

}  // namespace visq::hdf5
