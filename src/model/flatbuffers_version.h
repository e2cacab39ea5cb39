// Which FlatBuffers library the loaders were built with.
#pragma once

#include <string>

namespace visq {

std::string flatbuffers_version();  ///< "FlatBuffers 2.0.8"

}  // namespace visq
