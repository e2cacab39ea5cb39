#include "diagnosis/whole/no_damage.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace visq::diagnosis {
namespace {

/// Points from which a loss of accuracy is one, whatever the outputs' error: a verdict calls less fine.
constexpr double kLostPoints = 1;

}  // namespace

void add_no_damage(const std::string& oddity, DiagnoseResult& result) {
  const bool blamed = std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& finding) {
    return finding.severity != Severity::kHint || finding.cause == "RETRAINED";
  });
  double worst = HUGE_VAL;
  for (const double sqnr : result.output_sqnr) worst = std::min(worst, sqnr);
  const OutputDamage& damage = result.damage;
  if (result.accuracy && result.accuracy->drop() > kLostPoints) return;
  if (blamed || !result.remarks.empty() || !std::isfinite(worst) || damage.records == 0 || !damage.harmless()) return;
  Finding finding;
  finding.cause = "NO_DAMAGE";
  const std::int64_t kept = damage.decisions - damage.changed;
  const std::string same =
      damage.decisions > 0 ? fmt::format("; the best class is the same in {} of {} decisions", kept, damage.decisions) : "";
  finding.text = fmt::format("the quantized model does what the float model does (worst output {:.1f} dB{})", worst, same);
  finding.evidence = {{"output_sqnr", worst}};
  if (damage.decisions > 0) finding.evidence.emplace_back("same_share", 1 - damage.changed_share());
  if (!result.accuracy) {
    finding.text +=
        ". Where results are poor nevertheless, both models have them alike: then the data (scale, channel order, memory "
        "layout), the labels or the float model itself are wrong, which cannot be seen without labels";
    finding.fix = "where results are poor: diagnose again with --labels or --eval, which tries the usual errors in data and labels";
  }
  if (damage.decisions == 0 && !result.accuracy) {
    finding.text +=
        ". SQNR is ruled by the largest values: where small ones matter as much, --eval with the task's own measure tells what they lost";
  }
  if (!oddity.empty()) finding.text += fmt::format(". Odd about the data: {}", oddity);
  result.findings.push_back(std::move(finding));
  result.measures.clear();  // there is nothing to be helped
}

}  // namespace visq::diagnosis
