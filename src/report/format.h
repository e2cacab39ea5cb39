// An output format: turns the result of compare into files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "visq/report.h"

namespace visq::report {

/// A file to be written: name relative to the output folder, and its whole content.
struct OutputFile {
  std::string name;
  std::string content;
};

/// One output format of the registry (`--write KIND`).
struct FormatDef {
  ReportKind info;
  /// `folder` is where the files will be stored, for formats that name other files relative to themselves.
  std::vector<OutputFile> (*write)(const CompareResult& result, const ReportOptions& options, const std::string& folder);
};

/// All formats, by kind.
std::span<const FormatDef* const> all_formats();
/// The format of a kind; null where there is none.
const FormatDef* find_format(std::string_view kind);

/// The reference's file name without its ending: what output files are named after.
std::string stem(const CompareResult& result);

}  // namespace visq::report
