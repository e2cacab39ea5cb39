// The registry of file formats of models: one file each in formats/, with what is particular to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "model/model_edit.h"
#include "visq/model_part.h"

namespace visq::loader {

/// One format. In all functions `file` is the whole file: of write_part and write_edited the one that `model` was read from.
struct FormatDef {
  FormatInfo info;
  std::string_view identifier;  ///< the bytes 4 to 7 of every file; empty: it has none
  /// Whether a file without an identifier is of this format; null where it has one.
  bool (*recognizes)(std::span<const std::byte> file);
  /// Fills `model`. Errors: kBadInput naming `path`, place and number.
  Status (*read)(std::span<const std::byte> file, const std::string& path, Model& model);
  /// The bytes of visq::write_part().
  Result<std::string> (*write_part)(std::span<const std::byte> file, const Model& model, const ModelPart& part);
  /// The bytes of visq::write_edited().
  Result<std::string> (*write_edited)(std::span<const std::byte> file, const Model& model, const ModelEdit& edit);
};

/// All formats, by name.
const std::vector<const FormatDef*>& format_defs();
/// The format of a model that was read from a file. Errors: kInternal where it has none.
Result<const FormatDef*> format_of(const Model& model);

}  // namespace visq::loader
