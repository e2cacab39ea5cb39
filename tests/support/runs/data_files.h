// Data files made by hand: HDF5 through its C API, .npy byte by byte.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "visq/tensor.h"

namespace visq::testing {

/// A folder of its own that disappears with everything in it.
class DataFolder {
 public:
  DataFolder();
  ~DataFolder();
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;
  /// Path of a file or folder in it; folders above it are created.
  std::string file(const std::string& name) const;
  /// Names of all files and folders directly in it, sorted.
  std::vector<std::string> names() const;

 private:
  std::string path_;
};

template <class T>
Array array_of(DType dtype, Shape shape, const std::vector<T>& values) {
  Array array = make_array(dtype, std::move(shape));
  std::copy(values.begin(), values.end(), array.values<T>().begin());
  return array;
}
inline Array floats(Shape shape, const std::vector<float>& values) { return array_of(DType::kFloat32, std::move(shape), values); }

/// How a dataset is stored.
enum class Storage { kPlain, kBigEndian, kCompressed };

/// Writes an HDF5 file; whole once it is destroyed. Object names are paths: "value/3/0"; groups above a dataset are created.
class Hdf5File {
 public:
  explicit Hdf5File(const std::string& path);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  Hdf5File& group(const std::string& name);
  /// Bools as h5py's enum FALSE/TRUE over int8, float16 as binary16, strings of variable length.
  Hdf5File& dataset(const std::string& name, const Array& array, Storage storage = Storage::kPlain);
  /// A compressed float32 dataset that declares a size and holds nothing, in chunks of chunk_elements along the last axis.
  Hdf5File& declare(const std::string& name, const Shape& shape, std::int64_t chunk_elements);
  Hdf5File& fixed_strings(const std::string& name, const std::vector<std::string>& texts);
  Hdf5File& opaque(const std::string& name, std::string_view bytes);
  Hdf5File& other_enum(const std::string& name);
  /// Data that are not in the file: a link to another object or file, a dataset whose elements lie in another file, one that is made of
  /// another file's dataset. All of three floats.
  Hdf5File& soft_link(const std::string& name, const std::string& target);
  Hdf5File& external_link(const std::string& name, const std::string& file, const std::string& object);
  Hdf5File& external_data(const std::string& name, const std::string& file);
  Hdf5File& virtual_data(const std::string& name, const std::string& file, const std::string& dataset);
  /// Three floats, packed by these filters, which need not exist.
  Hdf5File& filtered(const std::string& name, const std::vector<int>& filters);
  /// A dataset of 100 floats whose one chunk inflates to so many zeros.
  Hdf5File& bomb(const std::string& name, std::size_t bytes);
  Hdf5File& text_attribute(const std::string& object, const char* name, const std::string& value, bool variable);
  Hdf5File& integer_attribute(const std::string& object, const char* name, std::int64_t value);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A .npy file of version 1.0 with this dictionary and these bytes behind it.
std::string npy(std::string_view dictionary, std::string_view bytes);
/// A .npy file of an array; code: "<f4".
std::string npy(std::string_view code, const Array& array);
/// Writes bytes as they are.
void write_bytes(const std::string& path, std::string_view bytes);

}  // namespace visq::testing
