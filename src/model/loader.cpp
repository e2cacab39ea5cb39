// load_model: opens the file, and lets its identifier, or what it begins with, choose the format.
#include <new>

#include "core/error.h"
#include "core/joined.h"
#include "model/format_def.h"
#include "model/model_file.h"
#include "model/printable.h"

namespace visq {
namespace {

constexpr std::size_t kIdentifierOffset = 4;
constexpr std::size_t kIdentifierBytes = 4;

/// "circle, ONNX or TFLite": something of every format that has it.
template <class Text>
std::string any_format(Text text) {
  std::vector<std::string> texts;
  for (const loader::FormatDef* format : loader::format_defs()) {
    if (std::string own = text(*format); !own.empty()) texts.push_back(std::move(own));
  }
  const std::string last = texts.back();
  texts.pop_back();
  return joined(texts, ", ") + " or " + last;
}

Result<const loader::FormatDef*> identify(std::span<const std::byte> file, const std::string& path) {
  const std::string labels = any_format([](const loader::FormatDef& format) { return std::string(format.info.label); });
  for (const loader::FormatDef* format : loader::format_defs()) {
    if (format->recognizes != nullptr && format->recognizes(file)) return format;
  }
  if (file.size() < kIdentifierOffset + kIdentifierBytes) {
    return bad_input("{}: is no {} model ({} bytes, too short for an identifier)", path, labels, file.size());
  }
  const std::string_view identifier(reinterpret_cast<const char*>(file.data()) + kIdentifierOffset, kIdentifierBytes);
  for (const loader::FormatDef* format : loader::format_defs()) {
    if (format->identifier == identifier) return format;
  }
  const std::string expected = any_format(
      [](const loader::FormatDef& format) { return format.identifier.empty() ? std::string() : fmt::format("'{}'", format.identifier); });
  return bad_input("{}: is no {} model (identifier '{}', expected {})", path, labels, printable(identifier), expected);
}

}  // namespace

namespace loader {

std::vector<const FormatDef*> model_format_all();  // generated from the files in formats/

const std::vector<const FormatDef*>& format_defs() {
  static const std::vector<const FormatDef*> formats = model_format_all();
  return formats;
}

Result<const FormatDef*> format_of(const Model& model) {
  for (const FormatDef* format : format_defs()) {
    if (format->info.name == model.format) return format;
  }
  return internal_error("{}: has no file format '{}'", model.path, model.format);
}

}  // namespace loader

const std::vector<FormatInfo>& model_formats() {
  static const std::vector<FormatInfo> infos = [] {
    std::vector<FormatInfo> all;
    for (const loader::FormatDef* format : loader::format_defs()) all.push_back(format->info);
    return all;
  }();
  return infos;
}

std::string_view format_label(std::string_view name) {
  for (const FormatInfo& format : model_formats()) {
    if (format.name == name) return format.label;
  }
  return name;
}

Result<Model> load_model(const std::string& path) {
  VISQ_ASSIGN(const auto opened, loader::open_model_file(path));
  const auto& [file, bytes] = opened;
  VISQ_ASSIGN(const loader::FormatDef* format, identify(bytes, path));
  Model model;
  model.path = path;
  model.format = format->info.name;
  model.file_bytes = bytes.size();
  model.storage = file;
  model.mapped = bytes;
  model.checksum = Checksum(file, file->bytes());
  try {
    VISQ_TRY(format->read(bytes, path, model));
  } catch (const std::bad_alloc&) {
    return bad_input("{}: does not fit into memory", path);
  }
  return model;
}

}  // namespace visq
