// Files beside a model that hold constants of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/file.h"
#include "model/place.h"

namespace visq::loader {

/// The field of a tensor that says so, in formats that have it.
inline constexpr std::string_view kExternalBuffer = "external_buffer";

/// Opens each file once. A model's file may come from anywhere, so what it names is confined to its own folder: no absolute names, no way
/// out by "..", none by symbolic links.
class ExternalFiles {
 public:
  /// Bytes [offset, offset + length) of the file of that name in the folder of `model_path`. Errors: kBadInput, at `place`.
  Result<std::span<const std::byte>> bytes(const std::string& model_path, const std::string& name, std::uint64_t offset,
                                           std::uint64_t length, const Place& place);
  /// What keeps the bytes alive, `first` with it.
  std::shared_ptr<const void> keep(std::shared_ptr<const void> first) const;

 private:
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace visq::loader
