// numpy's .npz files: .npy files in a zip file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/numpy/npy.h"
#include "data/numpy/zip.h"
#include "visq/data.h"
#include "visq/dump.h"

namespace visq::data {

/// An array of an .npz file.
struct NpzArray {
  std::string name;  ///< without ".npy"
  ZipEntry entry;
};

/// The arrays in the order in which they were saved; other entries are left alone. Errors: begin with `path`; where there is none, or two
/// have one name.
Result<std::vector<NpzArray>> list_npz(const std::string& path);

/// "data.npz: 'x'"
std::string npz_place(const std::string& path, const NpzArray& array);

/// Test data: an array per input, named by signature, tensor or number, or the only one that fits, or as many as there are inputs in their
/// order (which is said). `dataset`: the array of a model's only input, empty where the user names none.
Result<std::unique_ptr<RecordSource>> open_npz(const std::string& path, const Model& model, const std::string& dataset);

}  // namespace visq::data
