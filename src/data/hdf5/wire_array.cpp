#include "data/hdf5/wire_array.h"

#include <cstdint>
#include <limits>
#include <new>

#include "core/as_size.h"
#include "data/sources/input_spec.h"
#include "visq/limits.h"

namespace visq::data {
namespace {

constexpr std::uint64_t kMaxRank = 32;  // of HDF5, and of .npy files

/// Where there is no memory, the rest of what is sent is lost.
Array room_for(DType dtype, Shape shape, WireReader& in) {
  try {
    return make_array(dtype, std::move(shape));
  } catch (const std::bad_alloc&) {
    in.fail();
    throw;
  }
}

}  // namespace

void write_shape(const Shape& shape, WireWriter& out) {
  out.number(static_cast<std::uint64_t>(shape.rank()));
  for (const std::int64_t size : shape.dims()) out.number(static_cast<std::uint64_t>(size));
}

Shape read_shape(WireReader& in) {
  Shape shape;
  const std::uint64_t rank = in.number(kMaxRank + 1);  // an axis may have been added
  for (std::uint64_t axis = 0; axis < rank; ++axis) shape.push_back(in.signed_number(std::numeric_limits<std::int64_t>::max()));
  return shape;
}

DType read_dtype(WireReader& in) { return static_cast<DType>(in.number(kDTypeCount - 1)); }

void write_array(const Array& array, WireWriter& out) {
  out.number(static_cast<std::uint64_t>(array.dtype));
  write_shape(array.shape, out);
  out.bytes(array.bytes);
  for (const std::string& text : array.strings) out.text(text);
}

Array read_array(WireReader& in) {
  const DType dtype = read_dtype(in);
  Shape shape = read_shape(in);
  const bool known = dtype == DType::kString || size_of(dtype) > 0;
  if (!known || !check_size(dtype, shape, "").ok()) in.fail();
  if (!in.ok()) return {};
  Array array = room_for(dtype, std::move(shape), in);
  in.bytes(array.bytes);
  auto left = as_size(limits().input);
  for (std::string& text : array.strings) {
    text = in.text(left);
    left -= text.size();
    if (!in.ok()) break;
  }
  return array;
}

}  // namespace visq::data
