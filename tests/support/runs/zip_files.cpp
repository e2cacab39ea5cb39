#include "support/runs/zip_files.h"

#include <zlib.h>

#include <cstdint>

namespace visq::testing {
namespace {

std::string number(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
  return text;
}

std::string raw_deflate(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  std::string source = content;
  stream.next_in = reinterpret_cast<Bytef*>(source.data());
  stream.avail_in = static_cast<uInt>(source.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

std::string zip(const std::vector<std::pair<std::string, std::string>>& entries, bool deflated) {
  std::string file, directory;
  for (const auto& [name, content] : entries) {
    const std::string packed = deflated ? raw_deflate(content) : content;
    const auto checksum =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
    const std::string facts = number(20, 2) + number(0, 2) + number(deflated ? 8 : 0, 2) + number(0, 4) + number(checksum, 4) +
                              number(static_cast<std::uint32_t>(packed.size()), 4) + number(static_cast<std::uint32_t>(content.size()), 4) +
                              number(static_cast<std::uint32_t>(name.size()), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + facts + number(0, 10);
    directory += number(static_cast<std::uint32_t>(file.size()), 4) + name;
    file += "PK\x03\x04" + facts + name + packed;
  }
  const auto count = static_cast<std::uint32_t>(entries.size());
  const auto begin = static_cast<std::uint32_t>(file.size());
  return file + directory + "PK\x05\x06" + number(0, 4) + number(count, 2) + number(count, 2) +
         number(static_cast<std::uint32_t>(directory.size()), 4) + number(begin, 4) + number(0, 2);
}

}  // namespace visq::testing
