// Philox 4x32-10, a random generator whose n-th numbers are a function of n (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// 2011).
#pragma once

#include <array>
#include <cstdint>

namespace visq::kernels {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// The four numbers that belong to a counter under a key.
constexpr PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;  // the golden ratio
    key[1] += 0xBB67AE85;  // sqrt(3) - 1
  }
  return counter;
}

/// A stream of blocks. The seeds are its key and where its 128-bit counter starts.
class PhiloxStream {
 public:
  PhiloxStream(std::uint64_t seed, std::uint64_t seed2) : key_{low(seed), high(seed)}, high_(seed2) {}

  PhiloxBlock next() {
    const PhiloxBlock block = philox({low(low_), high(low_), low(high_), high(high_)}, key_);
    skip(1);
    return block;
  }
  void skip(std::uint64_t blocks) {
    low_ += blocks;
    if (low_ < blocks) ++high_;
  }

 private:
  static constexpr std::uint32_t low(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
  static constexpr std::uint32_t high(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

  std::array<std::uint32_t, 2> key_;
  std::uint64_t low_ = 0, high_ = 0;  ///< the counter's halves
};

}  // namespace visq::kernels
