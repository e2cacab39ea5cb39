#include "report/words/origin_summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/words/fitted_table.h"
#include "report/words/text.h"
#include "report/words/view.h"

namespace visq::report {
namespace {

constexpr std::size_t kNamed = 3;          ///< nodes that the sentence names at most
constexpr double kNamedFrom = 0.1;         ///< share from which a node is named
constexpr double kEnoughNamed = 0.9;       ///< no more are named once these make up this share
constexpr double kStandsOut = 0.3;         ///< share of the first from which it is to blame
constexpr double kUnfollowed = 0.05;       ///< share without known origin that is worth a word
constexpr std::size_t kSentenceName = 60;  ///< columns of a name in the sentence

struct Part {
  std::string_view column, words;
  double ErrorOrigin::*value;
};
constexpr std::array<Part, 4> kParts = {{{"weights", "weight rounding", &ErrorOrigin::weight_rounding},
                                         {"inside", "rounding of maps inside it", &ErrorOrigin::inner_rounding},
                                         {"rounding", "output rounding", &ErrorOrigin::output_rounding},
                                         {"clipping", "output clipping", &ErrorOrigin::output_clipping}}};

double square(double value) { return value * value; }

/// A part's share of the sum of all parts' squares; NaN where there is no error to share.
double part_share(const ErrorOrigin& origin, double ErrorOrigin::*part) {
  double sum = 0;
  for (const Part& each : kParts) sum += square(origin.*each.value);
  return square(origin.*part) / sum;
}

double created_to_signal(const MapComparison& map) { return map.origin->errors.created / map.reference_statistics.rms; }

/// Measured where it was.
double share_of(const ErrorOrigin& origin) { return origin.measured_share.value_or(origin.output_share); }

std::string percent(double share) {
  if (!std::isfinite(share)) return "-";
  const double value = 100 * share;
  return value > 0 && value < 0.05 ? "<0.1%" : fmt::format("{:.1f}%", value);
}

/// An estimate says so.
std::string share_cell(const ErrorOrigin& origin) { return (origin.measured_share ? "" : "~") + percent(share_of(origin)); }

std::string part_cell(const MapComparison& map, double ErrorOrigin::*part) {
  const double share = part_share(*map.origin, part);
  return std::isfinite(share) ? fmt::format("{:.0f}%", 100 * share) : "-";
}

/// Maps whose created error is known, those that create most of the outputs' error first: what was measured before what is estimated.
std::vector<std::size_t> ranked(const CompareResult& result) {
  std::vector<std::size_t> maps;
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    const auto& origin = result.maps[i].origin;
    if (origin && std::isfinite(origin->errors.created)) maps.push_back(i);
  }
  const auto finite = [](double value) { return std::isfinite(value) ? value : 0; };
  std::stable_sort(maps.begin(), maps.end(), [&](std::size_t a, std::size_t b) {
    const MapComparison &x = result.maps[a], &y = result.maps[b];
    if (x.origin->measured_share.has_value() != y.origin->measured_share.has_value()) return x.origin->measured_share.has_value();
    if (share_of(*x.origin) != share_of(*y.origin)) return share_of(*x.origin) > share_of(*y.origin);
    return finite(created_to_signal(x)) > finite(created_to_signal(y));
  });
  return maps;
}

bool has_shares(const CompareResult& result) {
  return std::any_of(result.maps.begin(), result.maps.end(), [](const auto& map) { return map.origin && share_of(*map.origin) > 0; });
}

std::string node_text(const MapComparison& map) {
  return fmt::format("{} '{}' ({})", place(map.reference), shortened(printable(shown_name(map.reference)), kSentenceName),
                     printable(map.reference.op));
}

/// The part that makes up more than half of what the map creates; null where none does.
const Part* main_part(const MapComparison& map) {
  for (const Part& part : kParts) {
    if (part_share(*map.origin, part.value) > 0.5) return &part;
  }
  return nullptr;
}

std::string main_part_cell(const MapComparison& map) {
  const Part* part = main_part(map);
  return part == nullptr ? "-" : fmt::format("{} {}", part->column, part_cell(map, part->value));
}

}  // namespace

