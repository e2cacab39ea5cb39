// The registry of formats, and how they come to be files.
#include "report/format.h"

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "report/review/review_parts.h"

namespace visq {
namespace report {

std::vector<const FormatDef*> format_all();  // generated from the files in formats/

std::span<const FormatDef* const> all_formats() {
  static const std::vector<const FormatDef*> formats = [] {
    std::vector<const FormatDef*> all = format_all();
    std::sort(all.begin(), all.end(), [](const FormatDef* a, const FormatDef* b) { return a->info.kind < b->info.kind; });
    return all;
  }();
  return formats;
}

const FormatDef* find_format(std::string_view kind) {
  const auto all = all_formats();
  const auto found = std::find_if(all.begin(), all.end(), [&](const FormatDef* format) { return format->info.kind == kind; });
  return found == all.end() ? nullptr : *found;
}

Status available(const FormatDef& format) { return format.available != nullptr ? format.available() : Status(); }

std::string stem(const CompareResult& result) { return stem_of(result.reference.path); }

}  // namespace report

namespace {

Error unknown_kind(std::string_view kind) {
  std::string known;
  for (const ReportKind& each : report_kinds()) known += (known.empty() ? "" : ", ") + std::string(each.kind);
  return usage_error("no output format '{}'; there are {}", kind, known);
}

}  // namespace

std::vector<ReportKind> report_kinds() {
  std::vector<ReportKind> kinds;
  for (const report::FormatDef* format : report::all_formats()) kinds.push_back(format->info);
  return kinds;
}

Result<std::vector<std::string>> write_report(const CompareResult& result, std::string_view kind, const std::string& folder,
                                              const ReportOptions& options) {
  const report::FormatDef* format = report::find_format(kind);
  if (format == nullptr) return unknown_kind(kind);
  VISQ_TRY(report::available(*format));
  VISQ_TRY(make_folder(folder));
  std::vector<std::string> written;
  for (const OutputFile& file : format->write(result, options, folder)) {
    written.push_back((std::filesystem::path(folder) / file.name).string());
    VISQ_TRY(write_file(written.back(), file.content));
  }
  return written;
}

Status write_report_file(const CompareResult& result, std::string_view kind, const std::string& path, const ReportOptions& options) {
  const report::FormatDef* format = report::find_format(kind);
  if (format == nullptr) return unknown_kind(kind);
  VISQ_TRY(report::available(*format));
  const auto files = format->write(result, options, std::filesystem::path(path).parent_path().string());
  if (files.size() != 1) return usage_error("{}: format '{}' consists of {} files and needs a folder", path, kind, files.size());
  return write_file(path, files.front().content);
}

}  // namespace visq
