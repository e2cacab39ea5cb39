// The file of a model, or the part of a container that is one.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/file.h"

namespace visq::loader {

struct ModelFile {
  std::shared_ptr<const MappedFile> file;
  std::span<const std::byte> bytes;  ///< the model's
};

/// `path`: a file, or FILE:SECTION of a container where there is no file of the whole name. Errors: kBadInput.
Result<ModelFile> open_model_file(const std::string& path);

}  // namespace visq::loader
