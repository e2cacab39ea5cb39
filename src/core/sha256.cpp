// SHA-256 (FIPS 180-4). Its own file because results name their inputs by content; no other hash is needed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "core/file.h"
#include "core/sha256_blocks.h"

namespace visq {

namespace {

/// `seen` is told what of the bytes is done with.
template <class Seen>
std::string digest(std::span<const std::byte> bytes, Seen seen) {
  static sha256_blocks::Absorb* const absorb = sha256_blocks::fastest();
  constexpr std::size_t kBlock = 64, kSlice = std::size_t{4} << 20;
  sha256_blocks::State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const std::size_t whole = bytes.size() / kBlock * kBlock;
  for (std::size_t first = 0; first < whole; first += kSlice) {
    const std::size_t length = std::min(kSlice, whole - first);
    absorb(state, data + first, length / kBlock);
    seen(bytes.subspan(first, length));
  }

  std::array<std::uint8_t, 2 * kBlock> tail{};
  const std::size_t rest = bytes.size() - whole;
  if (rest > 0) std::memcpy(tail.data(), data + whole, rest);
  tail[rest] = 0x80;
  const std::size_t length = rest < 56 ? kBlock : 2 * kBlock;
  const std::uint64_t bit_count = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) tail[length - 1 - i] = static_cast<std::uint8_t>(bit_count >> (8 * i));
  absorb(state, tail.data(), length / kBlock);

  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  return digest(bytes, [](std::span<const std::byte>) {});
}

std::string mapped_sha256(std::span<const std::byte> mapped) { return digest(mapped, release_pages); }

Result<std::string> file_sha256(const std::string& path) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  return mapped_sha256(file->bytes());
}

}  // namespace visq
