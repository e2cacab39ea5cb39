// Writing feature maps to HDF5. The layout is described in visq/dump.h.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/half.h"
#include "data/hdf5.h"
#include "data/hdf5_array.h"
#include "visq/dump.h"

namespace visq {

using hdf5::Handle;

/// Closing order matters: the temporary goes last.
struct DumpWriter::State {
  explicit State(const std::string& final_path) : path(final_path), temporary(final_path) {}
  std::string path;
  TemporaryFile temporary;
  Handle file, value, record;  // closed in reverse, before the temporary is removed
  std::string record_name;
};

namespace {

Error cannot_write(const std::string& path) { return bad_input("{}: cannot be written: {}", path, hdf5::failure()); }

Handle scalar_space() { return {H5Screate(H5S_SCALAR), H5Sclose}; }

Handle space_of(const Shape& shape) {
  if (shape.rank() == 0) return scalar_space();
  if (shape.rank() > H5S_MAX_RANK) return {};
  hsize_t dims[H5S_MAX_RANK];
  for (int axis = 0; axis < shape.rank(); ++axis) dims[axis] = static_cast<hsize_t>(shape[axis]);
  return {H5Screate_simple(shape.rank(), dims, nullptr), H5Sclose};
}

/// Properties of groups and datasets: no time stamps, so that equal maps make equal files.
Handle properties(hid_t kind) {
  Handle list(H5Pcreate(kind), H5Pclose);
  H5Pset_obj_track_times(list.get(), false);
  return list;
}

Handle make_group(const Handle& parent, const char* name) {
  const Handle creation = properties(H5P_GROUP_CREATE);
  return {H5Gcreate2(parent.get(), name, H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Gclose};
}

bool write_attribute(const Handle& object, const char* name, const Handle& type, const Handle& space, const void* value) {
  const Handle attribute(H5Acreate2(object.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), type.get(), value) >= 0;
}

bool write_text(const Handle& object, const char* name, const std::string& text) {
  const char* pointer = text.c_str();
  return write_attribute(object, name, hdf5::element_type(DType::kString), scalar_space(), static_cast<const void*>(&pointer));
}

bool write_quantization(const Handle& dataset, const Quantization& quantization) {
  const Handle space = space_of({static_cast<std::int64_t>(quantization.scale.size())});
  const std::int64_t axis = quantization.axis;
  return write_attribute(dataset, "scale", hdf5::element_type(DType::kFloat32), space, quantization.scale.data()) &&
         write_attribute(dataset, "zero_point", hdf5::element_type(DType::kInt64), space, quantization.zero_point.data()) &&
         write_attribute(dataset, "quantized_dimension", hdf5::element_type(DType::kInt64), scalar_space(), &axis);
}

bool write_elements(const Handle& dataset, const Handle& type, const void* elements) {
  return H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) >= 0;
}

/// The map's elements in the type they are stored in.
bool write_map(const Handle& dataset, const Handle& type, const FeatureMap& map) {
  const auto count = static_cast<std::size_t>(map.shape.elements());
  if (count == 0) return true;
  if (map.dtype == DType::kString) {
    std::vector<const char*> texts;
    for (const std::string& text : map.strings) texts.push_back(text.c_str());
    return write_elements(dataset, type, static_cast<const void*>(texts.data()));
  }
  if (map.dtype == DType::kBFloat16) {
    std::vector<float> wide(count);
    for (std::size_t i = 0; i < count; ++i) {
      BFloat16 value = 0;
      std::memcpy(&value, map.data + sizeof value * i, sizeof value);
      wide[i] = value;
    }
    return write_elements(dataset, type, wide.data());
  }
  return write_elements(dataset, type, map.data);
}

/// Makes sure that what was written is on the disk: only then may the file take its name.
Status flush(const std::string& temporary, const std::string& path) {
  const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  const bool ok = descriptor >= 0 && ::fsync(descriptor) == 0;
  const std::string reason = std::strerror(errno);
  if (descriptor >= 0) ::close(descriptor);
  return ok ? Status() : Status(bad_input("{}: cannot be written: {}", path, reason));
}

}  // namespace

DumpWriter::DumpWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

DumpWriter::~DumpWriter() {
  const hdf5::Session session;
  state_.reset();
}

Result<std::unique_ptr<DumpWriter>> DumpWriter::create(const std::string& path, const std::string& model, Mode mode) {
  std::error_code missing;
  const auto status = std::filesystem::status(path, missing);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return bad_input("{}: cannot be written: is not a file", path);
  }
  const hdf5::Session session;
  auto state = std::make_unique<State>(path);
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  // Newer object formats: compact groups, and attributes of any size (a scale per channel).
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  const Handle creation = properties(H5P_FILE_CREATE);
  state->file = Handle(H5Fcreate(state->temporary.path().c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose);
  if (!state->file) return cannot_write(path);
  hdf5::bound_metadata_cache(state->file.get());
  state->value = make_group(state->file, "value");
  const bool ok = state->value && write_text(state->file, "model", std::filesystem::path(model).filename()) &&
                  write_text(state->file, "mode", std::string(name(mode)));
  if (!ok) return cannot_write(path);
  return std::unique_ptr<DumpWriter>(new DumpWriter(std::move(state)));
}

Status DumpWriter::begin_record(std::int64_t index) {
  const hdf5::Session session;
  state_->record_name = std::to_string(index);
  state_->record = make_group(state_->value, state_->record_name.c_str());
  return state_->record ? Status() : Status(cannot_write(state_->path));
}

Status DumpWriter::add(const FeatureMap& map) {
  const hdf5::Session session;
  const Handle type = hdf5::element_type(map.dtype == DType::kBFloat16 ? DType::kFloat32 : map.dtype);
  if (!type) return {};  // resources and the like are left out
  const std::string place = fmt::format("{}: record {}, tensor {}", state_->path, state_->record_name, map.tensor);
  const Handle space = space_of(map.shape);
  if (!space) return bad_input("{}: shape {} cannot be stored", place, to_string(map.shape));
  const Handle creation = properties(H5P_DATASET_CREATE);
  const Handle dataset(H5Dcreate2(state_->record.get(), std::to_string(map.tensor).c_str(), type.get(), space.get(), H5P_DEFAULT,
                                  creation.get(), H5P_DEFAULT),
                       H5Dclose);
  const bool ok = dataset && write_map(dataset, type, map) && write_text(dataset, "name", map.info->name) &&
                  (!map.info->quantization.quantized() || write_quantization(dataset, map.info->quantization));
  return ok ? Status() : Status(cannot_write(place));
}

Status DumpWriter::commit() {
  const hdf5::Session session;
  const bool groups_closed = state_->record.close() && state_->value.close();
  if (!groups_closed || !state_->file.close()) return cannot_write(state_->path);
  VISQ_TRY(flush(state_->temporary.path(), state_->path));
  return state_->temporary.commit();
}

}  // namespace visq
