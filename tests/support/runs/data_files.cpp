#include "support/runs/data_files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "data/hdf5/hdf5_array.h"

namespace visq::testing {

using hdf5::Handle;

DataFolder::DataFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "visq-data-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

DataFolder::~DataFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string DataFolder::file(const std::string& name) const {
  const auto path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  return path.string();
}

std::vector<std::string> DataFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

struct Hdf5File::State {
  Handle file;
  Handle links;  ///< creates groups on the way
};

namespace {

/// Tests build files that are well-formed HDF5: a failing call is the test's fault.
Handle must(hid_t id, Handle::Close close) {
  if (id < 0) throw std::runtime_error("HDF5: " + hdf5::failure());
  return {id, close};
}

void must(herr_t status) {
  if (status < 0) throw std::runtime_error("HDF5: " + hdf5::failure());
}

Handle space_of(const Shape& shape) {
  std::vector<hsize_t> dims(shape.dims().begin(), shape.dims().end());
  return shape.rank() == 0 ? must(H5Screate(H5S_SCALAR), H5Sclose) : must(H5Screate_simple(shape.rank(), dims.data(), nullptr), H5Sclose);
}

Handle file_type(DType dtype, Storage storage) {
  Handle type = hdf5::element_type(dtype);
  if (storage == Storage::kBigEndian) must(H5Tset_order(type.get(), H5T_ORDER_BE));
  return type;
}

Handle creation(const Shape& shape, Storage storage) {
  Handle list = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (storage == Storage::kCompressed) {
    std::vector<hsize_t> chunk(shape.dims().begin(), shape.dims().end());
    chunk.back() = (chunk.back() + 1) / 2;
    must(H5Pset_chunk(list.get(), shape.rank(), chunk.data()));
    must(H5Pset_deflate(list.get(), 9));
  }
  return list;
}

Handle three_floats(const Handle& file, const std::string& name, const Handle& links, const Handle& properties) {
  return must(H5Dcreate2(file.get(), name.c_str(), H5T_NATIVE_FLOAT, space_of({3}).get(), links.get(), properties.get(), H5P_DEFAULT),
              H5Dclose);
}

}  // namespace

Hdf5File::Hdf5File(const std::string& path) : state_(std::make_unique<State>()) {
  const hdf5::Session session;
  state_->file = must(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  state_->links = must(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  must(H5Pset_create_intermediate_group(state_->links.get(), 1));
}

Hdf5File::~Hdf5File() {
  const hdf5::Session session;
  state_.reset();
}

Hdf5File& Hdf5File::group(const std::string& name) {
  const hdf5::Session session;
  must(H5Gcreate2(state_->file.get(), name.c_str(), state_->links.get(), H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  return *this;
}

Hdf5File& Hdf5File::dataset(const std::string& name, const Array& array, Storage storage) {
  const hdf5::Session session;
  const Handle memory = hdf5::element_type(array.dtype);
  const Handle set = must(H5Dcreate2(state_->file.get(), name.c_str(), file_type(array.dtype, storage).get(), space_of(array.shape).get(),
                                     state_->links.get(), creation(array.shape, storage).get(), H5P_DEFAULT),
                          H5Dclose);
  std::vector<const char*> texts;
  for (const std::string& text : array.strings) texts.push_back(text.c_str());
  const void* elements = texts.empty() ? static_cast<const void*>(array.bytes.data()) : static_cast<const void*>(texts.data());
  must(H5Dwrite(set.get(), memory.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements));
  return *this;
}

Hdf5File& Hdf5File::declare(const std::string& name, const Shape& shape, std::int64_t chunk_elements) {
  const hdf5::Session session;
  const Handle list = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  std::vector<hsize_t> chunk(static_cast<std::size_t>(shape.rank()), 1);
  chunk.back() = static_cast<hsize_t>(chunk_elements);
  must(H5Pset_chunk(list.get(), shape.rank(), chunk.data()));
  must(H5Pset_deflate(list.get(), 9));
  std::vector<hsize_t> dims(shape.dims().begin(), shape.dims().end());
  const std::vector<hsize_t> unlimited(dims.size(), H5S_UNLIMITED);
  const Handle space = must(H5Screate_simple(shape.rank(), dims.data(), unlimited.data()), H5Sclose);
  must(H5Dcreate2(state_->file.get(), name.c_str(), H5T_NATIVE_FLOAT, space.get(), state_->links.get(), list.get(), H5P_DEFAULT), H5Dclose);
  return *this;
}

Hdf5File& Hdf5File::fixed_strings(const std::string& name, const std::vector<std::string>& texts) {
  const hdf5::Session session;
  constexpr std::size_t kWidth = 8;
  const Handle type = must(H5Tcopy(H5T_C_S1), H5Tclose);
  must(H5Tset_size(type.get(), kWidth));
  std::string bytes;
  for (std::string text : texts) {
    text.resize(kWidth, '\0');
    bytes += text;
  }
  const Handle space = space_of({static_cast<std::int64_t>(texts.size())});
  const Handle set =
      must(H5Dcreate2(state_->file.get(), name.c_str(), type.get(), space.get(), state_->links.get(), H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  must(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
  return *this;
}

Hdf5File& Hdf5File::opaque(const std::string& name, std::string_view bytes) {
  const hdf5::Session session;
  const Handle type = must(H5Tcreate(H5T_OPAQUE, bytes.size()), H5Tclose);
  const Handle space = space_of({});
  const Handle set =
      must(H5Dcreate2(state_->file.get(), name.c_str(), type.get(), space.get(), state_->links.get(), H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  must(H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
  return *this;
}

Hdf5File& Hdf5File::other_enum(const std::string& name) {
  const hdf5::Session session;
  const Handle type = must(H5Tenum_create(H5T_NATIVE_INT32), H5Tclose);
  const std::int32_t red = 1;
  must(H5Tenum_insert(type.get(), "RED", &red));
  must(H5Dcreate2(state_->file.get(), name.c_str(), type.get(), space_of({2}).get(), state_->links.get(), H5P_DEFAULT, H5P_DEFAULT),
       H5Dclose);
  return *this;
}

Hdf5File& Hdf5File::soft_link(const std::string& name, const std::string& target) {
  const hdf5::Session session;
  must(H5Lcreate_soft(target.c_str(), state_->file.get(), name.c_str(), state_->links.get(), H5P_DEFAULT));
  return *this;
}

Hdf5File& Hdf5File::external_link(const std::string& name, const std::string& file, const std::string& object) {
  const hdf5::Session session;
  must(H5Lcreate_external(file.c_str(), object.c_str(), state_->file.get(), name.c_str(), state_->links.get(), H5P_DEFAULT));
  return *this;
}

Hdf5File& Hdf5File::external_data(const std::string& name, const std::string& file) {
  const hdf5::Session session;
  const Handle list = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  must(H5Pset_external(list.get(), file.c_str(), 0, H5F_UNLIMITED));
  three_floats(state_->file, name, state_->links, list);
  return *this;
}

Hdf5File& Hdf5File::virtual_data(const std::string& name, const std::string& file, const std::string& dataset) {
  const hdf5::Session session;
  const Handle list = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  must(H5Pset_virtual(list.get(), space_of({3}).get(), file.c_str(), dataset.c_str(), space_of({3}).get()));
  three_floats(state_->file, name, state_->links, list);
  return *this;
}

Hdf5File& Hdf5File::filtered(const std::string& name, const std::vector<int>& filters) {
  const hdf5::Session session;
  const Handle list = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hsize_t chunk = 3;
  must(H5Pset_chunk(list.get(), 1, &chunk));
  const unsigned level = 9;
  for (const int filter : filters) must(H5Pset_filter(list.get(), filter, H5Z_FLAG_OPTIONAL, 1, &level));
  three_floats(state_->file, name, state_->links, list);
  return *this;
}

Hdf5File& Hdf5File::bomb(const std::string& name, std::size_t bytes) {
  const hdf5::Session session;
  const auto chunked = [&](const std::string& set, hid_t type, hsize_t elements) {
    const Handle list = must(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    must(H5Pset_chunk(list.get(), 1, &elements));
    must(H5Pset_deflate(list.get(), 1));
    const Handle space = space_of({static_cast<std::int64_t>(elements)});
    return must(H5Dcreate2(state_->file.get(), set.c_str(), type, space.get(), state_->links.get(), list.get(), H5P_DEFAULT), H5Dclose);
  };
  const std::vector<std::byte> zeros(bytes);
  const Handle large = chunked(name + ".zeros", H5T_NATIVE_INT8, bytes), small = chunked(name, H5T_NATIVE_FLOAT, 100);
  must(H5Dwrite(large.get(), H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data()));
  must(H5Dflush(large.get()));
  const hsize_t first = 0;
  hsize_t packed = 0;
  must(H5Dget_chunk_storage_size(large.get(), &first, &packed));
  std::vector<std::byte> chunk(packed);
  std::uint32_t filters = 0;
  must(H5Dread_chunk(large.get(), H5P_DEFAULT, &first, &filters, chunk.data()));
  must(H5Dwrite_chunk(small.get(), H5P_DEFAULT, 0, &first, chunk.size(), chunk.data()));
  must(H5Ldelete(state_->file.get(), (name + ".zeros").c_str(), H5P_DEFAULT));
  return *this;
}

Hdf5File& Hdf5File::text_attribute(const std::string& object, const char* name, const std::string& value, bool variable) {
  const hdf5::Session session;
  const Handle target = must(H5Oopen(state_->file.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
  const Handle type = must(H5Tcopy(H5T_C_S1), H5Tclose);
  must(H5Tset_size(type.get(), variable ? H5T_VARIABLE : value.size()));
  const Handle attribute = must(H5Acreate2(target.get(), name, type.get(), space_of({}).get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const char* text = value.c_str();
  must(H5Awrite(attribute.get(), type.get(), variable ? static_cast<const void*>(&text) : static_cast<const void*>(text)));
  return *this;
}

Hdf5File& Hdf5File::integer_attribute(const std::string& object, const char* name, std::int64_t value) {
  const hdf5::Session session;
  const Handle target = must(H5Oopen(state_->file.get(), object.c_str(), H5P_DEFAULT), H5Oclose);
  const Handle attribute = must(H5Acreate2(target.get(), name, H5T_STD_I16BE, space_of({}).get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  must(H5Awrite(attribute.get(), H5T_NATIVE_INT64, &value));
  return *this;
}

std::string npy(std::string_view dictionary, std::string_view bytes) {
  std::string file("\x93NUMPY\x01\x00", 8);
  std::string header(dictionary);
  header += '\n';
  file += static_cast<char>(header.size() & 0xFF);
  file += static_cast<char>(header.size() >> 8);
  return file + header + std::string(bytes);
}

std::string npy(std::string_view code, const Array& array) {
  std::string shape;
  for (const auto size : array.shape.dims()) shape += fmt::format("{}, ", size);
  const std::string_view bytes(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return npy(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", code, shape), bytes);
}

void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace visq::testing
