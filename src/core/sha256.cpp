// SHA-256 (FIPS 180-4). Its own file because results name their inputs by content; no other hash is needed.
#include <array>
#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "core/file.h"
#include "core/sha256_blocks.h"

namespace visq {

std::string sha256(std::span<const std::byte> bytes) {
  static sha256_blocks::Absorb* const absorb = sha256_blocks::fastest();
  sha256_blocks::State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const std::size_t whole = bytes.size() / 64 * 64;
  absorb(state, data, whole / 64);

  std::array<std::uint8_t, 128> tail{};
  const std::size_t rest = bytes.size() - whole;
  if (rest > 0) std::memcpy(tail.data(), data + whole, rest);
  tail[rest] = 0x80;
  const std::size_t length = rest < 56 ? 64 : 128;
  const std::uint64_t bit_count = std::uint64_t{bytes.size()} * 8;
  for (std::size_t i = 0; i < 8; ++i) tail[length - 1 - i] = static_cast<std::uint8_t>(bit_count >> (8 * i));
  absorb(state, tail.data(), length / 64);

  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace visq
