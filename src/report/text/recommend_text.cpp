// recommend for people: what can be repaired for nothing, and what higher precision buys.
#include <fmt/core.h>

#include <algorithm>

#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/text_table.h"
#include "report/words/view.h"
#include "visq/report/recommend.h"

namespace visq::report {
namespace {

/// With its sign.
std::string bytes_text(std::int64_t count) {
  const auto bytes = static_cast<double>(count);
  if (std::abs(bytes) >= 1e6) return fmt::format("{:+.1f} MB", bytes / 1e6);
  return std::abs(bytes) >= 1e4 ? fmt::format("{:+.1f} kB", bytes / 1e3) : fmt::format("{:+.0f} B", bytes);
}

class RecommendText {
 public:
  RecommendText(const RecommendResult& result, std::size_t columns) : result_(result), columns_(columns) {}

  std::string write() {
    paragraph(fmt::format("{} against {}, {}", printable(result_.quantized.path), printable(result_.reference.path),
                          plural(result_.records.last - result_.records.first, "record")),
              2);
    header();
    line("");
    for (const GlobalRemark& remark : result_.remarks) paragraph(fmt::format("{}: {}", remark.kind, printable(remark.text)), 2);
    if (!result_.remarks.empty()) line("");
    repairs();
    front();
    chosen();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  void paragraph(const std::string& text, std::size_t indent) { line(wrapped(text, columns_, indent)); }
  const PrecisionPoint& choice() const { return result_.front[result_.chosen]; }

  void header() {
    for (std::size_t i = 0; i < result_.outputs.size() && i < result_.whole.outputs.size(); ++i) {
      const auto& repaired = result_.whole_repaired.outputs;
      const std::string then = i < repaired.size() ? fmt::format(", with all repairs {} dB", brief(repaired[i])) : "";
      paragraph(fmt::format("output {}: SQNR {} dB{} ({} mode, all {})", printable(output_for(result_, i, columns_)),
                            brief(result_.whole.outputs[i]), then, name(result_.repair_mode), plural(result_.whole.records, "record")),
                2);
    }
  }

  void repairs() {
    if (!result_.remarks.empty()) return;  // they say why
    if (result_.repairs.empty()) {
      line("Nothing to repair without new calibration.");
      line("");
      return;
    }
    const bool calibrates =
        std::any_of(result_.repairs.begin(), result_.repairs.end(), [](const auto& each) { return each.finding.cause == "CALIBRATION"; });
    paragraph(fmt::format("Repairs{} ({} mode, worst output {:.1f} dB before; {})", calibrates ? "" : " that need no new calibration",
                          name(result_.repair_mode), result_.sqnr_before, judgement_text(result_.judgement)),
              2);
    for (std::size_t i = 0; i < result_.repairs.size(); ++i) {
      const AppliedRepair& repair = result_.repairs[i];
      paragraph(
          fmt::format("{}. {} {}: {}; wins {:.1f} dB, worst output then {:.1f} dB", i + 1, repair.finding.cause,
                      printable(name_for(repair.finding, columns_)), printable(repair.finding.fix), repair.finding.gain_db, repair.sqnr),
          3);
    }
    line("");
  }

  void front() {
    const bool accuracy = result_.front.front().accuracy_drop.has_value();
    line(fmt::format("Operators in {}{} (fake quantization)", result_.to, result_.repairs.empty() ? "" : ", on top of that"));
    std::vector<Column> columns{{""},
                                {"operators", true},
                                {"weights", true},
                                {"maps", true},
                                {"borders", true},
                                {"MAC-bits", true},
                                {"predicted", true},
                                {"simulated", true}};
    if (accuracy) columns.push_back({"accuracy drop", true});
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < result_.front.size(); ++i) {
      const PrecisionPoint& point = result_.front[i];
      const double share = static_cast<double>(point.added_bytes) / std::max(result_.weight_bytes, 1.0);
      rows.push_back({i == result_.chosen ? "->" : "", std::to_string(point.operators.size()),
                      fmt::format("{} ({:+.1f} %)", bytes_text(point.added_bytes), 100 * share), bytes_text(point.added_map_bytes),
                      std::to_string(point.conversions),
                      fmt::format("{:+.1f} %", 100 * point.added_mac_bits / std::max(result_.mac_bits, 1.0)),
                      fmt::format("{:.1f} dB", point.predicted_sqnr), fmt::format("{:.1f} dB", point.sqnr)});
      if (accuracy) rows.back().push_back(fmt::format("{:.2f} points", point.accuracy_drop.value_or(0)));
    }
    out_ += text_table(columns, rows);
    line("");
  }

  void chosen() {
    paragraph(fmt::format("Chosen: {}, {} in {}", result_.choice, plural(static_cast<std::int64_t>(choice().operators.size()), "operator"),
                          result_.to),
              2);
    if (!result_.repairs.empty()) {
      paragraph(fmt::format("without the repairs, as a quantizer makes it that calibrates as before: {:.1f} dB", result_.unrepaired.sqnr),
                2);
    }
    if (!result_.unrepaired.steady) {
      paragraph(fmt::format("expect {:.1f} dB: inputs that differ by a thousandth give {:.1f} to {:.1f} dB, since this network amplifies "
                            "roundings, and the set was chosen where they fall well",
                            result_.unrepaired.sqnr, result_.unrepaired.low, result_.unrepaired.high),
                2);
    }
    if (result_.config.float_maps && !result_.config.float_kernels) {
      paragraph(fmt::format("feature maps count as float; with what kernels lose by rounding them in the run (dynamic range, reference "
                            "kernels; XNNPACK may lose less), estimated from "
                            "what this model loses: {:.1f} dB",
                            result_.unrepaired.sqnr),
                2);
    }
    for (const QuantizerConfig::Layer& layer : result_.config.layers) {
      const std::string name = printable(name_for(layer, columns_));
      line("  " + layer.op + " " + (columns_ == 0 ? name : shortened(name, columns_ - layer.op.size() - 3)));
    }
    if (!result_.config.layers.empty()) paragraph("What a converter makes of this only it can tell: convert, then compare again.", 2);
  }

  const RecommendResult& result_;
  std::size_t columns_;
  std::string out_;
};

}  // namespace

std::string recommend_text(const RecommendResult& result, std::size_t columns) { return RecommendText(result, columns).write(); }

}  // namespace visq::report
