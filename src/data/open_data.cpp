// What kind of data a path holds is told from what is there, not from its ending.
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "data/numpy/npy.h"
#include "data/sources/sources.h"

namespace visq {
namespace {

/// HDF5's signature stands at offset 0, or at 512, 1024, 2048 … behind a user block.
constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";

bool has_at(std::ifstream& file, std::streamoff offset, std::string_view signature) {
  std::string bytes(signature.size(), '\0');
  file.clear();
  file.seekg(offset);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file && bytes == signature;
}

bool is_hdf5(std::ifstream& file, std::uintmax_t size) {
  if (has_at(file, 0, kHdf5Signature)) return true;
  for (std::uintmax_t offset = 512; offset < size; offset *= 2) {
    if (has_at(file, static_cast<std::streamoff>(offset), kHdf5Signature)) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<RecordSource>> open_data(const std::string& path, const Model& model) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (error) return bad_input("{}: cannot be opened: {}", path, error.message());
  if (std::filesystem::is_directory(status)) return data::open_npy_folder(path, model);
  if (!std::filesystem::is_regular_file(status)) return bad_input("{}: is neither a file nor a folder", path);
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return bad_input("{}: cannot be opened", path);
  if (has_at(file, 0, data::kNpySignature)) return data::open_stacked_npy(path, model);
  if (is_hdf5(file, size)) return data::open_hdf5(path, model);
  return bad_input("{}: is neither an HDF5 nor a .npy file", path);
}

}  // namespace visq
