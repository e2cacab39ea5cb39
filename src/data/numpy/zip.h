// Zip files, as numpy's .npz are: which entries there are, and each as a stream of its bytes.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "visq/status.h"

namespace visq::data {

inline constexpr std::string_view kZipSignature = "PK\x03\x04";

/// What the directory at the end of the file says of an entry, checked against the size of the file.
struct ZipEntry {
  std::string name;
  bool deflated = false;       ///< else its bytes stand there as they are
  std::uint64_t header = 0;    ///< where its local header begins
  std::uint64_t packed = 0;    ///< bytes in the file
  std::uint64_t size = 0;      ///< bytes that they become
  std::uint32_t checksum = 0;  ///< CRC-32 of those
};

/// The entries in the order of the directory; zip64 is read too. Errors: begin with `path`: what is no zip file or cut off, packed by a
/// method other than deflate, encrypted; more than 65,536 entries.
Result<std::vector<ZipEntry>> list_zip(const std::string& path);

/// The bytes of an entry. Seeking forward inflates what lies between, seeking back begins again. Reading fails where the entry is damaged,
/// its checksum at the end of a reading from its beginning included. Takes 100 KB of memory, whatever the entry holds.
/// Errors: begin with `place`.
Result<std::unique_ptr<std::istream>> open_zip_entry(const std::string& path, const ZipEntry& entry, const std::string& place);

/// The library that inflates entries: "zlib 1.2.13".
std::string inflating_library();

}  // namespace visq::data
