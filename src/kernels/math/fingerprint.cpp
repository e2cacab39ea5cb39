#include "kernels/math/fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

namespace visq::kernels {
namespace {

constexpr std::uint64_t kA = 0xC3A5C85C97CB3127, kB = 0xB492B66FBE98F273, kC = 0x9AE16A3B2F90404F;

/// The text that is hashed, as little-endian words at any place.
class Text {
 public:
  explicit Text(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint64_t size() const { return bytes_.size(); }
  std::uint64_t word(std::size_t at) const { return load<std::uint64_t>(at); }
  std::uint64_t half(std::size_t at) const { return load<std::uint32_t>(at); }
  std::uint64_t byte(std::size_t at) const { return std::to_integer<std::uint64_t>(bytes_[at]); }

 private:
  template <class T>
  T load(std::size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }
  std::span<const std::byte> bytes_;
};

std::uint64_t fold_down(std::uint64_t value) { return value ^ value >> 47; }

std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t factor) {
  const std::uint64_t first = fold_down((a ^ b) * factor);
  return fold_down((b ^ first) * factor) * factor;
}

std::uint64_t hash_up_to_16(const Text& text) {
  const std::uint64_t size = text.size(), factor = kC + 2 * size;
  if (size >= 8) {
    const std::uint64_t a = text.word(0) + kC, b = text.word(size - 8);
    return mix(std::rotr(b, 37) * factor + a, (std::rotr(a, 25) + b) * factor, factor);
  }
  if (size >= 4) return mix(size + (text.half(0) << 3), text.half(size - 4), factor);
  if (size == 0) return kC;
  const std::uint64_t ends = text.byte(0) + (text.byte(size / 2) << 8), length = size + (text.byte(size - 1) << 2);
  return fold_down(ends * kC ^ length * kA) * kC;
}

/// The beginning and the end of a text of 17 to 64 bytes, 32 bytes in all.
struct Ends {
  std::uint64_t first, second, sum, other;
};
Ends mix_ends(const Text& text, std::uint64_t scale, std::uint64_t factor) {
  const std::uint64_t a = text.word(0) * scale, b = text.word(8);
  const std::uint64_t c = text.word(text.size() - 8) * factor, d = text.word(text.size() - 16) * kC;
  return {a, b, std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kC, 18) + c};
}

std::uint64_t hash_17_to_32(const Text& text) {
  const std::uint64_t factor = kC + 2 * text.size();
  const Ends ends = mix_ends(text, kB, factor);
  return mix(ends.sum, ends.other, factor);
}

std::uint64_t hash_33_to_64(const Text& text) {
  const std::uint64_t factor = kC + 2 * text.size();
  const Ends outer = mix_ends(text, kC, factor);
  const std::uint64_t inner = mix(outer.sum, outer.other, factor);
  const std::uint64_t e = text.word(16) * factor, f = text.word(24);
  const std::uint64_t g = (outer.sum + text.word(text.size() - 32)) * factor, h = (inner + text.word(text.size() - 24)) * factor;
  return mix(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + outer.first, 18) + g, factor);
}

using Pair = std::pair<std::uint64_t, std::uint64_t>;

/// 32 bytes from `at` on, and two seeds.
Pair mix_block(const Text& text, std::size_t at, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t last = text.word(at + 24);
  a += text.word(at);
  b = std::rotr(b + a + last, 21);
  const std::uint64_t start = a;
  a += text.word(at + 8) + text.word(at + 16);
  return {a + last, b + std::rotr(a, 44) + start};
}

/// The state of a long text's hash, which takes 64 bytes at a time.
struct LongState {
  std::uint64_t x, y, z;
  Pair v, w;

  /// `carry` weighs what comes from the last block: 1, but 9 in the final step.
  void step(const Text& text, std::size_t at, std::uint64_t factor, std::uint64_t carry) {
    x = std::rotr(x + y + v.first + text.word(at + 8), 37) * factor;
    y = std::rotr(y + v.second + text.word(at + 48), 42) * factor;
    x ^= w.second * carry;
    y += v.first * carry + text.word(at + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = mix_block(text, at, v.second * factor, x + w.first);
    w = mix_block(text, at + 32, z + w.second, y + text.word(at + 16));
    std::swap(z, x);
  }
};

std::uint64_t hash_long(const Text& text) {
  constexpr std::uint64_t kSeed = 81;
  LongState state{kSeed, kSeed * kB + 113, 0, {}, {}};
  state.z = fold_down(state.y * kC + 113) * kC;
  state.x = state.x * kC + text.word(0);
  const std::size_t rest = (text.size() - 1) % 64, blocks = (text.size() - 1) / 64;
  for (std::size_t block = 0; block < blocks; ++block) state.step(text, block * 64, kB, 1);
  const std::uint64_t factor = kB + ((state.z & 0xFF) << 1);
  state.w.first += rest;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.step(text, text.size() - 64, factor, 9);
  return mix(mix(state.v.first, state.w.first, factor) + fold_down(state.y) * kA + state.z,
             mix(state.v.second, state.w.second, factor) + state.x, factor);
}

}  // namespace

std::uint64_t fingerprint64(std::span<const std::byte> bytes) {
  const Text text(bytes);
  if (bytes.size() <= 16) return hash_up_to_16(text);
  if (bytes.size() <= 32) return hash_17_to_32(text);
  return bytes.size() <= 64 ? hash_33_to_64(text) : hash_long(text);
}

}  // namespace visq::kernels
