// diagnose for people: how good the outputs are, what holds for the pair as a whole, and the findings in order of importance.
#include <fmt/core.h>

#include <cmath>

#include "core/as_size.h"
#include "core/joined.h"
#include "report/words/histogram_line.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/diagnose.h"

namespace visq::report {
namespace {

/// Findings that the terminal shows; files show all.
constexpr std::size_t kShown = 8;
constexpr std::size_t kIndent = 4;
/// Columns for what a histogram is of.
constexpr std::size_t kShownName = 24;

std::string_view word(Severity severity) { return severity == Severity::kHint ? "info" : name(severity); }

class DiagnoseText {
 public:
  DiagnoseText(const DiagnoseResult& result, const DiagnoseTextOptions& options) : result_(result), options_(options) {}

  std::string write() {
    header();
    for (const GlobalRemark& remark : result_.remarks) paragraph(fmt::format("{}: {}", remark.kind, printable(remark.text)), 2);
    if (!result_.remarks.empty()) line("");
    findings();
    if (result_.together) together(*result_.together);
    measures();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  void paragraph(const std::string& text, std::size_t indent) { line(wrapped(text, options_.columns, indent)); }
  void detail(const std::string& text) { line(std::string(kIndent, ' ') + wrapped(text, options_.columns, kIndent)); }

  std::string colored(std::string_view text, Severity severity) const {
    static constexpr std::string_view kStyles[] = {"1", "33", "31"};
    if (!options_.color) return std::string(text);
    return fmt::format("\x1b[{}m{}\x1b[0m", kStyles[as_size(severity)], text);
  }

  void header() {
    paragraph(fmt::format("{} against {}", printable(result_.quantized.path), printable(result_.reference.path)), 2);
    for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
      const std::string mode = fmt::format("{} mode, {}", name(result_.quantized_mode), judgement_text(result_.judgement));
      paragraph(fmt::format("output {}: SQNR {} dB ({}){}", printable(output_for(result_, i, options_.columns)),
                            brief(result_.output_sqnr[i]), mode, whole_sqnr_text(result_.whole, i)),
                2);
    }
    damage();
    if (result_.accuracy) accuracy(*result_.accuracy);
    line("");
  }

  void damage() {
    const OutputDamage& damage = result_.damage;
    if (damage.records == 0) return;
    std::string text = damage.harmless() ? "clean" : "damaged";
    if (damage.fresh_state) text += " where every record starts from a fresh state (compare --sequence-length 1), not as one sequence";
    text += damage.decisions > 0
                ? fmt::format(": the best class changes in {} of {} decisions ({:.1f} %)", damage.changed, damage.decisions,
                              100 * damage.changed_share())
                : fmt::format(": {} dB from the outputs' deviation to their error, over {} records", brief(damage.sqnr), damage.records);
    paragraph(text, 2);
  }

  void accuracy(const Accuracy& values) {
    if (!values.program.empty()) {
      paragraph(fmt::format("{}: float model {}, quantized model {} ({} records)", shortened(printable(values.program), kShownName),
                            brief(values.reference.main), brief(values.quantized.main), values.records),
                2);
      return;
    }
    const std::string_view what = values.by_class() ? "accuracy" : score_info(values.score).title;
    paragraph(fmt::format("{}: float model {:.1f} %, quantized model {:.1f} %, costs {:.1f} points ({} records)", what,
                          100 * values.reference.main, 100 * values.quantized.main, values.drop(), values.records),
              2);
  }

  void findings() {
    const std::size_t shown = options_.columns == 0 ? result_.findings.size() : std::min(kShown, result_.findings.size());
    if (result_.findings.empty() && result_.remarks.empty()) line("No cause found.");
    for (std::size_t i = 0; i < shown; ++i) finding(i + 1, result_.findings[i]);
    if (shown < result_.findings.size()) line(fmt::format("and {} more; -o or --json has all", result_.findings.size() - shown));
  }

  void together(const JointRepair& joint) {
    paragraph(fmt::format("Repaired one upon the other, {} win {:.1f} dB, worst output then {:.1f} dB (recommend --write-model)",
                          joined(joint.causes, ", "), joint.gain_db, joint.sqnr),
              2);
    line("");
  }

  void finding(std::size_t rank, const Finding& finding) {
    std::string title = fmt::format("{}. {} {}", rank, colored(word(finding.severity), finding.severity), finding.cause);
    if (finding.tried) title += fmt::format(", {} {:.1f} dB", finding.stands_in ? "costs" : "repairing it wins", finding.gain_db);
    line(title);
    if (!finding.name.empty()) {
      const std::string node = finding.node < 0 ? "" : fmt::format("node {} ", finding.node);
      detail(fmt::format("{}{} {}", node, finding.op, printable(name_for(finding, options_.columns))));
    }
    detail(printable(finding.text));
    if (finding.values) picture(*finding.values);
    if (!finding.fix.empty()) detail("fix: " + printable(finding.fix) + outcome(finding));
    if (!finding.configuration.empty() && options_.columns == 0) detail(printable(finding.configuration));
    line("");
  }

  /// What is to be expected of the fix, as a clause.
  std::string outcome(const Finding& finding) const {
    if (!finding.tried) return "";
    if (finding.stands_in) return "; what that gives, converting and comparing again tells";
    const OutputDamage& damage = result_.damage;
    if (finding.changed * damage.decisions >= damage.changed * finding.decisions) return "";  // none, or no fewer than now
    return fmt::format("; the best class then changes in {} of {} decisions", finding.changed, finding.decisions);
  }

  /// A line of bars; the range of the grid in brackets.
  void picture(const ValueEvidence& values) {
    const std::string bars = histogram_line(values.histogram, values.range_low, values.range_high);
    detail(fmt::format("{:.4g} {} {:.4g} ({}; [ ] the range)", values.histogram.low, bars, values.histogram.high,
                       shortened(printable(values.what), kShownName)));
  }

  void measures() {
    if (result_.measures.empty()) return;
    line("What helps in general:");
    for (const std::string& measure : result_.measures) line("  - " + measure);
  }

  const DiagnoseResult& result_;
  const DiagnoseTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string diagnose_text(const DiagnoseResult& result, const DiagnoseTextOptions& options) {
  return DiagnoseText(result, options).write();
}

}  // namespace visq::report
