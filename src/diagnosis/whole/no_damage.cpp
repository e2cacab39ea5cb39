#include "diagnosis/whole/no_damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace visq::diagnosis {
namespace {

/// Outputs that are better than this, in dB, or the same best class in so many of the records.
constexpr double kFineSqnr = 20, kFineShare = 0.95;

}  // namespace

void add_no_damage(const Answers& answers, const std::string& oddity, DiagnoseResult& result) {
  const bool blamed = std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& finding) {
    return finding.severity != Severity::kHint || finding.cause == "RETRAINED";
  });
  double worst = HUGE_VAL;
  for (const double sqnr : result.output_sqnr) worst = std::min(worst, sqnr);
  if (blamed || !result.remarks.empty() || !std::isfinite(worst)) return;
  const bool fine = answers.records > 0 && result.output_sqnr.size() == 1 ? answers.same_share() >= kFineShare : worst >= kFineSqnr;
  if (!fine) return;
  Finding finding;
  finding.cause = "NO_DAMAGE";
  const std::string same =
      answers.records > 0 ? fmt::format("; the best class is the same in {} of {} records", answers.same, answers.records) : "";
  finding.text = fmt::format("the quantized model does what the float model does (worst output {:.1f} dB{})", worst, same);
  finding.evidence = {{"output_sqnr", worst}, {"threshold", answers.records > 0 ? kFineShare : kFineSqnr}};
  if (answers.records > 0) finding.evidence.emplace_back("same_share", answers.same_share());
  if (!result.accuracy) {
    finding.text +=
        ". Where results are poor nevertheless, both models have them alike: then the data (scale, channel order, memory "
        "layout), the labels or the float model itself are wrong, which cannot be seen without labels";
    finding.fix = "where results are poor: diagnose again with --labels or --eval, which tries the usual errors in data and labels";
  }
  if (!oddity.empty()) finding.text += fmt::format(". Odd about the data: {}", oddity);
  result.findings.push_back(std::move(finding));
  result.measures.clear();  // there is nothing to be helped
}

}  // namespace visq::diagnosis
