// The file formats that load_model knows: one file each (tflite.cpp, circle.cpp) with what is particular to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "model/model_edit.h"
#include "visq/model_part.h"

namespace visq::loader {

/// Fills `model` from a whole file, whose identifier has been seen to be the format's.
Status read_tflite(std::span<const std::byte> file, const std::string& path, Model& model);
Status read_circle(std::span<const std::byte> file, const std::string& path, Model& model);

/// The bytes of write_part(). `file`: the whole file that `model` was read from.
Result<std::string> write_tflite_part(std::span<const std::byte> file, const Model& model, const ModelPart& part);
Result<std::string> write_circle_part(std::span<const std::byte> file, const Model& model, const ModelPart& part);

/// The bytes of write_edited(). `file` as above.
Result<std::string> write_tflite_edit(std::span<const std::byte> file, const Model& model, const ModelEdit& edit);
Result<std::string> write_circle_edit(std::span<const std::byte> file, const Model& model, const ModelEdit& edit);

}  // namespace visq::loader
