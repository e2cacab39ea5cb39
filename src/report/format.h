// An output format: turns the result of compare into files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "visq/compare.h"

namespace visq::report {

/// A file to be written: name relative to the output folder, and its whole content.
struct OutputFile {
  std::string name;
  std::string content;
};

struct FormatOptions {
  std::string title;
  enum class Colors { kDefault, kLinear, kLog } colors = Colors::kDefault;
};

/// One output format of the registry (`--write KIND`).
struct FormatDef {
  std::string_view kind;         ///< "visq", "dot", "csv" …
  std::string_view description;  ///< one line for --help
  bool by_default;               ///< written by `compare -o OUT` without being asked for
  std::vector<OutputFile> (*write)(const CompareResult& result, const FormatOptions& options);
};

/// All formats, by kind.
std::span<const FormatDef* const> all_formats();
/// The format of a kind; null where there is none.
const FormatDef* find_format(std::string_view kind);

}  // namespace visq::report
