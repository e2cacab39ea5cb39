// A format of models whose files are flatbuffers of one schema.
#pragma once

#include "model/edit_writer.h"
#include "model/format_def.h"
#include "model/part_writer.h"
#include "model/reader.h"

namespace visq::loader {

/// The definition of the format that `Traits` describes; its label is Traits::kName.
template <class Traits>
constexpr FormatDef flatbuffer_format(std::string_view name, std::string_view identifier) {
  using Bytes = std::span<const std::byte>;
  return {{name, Traits::kName},
          identifier,
          [](Bytes file, const std::string& path, Model& model) { return Reader<Traits>(file, path).read(model); },
          [](Bytes file, const Model& model, const ModelPart& part) { return PartWriter<Traits>(file, model, part).write(); },
          [](Bytes file, const Model& model, const ModelEdit& edit) { return EditWriter<Traits>(file, model, edit).write(); }};
}

}  // namespace visq::loader
