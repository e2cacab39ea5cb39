// Files that are flatbuffers, written again with changes or in part. Only what was changed differs: the rest goes through TableCopy.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/error.h"
#include "model/model_edit.h"
#include "visq/model_part.h"

namespace reflection {
struct Schema;
}
namespace flatbuffers {
class Table;
}

namespace visq::loader {

/// A model file that the verifier has passed.
struct FlatbufferFile {
  std::span<const std::byte> bytes;
  const flatbuffers::Table* root;
  const reflection::Schema& schema;
  const char* identifier;
};

/// FormatDef::write_edited() and write_part(). Errors as there.
Result<std::string> write_edited_flatbuffer(const FlatbufferFile& file, const Model& model, const ModelEdit& edit);
Result<std::string> write_part_of_flatbuffer(const FlatbufferFile& file, const Model& model, const ModelPart& part);

}  // namespace visq::loader
