#include "support/runs/png_files.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>

namespace visq::testing {
namespace {

std::string png_chunk(const std::string& kind, const std::string& content) {
  const auto number = [](std::uint32_t value) {
    return std::string{static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
                       static_cast<char>(value)};
  };
  const std::string body = kind + content;
  const auto sum = static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
  return number(static_cast<std::uint32_t>(content.size())) + body + number(sum);
}

}  // namespace

std::string png_file(int width, int height, int depth, int colours, const std::string& rows, const std::string& palette) {
  std::string header(13, '\0');
  header[2] = static_cast<char>(width >> 8), header[3] = static_cast<char>(width);
  header[6] = static_cast<char>(height >> 8), header[7] = static_cast<char>(height);
  header[8] = static_cast<char>(depth), header[9] = static_cast<char>(colours);
  std::string packed(compressBound(rows.size()), '\0');
  uLongf size = packed.size();
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size()), Z_OK);
  packed.resize(size);
  return "\x89PNG\r\n\x1A\n" + png_chunk("IHDR", header) + (palette.empty() ? "" : png_chunk("PLTE", palette)) + png_chunk("IDAT", packed) +
         png_chunk("IEND", "");
}

}  // namespace visq::testing
