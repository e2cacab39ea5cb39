#include "data/hdf5/hdf5_signature.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace visq::hdf5 {
namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";

bool signed_at(std::ifstream& file, std::uintmax_t offset) {
  std::string bytes(kSignature.size(), '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file && bytes == kSignature;
}

}  // namespace

bool is_hdf5(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return false;
  if (signed_at(file, 0)) return true;
  for (std::uintmax_t offset = 512; offset < size; offset *= 2) {
    if (signed_at(file, offset)) return true;
  }
  return false;
}

}  // namespace visq::hdf5
