#include "data/hdf5/hdf5_array.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "core/checked.h"
#include "core/error.h"
#include "core/memory_size.h"
#include "core/sandbox.h"
#include "data/sources/input_spec.h"
#include "visq/limits.h"

namespace visq::hdf5 {
namespace {

Handle copy_of(hid_t type) { return {H5Tcopy(type), H5Tclose}; }

/// IEEE 754 binary16: HDF5 has no name for it, but converts any floating point format that it is told the fields of.
Handle half_type() {
  Handle type = copy_of(H5T_NATIVE_FLOAT);
  const bool ok =
      type && H5Tset_fields(type.get(), 15, 10, 5, 0, 10) >= 0 && H5Tset_size(type.get(), 2) >= 0 && H5Tset_ebias(type.get(), 15) >= 0;
  return ok ? std::move(type) : Handle();
}

/// numpy's bool, as h5py stores it.
Handle bool_type() {
  Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  const std::int8_t no = 0;
  const std::int8_t yes = 1;
  const bool ok = type && H5Tenum_insert(type.get(), "FALSE", &no) >= 0 && H5Tenum_insert(type.get(), "TRUE", &yes) >= 0;
  return ok ? std::move(type) : Handle();
}

/// numpy's complex, as h5py stores it.
Handle complex_type(hid_t part, std::size_t size) {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
  const bool ok = type && H5Tinsert(type.get(), "r", 0, part) >= 0 && H5Tinsert(type.get(), "i", size, part) >= 0;
  return ok ? std::move(type) : Handle();
}

Handle string_type() {
  Handle type = copy_of(H5T_C_S1);
  const bool ok = type && H5Tset_size(type.get(), H5T_VARIABLE) >= 0 && H5Tset_cset(type.get(), H5T_CSET_UTF8) >= 0;
  return ok ? std::move(type) : Handle();
}

std::optional<DType> integer_dtype(const Handle& type) {
  const bool is_signed = H5Tget_sign(type.get()) == H5T_SGN_2;
  switch (H5Tget_size(type.get())) {
    case 1:
      return is_signed ? DType::kInt8 : DType::kUInt8;
    case 2:
      return is_signed ? DType::kInt16 : DType::kUInt16;
    case 4:
      return is_signed ? DType::kInt32 : DType::kUInt32;
    case 8:
      return is_signed ? DType::kInt64 : DType::kUInt64;
    default:
      return std::nullopt;
  }
}

/// 16-bit formats other than binary16 (bfloat16) become float32, which holds all of them exactly.
std::optional<DType> float_dtype(const Handle& type) {
  switch (H5Tget_size(type.get())) {
    case 2:
      return H5Tget_ebias(type.get()) == 15 ? DType::kFloat16 : DType::kFloat32;
    case 4:
      return DType::kFloat32;
    case 8:
      return DType::kFloat64;
    default:
      return std::nullopt;
  }
}

std::string member_name(const Handle& type, unsigned index) {
  char* name = H5Tget_member_name(type.get(), index);
  std::string text = name != nullptr ? name : "";
  H5free_memory(name);
  return text;
}

std::optional<DType> enum_dtype(const Handle& type) {
  const bool is_bool = H5Tget_size(type.get()) == 1 && H5Tget_nmembers(type.get()) == 2;
  if (!is_bool) return std::nullopt;
  std::string names[] = {member_name(type, 0), member_name(type, 1)};
  std::sort(std::begin(names), std::end(names));
  return names[0] == "FALSE" && names[1] == "TRUE" ? std::optional(DType::kBool) : std::nullopt;
}

std::optional<DType> compound_dtype(const Handle& type) {
  const bool is_complex = H5Tget_nmembers(type.get()) == 2 && member_name(type, 0) == "r" && member_name(type, 1) == "i";
  if (!is_complex) return std::nullopt;
  const Handle part(H5Tget_member_type(type.get(), 0), H5Tclose);
  const auto dtype = H5Tget_class(part.get()) == H5T_FLOAT ? float_dtype(part) : std::nullopt;
  if (dtype == DType::kFloat32) return DType::kComplex64;
  return dtype == DType::kFloat64 ? std::optional(DType::kComplex128) : std::nullopt;
}

std::optional<DType> dtype_of(const Handle& type) {
  switch (H5Tget_class(type.get())) {
    case H5T_INTEGER:
      return integer_dtype(type);
    case H5T_FLOAT:
      return float_dtype(type);
    case H5T_ENUM:
      return enum_dtype(type);
    case H5T_COMPOUND:
      return compound_dtype(type);
    case H5T_STRING:
      return DType::kString;
    default:
      return std::nullopt;
  }
}

std::optional<Shape> shape_of(const Handle& dataset) {
  const Handle space(H5Dget_space(dataset.get()), H5Sclose);
  if (!space || H5Sget_simple_extent_type(space.get()) == H5S_NULL) return std::nullopt;
  hsize_t dims[H5S_MAX_RANK];
  const int rank = H5Sget_simple_extent_dims(space.get(), dims, nullptr);
  if (rank < 0) return std::nullopt;
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.push_back(static_cast<std::int64_t>(std::min<hsize_t>(dims[axis], INT64_MAX)));
  return shape;
}

Result<Handle> open_id(hid_t group, const std::string& name, const std::string& place) {
  Handle id(H5Oopen(group, name.c_str(), H5P_DEFAULT), H5Oclose);
  if (!id) {
    const Error why = cannot_open(place);
    return leads_elsewhere() || has_link(group, name) ? why : bad_input("{}: missing", place);
  }
  if (H5Iget_type(id.get()) != H5I_DATASET) return bad_input("{}: is not a dataset", place);
  return id;
}

Error cannot_read(const std::string& place) {
  if (failed_for_memory()) return bad_input("{}: takes more memory than its shape needs: it inflates without measure", place);
  return bad_input("{}: cannot be read: {}", place, failure());
}

/// Strings and raw bytes come besides the arrays that make_array() compares.
/// `what`: "strings", "raw bytes".
Status check_memory(std::int64_t bytes, const char* what, const std::string& place) {
  const auto needed = static_cast<std::uint64_t>(bytes);
  if (bytes > limits().input) {
    return bad_input("{}: {} of {} exceed the limit of {}; --max-input allows more", place, memory_size(needed), what,
                     memory_size(static_cast<std::uint64_t>(limits().input)));
  }
  return affordable(needed) ? Status{} : bad_input("{}: no memory: {}", place, memory_shortage(needed));
}

Status read_variable_strings(const Dataset& dataset, const Handle& type, const std::string& place, Array& array) {
  const Handle space(H5Dget_space(dataset.id.get()), H5Sclose);
  hsize_t bytes = 0;
  if (H5Dvlen_get_buf_size(dataset.id.get(), type.get(), space.get(), &bytes) < 0) return cannot_read(place);
  VISQ_TRY(check_memory(static_cast<std::int64_t>(std::min<hsize_t>(bytes, INT64_MAX)), "strings", place));
  allow_work(2 * bytes);
  std::vector<char*> texts(array.strings.size(), nullptr);
  if (H5Dread(dataset.id.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, static_cast<void*>(texts.data())) < 0) return cannot_read(place);
  for (std::size_t i = 0; i < texts.size(); ++i) array.strings[i] = texts[i] != nullptr ? texts[i] : "";
  H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, static_cast<void*>(texts.data()));
  return {};
}

Status read_fixed_strings(const Dataset& dataset, const Handle& type, const std::string& place, Array& array) {
  const std::size_t width = H5Tget_size(type.get());
  const auto bytes = checked_mul(static_cast<std::int64_t>(width), static_cast<std::int64_t>(array.strings.size()));
  VISQ_TRY(check_memory(bytes.value_or(INT64_MAX), "strings", place));
  VISQ_TRY(check_storage(dataset.id, dataset.storage, *bytes, place));
  allow_work(static_cast<std::uint64_t>(*bytes));
  std::string buffer(as_size(*bytes), '\0');
  if (H5Dread(dataset.id.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0) return cannot_read(place);
  for (std::size_t i = 0; i < array.strings.size(); ++i) {
    const std::string_view text = std::string_view(buffer).substr(i * width, width);
    array.strings[i] = text.substr(0, text.find('\0'));
  }
  return {};
}

/// Whether bytes of this type mean the same outside the library: no pointers, no references.
bool is_plain(const Handle& type) {
  const H5T_class_t kind = H5Tget_class(type.get());
  return (kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM || kind == H5T_OPAQUE || kind == H5T_BITFIELD ||
          kind == H5T_STRING) &&
         H5Tis_variable_str(type.get()) <= 0;
}

/// Elements of a selection of the file's space, all of it where there is none, into an array of as many numbers or bools.
Status read_numbers(const Dataset& dataset, const Handle& selection, Array& array, const std::string& place) {
  const Handle file_type(H5Dget_type(dataset.id.get()), H5Tclose);
  // A bool's one byte needs no conversion, and the library's would turn values beyond 0 and 1 into -1.
  const Handle memory_type = dataset.dtype == DType::kBool ? copy_of(file_type.get()) : element_type(dataset.dtype);
  const hsize_t elements = static_cast<hsize_t>(array.shape.elements());
  const Handle memory(selection ? H5Screate_simple(1, &elements, nullptr) : -1, H5Sclose);
  const hid_t from = selection ? selection.get() : H5S_ALL, to = memory ? memory.get() : H5S_ALL;
  if (H5Dread(dataset.id.get(), memory_type.get(), to, from, H5P_DEFAULT, array.bytes.data()) < 0) return cannot_read(place);
  if (dataset.dtype == DType::kBool) {
    for (std::byte& value : array.bytes) value = std::byte{value != std::byte{0}};
  }
  return {};
}

}  // namespace

Handle element_type(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return copy_of(H5T_NATIVE_FLOAT);
    case DType::kFloat64:
      return copy_of(H5T_NATIVE_DOUBLE);
    case DType::kFloat16:
      return half_type();
    case DType::kInt8:
    case DType::kInt4:
    case DType::kInt2:
      return copy_of(H5T_NATIVE_INT8);
    case DType::kUInt8:
    case DType::kUInt4:
      return copy_of(H5T_NATIVE_UINT8);
    case DType::kInt16:
      return copy_of(H5T_NATIVE_INT16);
    case DType::kUInt16:
      return copy_of(H5T_NATIVE_UINT16);
    case DType::kInt32:
      return copy_of(H5T_NATIVE_INT32);
    case DType::kUInt32:
      return copy_of(H5T_NATIVE_UINT32);
    case DType::kInt64:
      return copy_of(H5T_NATIVE_INT64);
    case DType::kUInt64:
      return copy_of(H5T_NATIVE_UINT64);
    case DType::kBool:
      return bool_type();
    case DType::kComplex64:
      return complex_type(H5T_NATIVE_FLOAT, sizeof(float));
    case DType::kComplex128:
      return complex_type(H5T_NATIVE_DOUBLE, sizeof(double));
    case DType::kString:
      return string_type();
    default:
      return {};
  }
}

