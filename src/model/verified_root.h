// The root table of a model file, after the flatbuffers verifier has passed it.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "model/place.h"

namespace visq::loader {

/// Tables lie in tables six deep (model, subgraph, tensor, sparsity, dimension, indices); the formats may grow.
inline constexpr flatbuffers::uoffset_t kMaxTableDepth = 64;
/// A visited table takes at least the four bytes of the reference to it, so no honest file has more tables than this allows; files of
/// millions of operators (tens of bytes each) are far from it.
inline constexpr std::size_t kBytesPerTable = 4;
/// Offsets inside a flatbuffer have 31 bits. What lies behind, Buffer.offset and large_custom_options_offset reach.
inline constexpr std::size_t kMaxFlatbufferBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;

/// The part of a file that is the flatbuffer.
inline std::span<const std::byte> flatbuffer_of(std::span<const std::byte> file) {
  return file.first(std::min(file.size(), kMaxFlatbufferBytes));
}

template <class Traits>
Result<const typename Traits::Model*> verified_root(std::span<const std::byte> file, const Place& place) {
  const auto flatbuffer = flatbuffer_of(file);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(flatbuffer.data());
  const auto max_tables = static_cast<flatbuffers::uoffset_t>(flatbuffer.size() / kBytesPerTable);
  flatbuffers::Verifier verifier(bytes, flatbuffer.size(), kMaxTableDepth, max_tables);
  if (!verifier.VerifyBuffer<typename Traits::Model>(nullptr)) {
    return place.fail("is truncated or damaged: its {} bytes are no valid {} flatbuffer", file.size(), Traits::kName);
  }
  return flatbuffers::GetRoot<typename Traits::Model>(bytes);
}

}  // namespace visq::loader
