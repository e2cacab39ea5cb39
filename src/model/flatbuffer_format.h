// A format of models whose files are flatbuffers of one schema.
#pragma once

#include "model/flatbuffer_writer.h"
#include "model/format_def.h"
#include "model/reader.h"

namespace visq::loader {

/// The file, after the verifier has passed it.
template <class Traits>
Result<FlatbufferFile> verified_file(std::span<const std::byte> file, const Model& model) {
  VISQ_ASSIGN(const auto* root, verified_root<Traits>(file, Place(model.path)));
  return FlatbufferFile{file, reinterpret_cast<const flatbuffers::Table*>(root), Traits::schema().compiled(), Traits::identifier()};
}

/// The definition of the format that `Traits` describes; its label is Traits::kName.
template <class Traits>
constexpr FormatDef flatbuffer_format(std::string_view name, std::string_view identifier) {
  using Bytes = std::span<const std::byte>;
  return {{name, Traits::kName},
          identifier,
          nullptr,
          [](Bytes file, const std::string& path, Model& model) { return Reader<Traits>(file, path).read(model); },
          [](Bytes bytes, const Model& model, const ModelPart& part) -> Result<std::string> {
            VISQ_ASSIGN(const FlatbufferFile file, verified_file<Traits>(bytes, model));
            return write_part_of_flatbuffer(file, model, part);
          },
          [](Bytes bytes, const Model& model, const ModelEdit& edit) -> Result<std::string> {
            VISQ_ASSIGN(const FlatbufferFile file, verified_file<Traits>(bytes, model));
            return write_edited_flatbuffer(file, model, edit);
          }};
}

}  // namespace visq::loader
