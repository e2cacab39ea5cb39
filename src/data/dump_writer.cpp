// Writing feature maps to HDF5. The layout is described in visq/dump.h.
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "data/hdf5/hdf5_array.h"
#include "data/hdf5/hdf5_write.h"
#include "data/sources/input_spec.h"
#include "visq/dump.h"

namespace visq {

using hdf5::cannot_write;
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

bool write_quantization(const Handle& dataset, const Quantization& quantization) {
  const Handle space = hdf5::space_of({static_cast<std::int64_t>(quantization.scale.size())});
  const std::int64_t axis = quantization.axis;
  return hdf5::write_attribute(dataset, "scale", hdf5::element_type(DType::kFloat32), space, quantization.scale.data()) &&
         hdf5::write_attribute(dataset, "zero_point", hdf5::element_type(DType::kInt64), space, quantization.zero_point.data()) &&
         hdf5::write_attribute(dataset, "quantized_dimension", hdf5::element_type(DType::kInt64), hdf5::scalar_space(), &axis);
}

}  // namespace

DumpWriter::DumpWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

DumpWriter::~DumpWriter() {
  const hdf5::Session session;
  state_.reset();
}

Result<std::unique_ptr<DumpWriter>> DumpWriter::create(const std::string& path, const std::string& model, Mode mode) {
  const hdf5::Session session;
  auto state = std::make_unique<State>(path);
  VISQ_ASSIGN(state->file, hdf5::create_file(state->temporary, path));
  state->value = hdf5::make_group(state->file, "value");
  const bool ok = state->value && hdf5::write_text(state->file, "model", std::filesystem::path(model).filename()) &&
                  hdf5::write_text(state->file, "mode", std::string(name(mode)));
  if (!ok) return cannot_write(path);
  return std::unique_ptr<DumpWriter>(new DumpWriter(std::move(state)));
}

Status DumpWriter::begin_record(std::int64_t index) {
  const hdf5::Session session;
  state_->record_name = std::to_string(index);
  state_->record = hdf5::make_group(state_->value, state_->record_name.c_str());
  return state_->record ? Status() : Status(cannot_write(state_->path));
}

Status DumpWriter::add(const FeatureMap& map) {
  const hdf5::Session session;
  const Handle type = hdf5::stored_type(map.dtype);
  if (!type) return {};  // resources and the like are left out
  const std::string place = fmt::format("{}: record {}, tensor {}", state_->path, state_->record_name, map.tensor);
  // What is larger could not be read back.
  VISQ_TRY(data::check_size(map.dtype, map.shape, place));
  const Handle space = hdf5::space_of(map.shape);
  if (!space) return bad_input("{}: shape {} cannot be stored", place, to_string(map.shape));
  const Handle dataset = hdf5::make_dataset(state_->record, std::to_string(map.tensor).c_str(), type, space);
  const bool ok = dataset && hdf5::write_array(dataset, map.dtype, map.shape, map.data, map.strings) &&
                  hdf5::write_text(dataset, "name", map.info->name) &&
                  (!map.info->quantization.quantized() || write_quantization(dataset, map.info->quantization));
  return ok ? Status() : Status(cannot_write(place));
}

Status DumpWriter::commit() {
  const hdf5::Session session;
  const bool groups_closed = state_->record.close() && state_->value.close();
  if (!groups_closed || !state_->file.close()) return cannot_write(state_->path);
  return hdf5::commit(state_->temporary, state_->path);
}

}  // namespace visq
