// Changes of model files that a flatbuffers verifier still accepts: numbers and lengths, found by reflection over the format's schema.
#pragma once

#include <cstdint>
#include <span>

namespace visq::fuzz {

/// Changes up to four numbers or vector lengths of a circle or TFLite file in place. False where the file is no sound flatbuffer.
bool mutate_flatbuffer(std::span<std::uint8_t> file, std::uint32_t seed);

}  // namespace visq::fuzz
