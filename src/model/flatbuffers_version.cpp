#include "model/flatbuffers_version.h"

#include <flatbuffers/base.h>
#include <fmt/core.h>

namespace visq {

std::string flatbuffers_version() {
  return fmt::format("FlatBuffers {}.{}.{}", FLATBUFFERS_VERSION_MAJOR, FLATBUFFERS_VERSION_MINOR, FLATBUFFERS_VERSION_REVISION);
}

}  // namespace visq