Result<Dataset> open_dataset(hid_t group, const std::string& name, const std::string& place) {
  VISQ_ASSIGN(Handle id, open_id(group, name, place));
  VISQ_ASSIGN(Storage storage, storage_of(id, place));
  const Handle type(H5Dget_type(id.get()), H5Tclose);
  const auto dtype = type ? dtype_of(type) : std::nullopt;
  if (!dtype) return bad_input("{}: its HDF5 type is none of integer, float, bool, complex and string", place);
  const auto shape = shape_of(id);
  if (!shape) return bad_input("{}: has no shape", place);
  return Dataset{std::move(id), std::move(storage), *dtype, *shape};
}

Result<Array> read_one(const Dataset& dataset, std::int64_t index, const std::string& place) {
  if (dataset.dtype == DType::kString) return bad_input("{}: strings cannot be read record by record", place);
  const Shape shape(dataset.shape.dims().subspan(1));
  VISQ_ASSIGN(const std::int64_t bytes, data::check_size(dataset.dtype, shape, place));
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  const auto all = checked_mul(bytes, dataset.shape[0]);
  if (!all || *all > kMost) return bad_input("{}: shape {} is larger than any file", place, to_string(dataset.shape));
  VISQ_TRY(check_storage(dataset.id, dataset.storage, *all, place));
  allow_work(static_cast<std::uint64_t>(bytes));
  std::vector<hsize_t> begin(as_size(dataset.shape.rank()), 0), count;
  begin[0] = static_cast<hsize_t>(index);
  for (const std::int64_t size : dataset.shape.dims()) count.push_back(static_cast<hsize_t>(size));
  count[0] = 1;
  const Handle selection(H5Dget_space(dataset.id.get()), H5Sclose);
  if (H5Sselect_hyperslab(selection.get(), H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr) < 0) return cannot_read(place);
  Array array = make_array(dataset.dtype, shape);
  VISQ_TRY(read_numbers(dataset, selection, array, place));
  return array;
}

