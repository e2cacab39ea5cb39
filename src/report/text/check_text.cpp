// check for people: what is odd, most severe first; in files also the table of every tensor.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "core/as_size.h"
#include "report/words/text.h"
#include "report/words/text_table.h"
#include "report/words/view.h"
#include "visq/report/check.h"

namespace visq::report {
namespace {

/// Findings of one kind that the terminal lists before "and N more".
constexpr std::size_t kNodesListed = 3;

std::string node_text(int subgraph, int node) { return subgraph == 0 ? std::to_string(node) : fmt::format("{}/{}", subgraph, node); }

std::string zero_point_text(const std::vector<std::int64_t>& zero_point) {
  if (zero_point.empty()) return "";
  const auto [low, high] = std::minmax_element(zero_point.begin(), zero_point.end());
  return *low == *high ? std::to_string(*low) : fmt::format("{}..{}", *low, *high);
}

class CheckText {
 public:
  CheckText(const CheckResult& result, const CheckTextOptions& options) : result_(result), options_(options) {}

  std::string write() {
    header();
    for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kHint}) findings(severity);
    uses();
    if (options_.columns == 0) tensors();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }

  std::int64_t count(Severity severity) const {
    return std::count_if(result_.findings.begin(), result_.findings.end(), [&](const auto& each) { return each.severity == severity; });
  }

  void header() {
    line(wrapped(fmt::format("{}: {}, {}", printable(result_.model.path), plural(result_.operators, "operator"), result_.quantization),
                 options_.columns, 0));
    if (result_.reference) line("compared with " + printable(result_.reference->path));
    line(fmt::format("{}, {}, {}", plural(count(Severity::kError), "error"), plural(count(Severity::kWarning), "warning"),
                     plural(count(Severity::kHint), "hint")));
  }

  std::string title(Severity severity) const {
    static constexpr std::string_view kTitles[] = {"Hints", "Warnings", "Errors"}, kStyles[] = {"1", "33", "31"};
    const auto i = as_size(severity);
    return options_.color ? fmt::format("\x1b[{}m{}\x1b[0m", kStyles[i], kTitles[i]) : std::string(kTitles[i]);
  }

  /// One paragraph per kind, kinds in order of their first finding.
  void findings(Severity severity) {
    if (count(severity) == 0) return;
    line("");
    line(title(severity));
    std::vector<std::string> kinds;
    std::map<std::string, std::vector<const StructureFinding*>> by_kind;
    for (const StructureFinding& finding : result_.findings) {
      if (finding.severity != severity) continue;
      auto& list = by_kind[finding.kind];
      if (list.empty()) kinds.push_back(finding.kind);
      list.push_back(&finding);
    }
    for (const std::string& kind : kinds) {
      const auto& list = by_kind[kind];
      const std::size_t listed = options_.columns == 0 ? list.size() : std::min(list.size(), kNodesListed);
      line("  " + kind);
      for (std::size_t i = 0; i < listed; ++i) finding(*list[i]);
      if (listed < list.size()) line(fmt::format("    and {} more", list.size() - listed));
    }
  }

  void finding(const StructureFinding& finding) {
    std::string place = finding.in_reference ? "reference: " : "";
    if (finding.node >= 0) place += fmt::format("{} {} ", node_text(finding.subgraph, finding.node), printable(finding.op));
    if (finding.tensor >= 0) {
      const std::string name = printable(name_for(finding, options_.columns));
      place += (options_.columns == 0 ? name : shortened(name, std::max<std::size_t>(options_.columns, 30) - 20)) + ": ";
    }
    line("    " + wrapped(place + printable(finding.text), options_.columns, 4));
  }

  void uses() {
    line("");
    if (result_.uses.empty()) {
      line(wrapped("All run exactly once: every weight is read, and every subgraph called, in one place", options_.columns, 0));
      return;
    }
    std::int64_t unused = 0;
    for (const UseCount& use : result_.uses) unused += use.uses == 0 ? 1 : 0;
    line(fmt::format("Not used exactly once: {} never, {} shared", unused, static_cast<std::int64_t>(result_.uses.size()) - unused));
    if (options_.columns > 0) return;
    std::vector<std::vector<std::string>> rows;
    for (const UseCount& use : result_.uses) {
      rows.push_back(
          {use.tensor < 0 ? fmt::format("subgraph {}", use.subgraph) : fmt::format("tensor {}", node_text(use.subgraph, use.tensor)),
           std::to_string(use.uses), printable(use.name)});
    }
    out_ += text_table({{"what"}, {"uses", true}, {"name"}}, rows);
  }

  void tensors() {
    const auto cell = [](const std::optional<double>& value) { return value ? brief(*value) : std::string("-"); };
    std::vector<std::vector<std::string>> rows;
    for (const CheckedTensor& row : result_.tensors) {
      const Quantization& q = row.quantization;
      rows.push_back({node_text(row.subgraph, row.node), printable(row.op), row.role,
                      row.input_dtype ? std::string(name(*row.input_dtype)) : std::string("-"), std::string(name(row.dtype)),
                      q.per_channel() ? std::to_string(q.axis) : std::string("-"), q.quantized() ? scale_text(q.scale) : std::string("-"),
                      q.quantized() ? zero_point_text(q.zero_point) : std::string("-"), cell(row.min), cell(row.max), printable(row.name)});
    }
    line("");
    line("Outputs (min and max: what their type can represent), weights and other constants (min and max of their values)");
    out_ += text_table({{"index"},
                        {"op"},
                        {"attribute"},
                        {"input dtype"},
                        {"dtype"},
                        {"axis", true},
                        {"scale"},
                        {"zero point", true},
                        {"min", true},
                        {"max", true},
                        {"name"}},
                       rows);
  }

  const CheckResult& result_;
  const CheckTextOptions& options_;
  std::string out_;
};

}  // namespace

std::string check_text(const CheckResult& result, const CheckTextOptions& options) { return CheckText(result, options).write(); }

}  // namespace visq::report
