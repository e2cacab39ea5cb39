// The file formats that load_model knows: one file each (tflite.cpp, circle.cpp) with what is particular to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "visq/model.h"

namespace visq::loader {

/// Fills `model` from a whole file, whose identifier has been seen to be the format's.
Status read_tflite(std::span<const std::byte> file, const std::string& path, Model& model);
Status read_circle(std::span<const std::byte> file, const std::string& path, Model& model);

}  // namespace visq::loader