Result<Array> read(const Dataset& dataset, const std::string& place) {
  VISQ_ASSIGN(const std::int64_t bytes, data::check_size(dataset.dtype, dataset.shape, place));
  VISQ_TRY(check_storage(dataset.id, dataset.storage, bytes, place));
  allow_work(static_cast<std::uint64_t>(bytes));
  const Handle file_type(H5Dget_type(dataset.id.get()), H5Tclose);
  Array array = make_array(dataset.dtype, dataset.shape);
  if (dataset.dtype == DType::kString) {
    const bool variable = H5Tis_variable_str(file_type.get()) > 0;
    VISQ_TRY(variable ? read_variable_strings(dataset, file_type, place, array) : read_fixed_strings(dataset, file_type, place, array));
    return array;
  }
  VISQ_TRY(read_numbers(dataset, {}, array, place));
  return array;
}

Result<std::vector<std::byte>> read_raw(hid_t group, const std::string& name, std::int64_t bytes, const std::string& place) {
  VISQ_ASSIGN(const Handle id, open_id(group, name, place));
  VISQ_ASSIGN(const Storage storage, storage_of(id, place));
  const Handle type(H5Dget_type(id.get()), H5Tclose);
  const auto shape = shape_of(id);
  if (!type || !is_plain(type) || !shape) return bad_input("{}: has no raw bytes", place);
  const auto elements = checked_elements(shape->dims());
  const auto found = elements ? checked_mul(*elements, static_cast<std::int64_t>(H5Tget_size(type.get()))) : std::nullopt;
  if (!found || *found != bytes) {
    return bad_input("{}: {} raw bytes, expected {}", place, found ? std::to_string(*found) : "too many", bytes);
  }
  VISQ_TRY(check_storage(id, storage, bytes, place));
  VISQ_TRY(check_memory(bytes, "raw bytes", place));
  allow_work(static_cast<std::uint64_t>(bytes));
  std::vector<std::byte> values(as_size(bytes));
  if (H5Dread(id.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return cannot_read(place);
  return values;
}

}  // namespace visq::hdf5
