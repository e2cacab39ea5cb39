#include "data/hdf5/hdf5_storage.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "core/available_memory.h"
#include "core/checked.h"
#include "core/error.h"
#include "core/memory_size.h"
#include "core/sandbox.h"
#include "model/printable.h"
#include "visq/limits.h"

namespace visq::hdf5 {
namespace {

/// A name that the library copies into a buffer, shortened.
template <class Copy>
std::string text_of(Copy copy) {
  std::array<char, 256> text{};
  if (copy(text.data(), text.size()) < 0) return "?";
  text.back() = '\0';
  return printable(text.data());
}

Status refuse_external(hid_t properties, const std::string& place) {
  if (H5Pget_external_count(properties) <= 0) return {};
  const std::string file =
      text_of([&](char* text, std::size_t size) { return H5Pget_external(properties, 0, size, text, nullptr, nullptr); });
  return bad_input("{}: its data lie in another file, '{}': no file but the one given is read", place, file);
}

Error refuse_virtual(hid_t properties, const std::string& place) {
  std::size_t count = 0;
  if (H5Pget_virtual_count(properties, &count) < 0 || count == 0) return bad_input("{}: is a virtual dataset of nothing", place);
  const std::string file = text_of([&](char* text, std::size_t size) { return H5Pget_virtual_filename(properties, 0, text, size); });
  const std::string set = text_of([&](char* text, std::size_t size) { return H5Pget_virtual_dsetname(properties, 0, text, size); });
  return bad_input("{}: is a virtual dataset, of '{}' in '{}': no dataset but the one asked for is read", place, set, file);
}

/// Each filter once: the library has no measure of its own for what a filter makes of its input, and two in a row multiply.
Status check_filters(hid_t properties, const std::string& place) {
  std::set<H5Z_filter_t> seen;
  const int count = H5Pget_nfilters(properties);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    std::array<char, 64> name{};
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, nullptr, name.size() - 1, name.data(), nullptr);
    const bool built_in = filter > 0 && filter < H5Z_FILTER_RESERVED && H5Zfilter_avail(filter) > 0;
    if (!built_in) {
      return bad_input("{}: is packed by filter {} '{}', which the HDF5 library has not built in: plugins are not loaded", place, filter,
                       printable(name.data()));
    }
    if (!seen.insert(filter).second) return bad_input("{}: is packed twice by filter {} '{}'", place, filter, printable(name.data()));
  }
  return {};
}

Result<std::int64_t> chunk_bytes(const Handle& dataset, hid_t properties, const std::string& place) {
  hsize_t dims[H5S_MAX_RANK];
  const int rank = H5Pget_chunk(properties, H5S_MAX_RANK, dims);
  const Handle type(H5Dget_type(dataset.get()), H5Tclose);
  auto bytes = std::optional(static_cast<std::int64_t>(H5Tget_size(type.get())));
  for (int axis = 0; axis < rank && bytes; ++axis) bytes = checked_mul(*bytes, static_cast<std::int64_t>(dims[axis]));
  if (!bytes || rank < 1) return bad_input("{}: its chunks are far larger than the data", place);
  return std::max<std::int64_t>(*bytes, 1);
}

}  // namespace

Result<Storage> storage_of(const Handle& dataset, const std::string& place) {
  // Asking for the properties takes a tenth of a reading, and an address in this file says all.
  if (H5Dget_offset(dataset.get()) != HADDR_UNDEF) return Storage{};
  Storage storage{{H5Dget_create_plist(dataset.get()), H5Pclose}, 0};
  const hid_t properties = storage.properties.get();
  if (!storage.properties) return bad_input("{}: cannot be opened: {}", place, failure());
  VISQ_TRY(refuse_external(properties, place));
  const H5D_layout_t layout = H5Pget_layout(properties);
  if (layout == H5D_VIRTUAL) return refuse_virtual(properties, place);
  if (layout != H5D_CHUNKED) return storage;
  VISQ_TRY(check_filters(properties, place));
  VISQ_ASSIGN(storage.chunk, chunk_bytes(dataset, properties, place));
  return storage;
}

Status check_storage(const Handle& dataset, const Storage& storage, std::int64_t bytes, const std::string& place) {
  constexpr std::int64_t kAllowance = std::int64_t{4} << 20;  // chunk sizes that libraries choose by themselves are up to 1 MiB
  if (storage.chunk == 0) return {};
  if (storage.chunk > bytes + kAllowance) return bad_input("{}: its chunks are far larger than the data", place);
  if (H5Dget_storage_size(dataset.get()) > static_cast<hsize_t>(bytes + kAllowance)) {
    return bad_input("{}: far more is stored than its shape needs", place);
  }
  const auto chunk = static_cast<std::uint64_t>(storage.chunk);
  if (!affordable(chunk)) return bad_input("{}: no memory for one of its chunks: {}", place, memory_shortage(chunk));
  // A chunk as it is stored, twice its size where it grows by doubling, and what the next filter makes of it.
  allow_work(4 * chunk);
  return {};
}

}  // namespace visq::hdf5
