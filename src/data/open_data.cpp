// What kind of data a path holds is told from what is there, not from its ending.
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "data/hdf5/hdf5_signature.h"
#include "data/numpy/npy.h"
#include "data/sources/sources.h"

namespace visq {
namespace {

bool is_npy(const std::string& path) {
  std::string head(data::kNpySignature.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == data::kNpySignature;
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_data(const std::string& path, const Model& model) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error) return bad_input("{}: cannot be opened: {}", path, error.message());
  if (std::filesystem::is_directory(status)) return data::open_npy_folder(path, model);
  if (!std::filesystem::is_regular_file(status)) return bad_input("{}: is neither a file nor a folder", path);
  if (!std::ifstream(path, std::ios::binary)) return bad_input("{}: cannot be opened", path);
  if (is_npy(path)) return data::open_stacked_npy(path, model);
  if (hdf5::is_hdf5(path)) return data::open_hdf5(path, model);
  return bad_input("{}: is neither an HDF5 nor a .npy file", path);
}

}  // namespace visq
