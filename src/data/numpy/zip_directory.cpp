// The directory of a zip file. Numbers are little-endian. Layout: PKWARE's APPNOTE.TXT, 4.3.12 (entries), 4.3.14 (zip64), 4.3.16 (end).
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/error.h"
#include "data/numpy/zip.h"
#include "model/printable.h"

namespace visq::data {
namespace {

constexpr std::uint32_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50, kEntryMark = 0x02014b50;
constexpr std::size_t kEndBytes = 22, kLocator64Bytes = 20, kEnd64Bytes = 56, kEntryBytes = 46;
constexpr std::size_t kLongestComment = 0xFFFF;
constexpr std::uint64_t kMostEntries = 65'536;
constexpr std::uint64_t kLargestDirectory = std::uint64_t{64} << 20;
/// Deflate makes at most 1032 bytes of one.
constexpr std::uint64_t kMostOfOne = 1032;
constexpr std::uint32_t kElsewhere = 0xFFFFFFFF;  ///< the number stands in the zip64 field

template <class T>
T number_at(std::string_view bytes, std::size_t place) {
  T value = 0;
  if (place + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

std::string bytes_at(std::ifstream& file, std::uint64_t place, std::uint64_t count) {
  std::string bytes(count, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(place));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

struct Directory {
  std::uint64_t entries = 0, begin = 0, bytes = 0;
};

/// The last record of the file, which a comment may follow.
std::optional<Directory> find_directory(std::ifstream& file, std::uint64_t size) {
  const std::uint64_t tail_begin = size - std::min<std::uint64_t>(size, kEndBytes + kLongestComment);
  const std::string tail = bytes_at(file, tail_begin, size - tail_begin);
  for (std::size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; at-- > 0;) {
    if (number_at<std::uint32_t>(tail, at) != kEndMark) continue;
    const std::string_view end = std::string_view(tail).substr(at);
    Directory found{number_at<std::uint16_t>(end, 10), number_at<std::uint32_t>(end, 16), number_at<std::uint32_t>(end, 12)};
    const bool larger = found.entries == 0xFFFF || found.begin == kElsewhere || found.bytes == kElsewhere;
    if (!larger || tail_begin + at < kLocator64Bytes) return found;
    const std::string locator = bytes_at(file, tail_begin + at - kLocator64Bytes, kLocator64Bytes);
    if (number_at<std::uint32_t>(locator, 0) != kLocator64Mark) return found;
    const auto place = number_at<std::uint64_t>(locator, 8);
    if (place > size) return std::nullopt;
    const std::string end64 = bytes_at(file, place, kEnd64Bytes);
    if (end64.size() < kEnd64Bytes || number_at<std::uint32_t>(end64, 0) != kEnd64Mark) return std::nullopt;
    return Directory{number_at<std::uint64_t>(end64, 32), number_at<std::uint64_t>(end64, 48), number_at<std::uint64_t>(end64, 40)};
  }
  return std::nullopt;
}

/// The numbers of an entry that need 64 bits, in the order in which the field 1 of its extra part holds them.
void read_zip64(std::string_view extra, ZipEntry& entry) {
  while (extra.size() >= 4) {
    const std::size_t bytes = number_at<std::uint16_t>(extra, 2);
    const std::string_view field = extra.substr(4, bytes);
    if (number_at<std::uint16_t>(extra, 0) == 1) {
      std::size_t place = 0;
      for (std::uint64_t* wide : {&entry.size, &entry.packed, &entry.header}) {
        if (*wide != kElsewhere) continue;
        *wide = number_at<std::uint64_t>(field, place);
        place += sizeof(std::uint64_t);
      }
      return;
    }
    extra.remove_prefix(std::min(extra.size(), 4 + bytes));
  }
}

Status check_entry(const ZipEntry& entry, int flags, int method, std::uint64_t file_size, const std::string& path) {
  const std::string place = fmt::format("{}: entry '{}'", path, printable(entry.name));
  if ((flags & 1) != 0) return bad_input("{}: is encrypted", place);
  if (method != 0 && method != 8) return bad_input("{}: is packed by method {}; numpy.savez_compressed uses deflate (8)", place, method);
  const bool inside = entry.header < file_size && entry.packed <= file_size - entry.header;
  const bool sizes = entry.deflated ? entry.size / kMostOfOne <= entry.packed : entry.size == entry.packed;
  if (!inside || !sizes) return bad_input("{}: {} bytes of which {} are to become: the file is damaged", place, entry.packed, entry.size);
  return {};
}

}  // namespace

Result<std::vector<ZipEntry>> list_zip(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (!file || error) return bad_input("{}: cannot be opened", path);
  const auto directory = find_directory(file, size);
  if (!directory || directory->begin > size || directory->bytes > size - directory->begin) {
    return bad_input("{}: has no directory of its entries: the file is cut off or no zip file", path);
  }
  if (directory->entries > kMostEntries || directory->bytes > kLargestDirectory) {
    return bad_input("{}: {} entries; {} are the most", path, directory->entries, kMostEntries);
  }
  const std::string bytes = bytes_at(file, directory->begin, directory->bytes);
  std::string_view rest = bytes;
  std::vector<ZipEntry> entries;
  for (std::uint64_t i = 0; i < directory->entries; ++i) {
    const std::size_t name = number_at<std::uint16_t>(rest, 28), extra = number_at<std::uint16_t>(rest, 30);
    const std::size_t all = kEntryBytes + name + extra + number_at<std::uint16_t>(rest, 32);
    if (rest.size() < kEntryBytes || number_at<std::uint32_t>(rest, 0) != kEntryMark || rest.size() < all) {
      return bad_input("{}: entry {} of its directory is damaged", path, i);
    }
    const int flags = number_at<std::uint16_t>(rest, 8), method = number_at<std::uint16_t>(rest, 10);
    ZipEntry entry{std::string(rest.substr(kEntryBytes, name)), method == 8,
                   number_at<std::uint32_t>(rest, 42),          number_at<std::uint32_t>(rest, 20),
                   number_at<std::uint32_t>(rest, 24),          number_at<std::uint32_t>(rest, 16)};
    read_zip64(rest.substr(kEntryBytes + name, extra), entry);
    VISQ_TRY(check_entry(entry, flags, method, size, path));
    entries.push_back(std::move(entry));
    rest.remove_prefix(all);
  }
  return entries;
}

}  // namespace visq::data
