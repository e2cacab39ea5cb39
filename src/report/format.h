// An output format: turns a result into files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/review/review.h"
#include "visq/report.h"

namespace visq::report {

/// One output format of the registry (`--write KIND`).
struct FormatDef {
  ReportKind info;
  /// Of a comparison. `folder` is where the files will be stored, for formats that name other files relative to themselves.
  std::vector<OutputFile> (*write)(const CompareResult& result, const ReportOptions& options, const std::string& folder);
  /// Of any command that fills a review; null where the format is one of comparisons only.
  std::vector<OutputFile> (*write_review)(const Review& review) = nullptr;
  /// An error where this build lacks what the format needs; null: it is always there.
  Status (*available)() = nullptr;
};

/// FormatDef::write of a format that sees reviews only.
template <std::vector<OutputFile> (*Write)(const Review&)>
std::vector<OutputFile> by_review(const CompareResult& result, const ReportOptions& options, const std::string&) {
  return Write(review_of(result, options));
}

/// All formats, by kind.
std::span<const FormatDef* const> all_formats();
/// The format of a kind; null where there is none.
const FormatDef* find_format(std::string_view kind);
/// FormatDef::available(), if any.
Status available(const FormatDef& format);

/// The reference's file name without its ending: what output files are named after.
std::string stem(const CompareResult& result);

}  // namespace visq::report