bool has_origins(const CompareResult& result) {
  return std::any_of(result.maps.begin(), result.maps.end(), [](const auto& map) { return map.origin.has_value(); });
}

std::string origin_title(const CompareResult& result, std::size_t rows) {
  const std::size_t all = ranked(result).size();
  return fmt::format("Where errors are created: {} of {} maps by {}", std::min(rows, all), all,
                     !has_shares(result)         ? "created error"
                     : result.share_records == 0 ? "estimated share of the outputs' squared error"
                                                 : fmt::format("share of the outputs' squared error, measured on {} (~: estimated)",
                                                               plural(result.share_records, "record")));
}

std::string origin_table(const CompareResult& result, std::size_t rows, std::size_t width) {
  std::vector<std::size_t> maps = ranked(result);
  maps.resize(std::min(maps.size(), rows));
  std::vector<FittedColumn> columns = {
      {{"index"}, 0},         {{"name"}, 0, true},      {{"op"}, 4},          {{"share", true}, 1}, {{"accumulated", true}, 5},
      {{"created", true}, 0}, {{"inherited", true}, 2}, {{"s/√12", true}, 3}, {{"mostly"}, 2},      {{"verdict"}, 6}};
  for (const Part& part : kParts) columns.push_back({{std::string(part.column), true}, 7});
  std::vector<std::vector<std::string>> cells;
  for (const std::size_t i : maps) {
    const MapComparison& map = result.maps[i];
    const ErrorOrigin& origin = *map.origin;
    const double signal = map.reference_statistics.rms;
    auto& row = cells.emplace_back();
    row = {place(map.reference),
           printable(shown_name(map.reference)),
           printable(map.reference.op),
           share_cell(origin),
           percent(origin.errors.accumulated / signal),
           percent(origin.errors.created / signal),
           percent(origin.errors.inherited / signal),
           origin.in_roundings ? fmt::format("{:.3g}", origin.in_roundings->created) : "-",
           main_part_cell(map),
           remark(map)};
    for (const Part& part : kParts) row.push_back(part_cell(map, part.value));
  }
  return fitted_table(columns, cells, width);
}

std::string origin_sentence(const CompareResult& result) {
  if (!has_shares(result)) return "";
  const auto maps = ranked(result);
  const bool measured = result.share_records > 0;
  double known = 0;
  for (const std::size_t i : maps) known += result.maps[i].origin->output_share;
  const double largest = share_of(*result.maps[maps[0]].origin);
  std::string text = largest < kStandsOut ? "No single node is to blame: " : "";
  double named = 0;
  for (std::size_t i = 0; i < std::min(maps.size(), kNamed); ++i) {
    const MapComparison& map = result.maps[maps[i]];
    const double share = share_of(*map.origin);
    if (i > 0 && (share < kNamedFrom || named > kEnoughNamed)) break;
    const std::string of = i == 0 ? " of the outputs' error" : "";
    const Part* part = main_part(map);
    text += fmt::format("{}{} {} {:.0f} %{}{}", i == 0 ? "" : "; ", node_text(map), measured ? "alone makes" : "creates about", 100 * share,
                        of, part != nullptr ? fmt::format(", mostly by {}", part->words) : "");
    named += share;
  }
  text += ".";
  if (!measured && 1 - known > kUnfollowed)
    text += fmt::format(" Where {:.0f} % of it comes from could not be followed.", 100 * (1 - known));
  return text;
}

std::vector<std::string> origin_gaps(const CompareResult& result) {
  std::vector<std::string> lines;
  for (const MapComparison& map : result.maps) {
    const bool nothing_to_say = map.integer || !map.not_compared.empty() || map.reference.node < 0;
    if (!map.origin || map.origin->not_computed.empty() || nothing_to_say) continue;
    lines.push_back(fmt::format("{}: {}", node_text(map), printable(map.origin->not_computed)));
  }
  return lines;
}

}  // namespace visq::report
