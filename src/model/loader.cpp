// load_model: opens the file, and lets its identifier choose the format.
#include <array>
#include <new>

#include "core/error.h"
#include "core/file.h"
#include "model/formats.h"
#include "model/printable.h"

namespace visq {
namespace {

constexpr std::size_t kIdentifierOffset = 4;
constexpr std::size_t kIdentifierBytes = 4;

struct KnownFormat {
  std::string_view identifier;
  Format format;
  Status (*read)(std::span<const std::byte> file, const std::string& path, Model& model);
};

constexpr std::array<KnownFormat, 2> kFormats{{
    {"TFL3", Format::kTflite, loader::read_tflite},
    {"CIR0", Format::kCircle, loader::read_circle},
}};

Result<const KnownFormat*> identify(std::span<const std::byte> file, const std::string& path) {
  if (file.size() < kIdentifierOffset + kIdentifierBytes) {
    return bad_input("{}: is no circle or TFLite model ({} bytes, too short for an identifier)", path, file.size());
  }
  const std::string_view identifier(reinterpret_cast<const char*>(file.data()) + kIdentifierOffset, kIdentifierBytes);
  for (const KnownFormat& known : kFormats) {
    if (known.identifier == identifier) return &known;
  }
  return bad_input("{}: is no circle or TFLite model (identifier '{}', expected 'CIR0' or 'TFL3')", path, printable(identifier));
}

}  // namespace

Result<Model> load_model(const std::string& path) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  VISQ_ASSIGN(const KnownFormat* known, identify(file->bytes(), path));
  Model model;
  model.path = path;
  model.format = known->format;
  model.file_bytes = file->bytes().size();
  model.storage = file;
  model.mapped = file->bytes();
  try {
    VISQ_TRY(known->read(file->bytes(), path, model));
  } catch (const std::bad_alloc&) {
    return bad_input("{}: does not fit into memory", path);
  }
  return model;
}

}  // namespace visq
