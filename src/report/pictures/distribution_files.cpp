// distribution's files: pictures with speaking names, a page with all of them, and the table.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/words/fitted_table.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/distribution.h"

namespace visq::report {
namespace {

std::string_view kind_name(const Distribution& distribution) {
  return distribution.kind == Distribution::Kind::kWeight ? "weight" : "activation";
}

/// A file name that every system takes: number, kind, and what letters and digits the tensor's name begins with.
std::string file_name(const Distribution& distribution, std::size_t index) {
  constexpr std::size_t kLongest = 48;
  std::string safe;
  for (const char c : distribution.reference_tensor) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (safe.size() < kLongest) safe += plain ? c : '_';
  }
  return fmt::format("{:03}-{}-{}.svg", index, kind_name(distribution), safe);
}

std::string page(const DistributionResult& result, const std::vector<OutputFile>& pictures) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Distributions</title>\n<style>\n"
      "body { font-family: Helvetica, Arial, sans-serif; margin: 24px; color: #333; }\n"
      "figure { margin: 0 0 24px; border: 1px solid #ddd; border-radius: 6px; padding: 8px; max-width: 980px; }\n"
      "svg { max-width: 100%; height: auto; }\n</style>\n</head>\n<body>\n<h1>Distributions</h1>\n";
  html += fmt::format("<p>{}, {} of {}</p>\n", escape_html(models_text(result, true)), records_text(result),
                      escape_html(printable(result.data)));
  for (const OutputFile& picture : pictures) html += "<figure>\n" + picture.content + "</figure>\n";
  return html + "</body>\n</html>\n";
}

}  // namespace

std::vector<OutputFile> distribution_files(const DistributionResult& result) {
  std::vector<OutputFile> files;
  const std::int64_t records = result.records.last - result.records.first;
  for (std::size_t i = 0; i < result.distributions.size(); ++i) {
    files.push_back({file_name(result.distributions[i], i), distribution_svg(result.distributions[i], records)});
  }
  files.push_back({"distribution.html", page(result, files)});
  return files;
}

bool is_distribution_picture(std::string_view file_name) {
  constexpr std::string_view kDigits = "0123456789", kEnd = ".svg";
  const std::size_t number = std::min(file_name.find_first_not_of(kDigits), file_name.size());
  const std::string_view kind = file_name.substr(number);
  return number >= 3 && (kind.starts_with("-weight-") || kind.starts_with("-activation-")) && kind.ends_with(kEnd);
}

std::string distribution_text(const DistributionResult& result, std::size_t columns) {
  const std::vector<FittedColumn> table{{{"kind"}},         {{"index", true}},    {{"op"}, 4},   {{"name"}, 0, true},    {{"SQNR", true}},
                                        {{"values", true}}, {{"range", true}, 2}, {{"clipped"}}, {{"max |d|", true}, 3}, {{"dtype"}, 5},
                                        {{"shape"}, 6}};
  const auto between = [](double low, double high) { return brief(low) + ".." + brief(high); };
  std::vector<std::vector<std::string>> rows;
  for (const Distribution& each : result.distributions) {
    rows.push_back({std::string(kind_name(each)), place(each.reference), printable(each.reference.op),
                    printable(columns > 0 ? shown_name(each.reference) : each.reference_tensor), brief(each.sqnr),
                    between(each.smallest, each.greatest), each.lowest && each.highest ? between(*each.lowest, *each.highest) : "-",
                    clipped_text(each), brief(each.difference.largest), std::string(name(each.quantized_dtype)), compact(each.shape)});
  }
  return pair_head(result) + fitted_table(table, rows, columns);
}

}  // namespace visq::report
