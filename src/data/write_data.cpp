// Records as HDF5 test data.
#include "core/error.h"
#include "data/hdf5/hdf5_array.h"
#include "data/hdf5/hdf5_write.h"
#include "visq/data.h"

namespace visq {
namespace {

using hdf5::Handle;

Status write_input(const Handle& group, std::size_t position, const Array& array, const std::string& place) {
  const Handle type = hdf5::stored_type(array.dtype), space = hdf5::space_of(array.shape);
  if (!type || !space) return bad_input("{}: {} of shape {} cannot be stored", place, name(array.dtype), to_string(array.shape));
  const Handle dataset = hdf5::make_dataset(group, std::to_string(position).c_str(), type, space);
  const bool ok = dataset && hdf5::write_array(dataset, array.dtype, array.shape, array.bytes.data(), array.strings);
  return ok ? Status() : Status(hdf5::cannot_write(place));
}

Status write_record(const Handle& value, std::size_t position, const Record& record, const std::string& path) {
  const Handle group = hdf5::make_group(value, std::to_string(position).c_str());
  const bool ok = group && hdf5::write_attribute(group, "record", hdf5::element_type(DType::kInt64), hdf5::scalar_space(), &record.index);
  if (!ok) return hdf5::cannot_write(path);
  for (std::size_t i = 0; i < record.inputs.size(); ++i) {
    VISQ_TRY(write_input(group, i, record.inputs[i], fmt::format("{}: record {}, input {}", path, position, i)));
  }
  return {};
}

}  // namespace

Status write_data(const std::string& path, const std::vector<Record>& records) {
  const hdf5::Session session;
  TemporaryFile temporary(path);
  VISQ_ASSIGN(Handle file, hdf5::create_file(temporary, path));
  Handle value = hdf5::make_group(file, "value");
  if (!value) return hdf5::cannot_write(path);
  for (std::size_t i = 0; i < records.size(); ++i) VISQ_TRY(write_record(value, i, records[i], path));
  const bool closed = value.close() && file.close();
  return closed ? hdf5::commit(temporary, path) : Status(hdf5::cannot_write(path));
}

}  // namespace visq
