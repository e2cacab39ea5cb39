// The inner loop of SHA-256.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace visq::sha256_blocks {

using State = std::array<std::uint32_t, 8>;
using Absorb = void(State& state, const std::uint8_t* data, std::size_t blocks);

/// Takes whole blocks of 64 bytes into the state, with the processor's instructions for it where it has them: models of a hundred
/// megabytes are hashed more often than they are run.
Absorb* fastest();
Absorb portable;

}  // namespace visq::sha256_blocks
