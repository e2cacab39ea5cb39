#include "report/words/verdict_text.h"

#include <fmt/core.h>

#include <cmath>

#include "core/as_size.h"
#include "core/joined.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"

namespace visq::report {
namespace {

/// An error of `sqnr` dB as a share of the signal's RMS.
std::string percent_of(double sqnr) { return fmt::format("{:.3g} %", 100 * std::pow(10, -sqnr / 20)); }

std::string of_accuracy(const CompareResult& result, const PairVerdict& verdict) {
  const Accuracy& accuracy = *result.accuracy;
  const std::string over = plural(accuracy.records, "record");
  const std::string points = fmt::format("{} point{}", brief(std::fabs(verdict.value)), std::fabs(verdict.value) == 1 ? "" : "s");
  const std::string what = accuracy.by_class()        ? "Top-1"
                           : accuracy.program.empty() ? fmt::format("Its {}", score_info(accuracy.score).title)
                                                      : "Its score";
  if (verdict.value == 0) return fmt::format("{} stays as it is ({})", what, over);
  return fmt::format("{} {} {} ({})", what, verdict.value > 0 ? "loses" : "wins", points, over);
}

std::string of_output(const CompareResult& result, const PairVerdict& verdict, std::size_t columns) {
  const MapComparison& map = compared_output(result, as_size(verdict.output));
  const std::string name = shortened(printable(shown_name(map.reference)), columns), records = records_text(result);
  switch (verdict.basis) {
    case VerdictBasis::kSqnr:
      if (std::isinf(verdict.value)) return fmt::format("Output {} is the reference's to the bit ({})", name, records);
      return fmt::format("Output {} is off by {} of its RMS (SQNR {} dB, {})", name, percent_of(verdict.value), brief(verdict.value),
                         records);
    case VerdictBasis::kCosine:
      return fmt::format("Output {} has a cosine of {} ({})", name, brief(verdict.value), records);
    case VerdictBasis::kPsnr:
      if (std::isinf(verdict.value)) return fmt::format("Output {} is the reference's to the bit ({})", name, records);
      return fmt::format("Output {} has a PSNR of {} dB ({})", name, brief(verdict.value), records);
    case VerdictBasis::kDiffering:
      return fmt::format("Of output {} {} % of the elements differ ({})", name, brief(100 * verdict.value), records);
    case VerdictBasis::kNonFinite:
      return fmt::format("Output {} has {} NaN or Inf where the reference has none ({})", name,
                         plural(static_cast<std::int64_t>(verdict.value), "element"), records);
    default:
      return "Nothing that was measured says how good the outputs are";
  }
}

std::string of_first_node(const CompareResult& result, const PairVerdict& verdict, std::size_t columns) {
  const MapComparison& map = result.maps[as_size(verdict.first_node)];
  const std::string node =
      fmt::format("{} {} {}", place(map.reference), printable(map.reference.op), shortened(printable(shown_name(map.reference)), columns));
  if (std::isinf(verdict.first_sqnr)) return fmt::format("The first node that breaks: {} (NaN or Inf)", node);
  const std::string_view how = verdict.health == Health::kBroken ? "breaks" : "is noticeably off";
  return fmt::format("The first node that {}: {} ({}, {} dB)", how, node, percent_of(verdict.first_sqnr), brief(verdict.first_sqnr));
}

}  // namespace

std::vector<std::string> verdict_lines(const CompareResult& result, const PairVerdict& verdict, std::size_t columns) {
  const std::string basis =
      verdict.basis == VerdictBasis::kAccuracyDrop ? of_accuracy(result, verdict) : of_output(result, verdict, columns);
  std::vector<std::string> lines{fmt::format("{}. {}", name(verdict.health), basis)};
  if (verdict.first_node >= 0) lines.push_back(of_first_node(result, verdict, columns));
  return lines;
}

std::string verdict_sentence(const CompareResult& result, const PairVerdict& verdict, std::size_t columns) {
  return joined(verdict_lines(result, verdict, columns), ". ");
}

}  // namespace visq::report
