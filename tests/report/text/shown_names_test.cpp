// Nodes have their short names on terminals, in columns of any width, and their whole ones in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "visq/report/accumulate.h"
#include "visq/report/check.h"
#include "visq/report/diagnose.h"
#include "visq/report/diff.h"
#include "visq/report/extract.h"
#include "visq/report/recommend.h"

namespace visq::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kTerminal = 80;
const std::string kWhole =
    "efficientnet/block_1/expand/Relu6;efficientnet/block_1/expand_bn/FusedBatchNormV3;efficientnet/block_1/expand/Conv2D";
const std::string kShort = "block_1/expand";
const auto kIsShort = AllOf(HasSubstr(kShort), Not(HasSubstr("FusedBatchNorm")));
const auto kIsWhole = HasSubstr(kWhole);

Finding finding() {
  Finding finding;
  finding.tensor = 3, finding.node = 1, finding.name = kWhole, finding.display = kShort, finding.op = "CONV_2D";
  finding.cause = "ACT_CLIP", finding.text = "12 % clipped", finding.fix = "widen it";
  return finding;
}

TEST(ShownNames, OfFindings) {
  DiagnoseResult result;
  result.outputs = {kWhole}, result.output_displays = {kShort}, result.output_sqnr = {12};
  result.findings = {finding()};
  EXPECT_THAT(diagnose_text(result, {.columns = kTerminal}), kIsShort);
  EXPECT_THAT(diagnose_text(result, {.columns = 0}), kIsWhole);
  const std::string json = diagnose_json(result);
  EXPECT_THAT(json, AllOf(kIsWhole, HasSubstr("\"display\": \"" + kShort)));
}

TEST(ShownNames, OfRepairsAndLayers) {
  RecommendResult result;
  result.front.emplace_back();
  result.repairs = {{finding(), 20}};
  QuantizerConfig::Layer layer;
  layer.name = kWhole, layer.display = kShort, layer.op = "CONV_2D";
  result.config.layers = {layer};
  EXPECT_THAT(recommend_text(result, kTerminal), kIsShort);
  EXPECT_THAT(recommend_text(result, 0), kIsWhole);
  EXPECT_THAT(recommend_json(result), AllOf(kIsWhole, HasSubstr("\"display\": \"" + kShort)));
}

TEST(ShownNames, OfStructure) {
  CheckResult result;
  StructureFinding odd;
  odd.kind = "bias-scale", odd.node = 1, odd.tensor = 3, odd.op = "CONV_2D", odd.name = kWhole, odd.display = kShort, odd.text = "odd";
  result.findings = {odd};
  EXPECT_THAT(check_text(result, {.columns = kTerminal}), kIsShort);
  EXPECT_THAT(check_text(result, {.columns = 0}), kIsWhole);
}

TEST(ShownNames, OfDifferences) {
  DiffResult result;
  Difference worse;
  worse.map = {0, 1, kWhole, "CONV_2D", {}, kShort};
  worse.change = Change::kWorse;
  result.differences = {worse};
  result.nodes_worse = 1;
  EXPECT_THAT(diff_text(result, kTerminal), kIsShort);
}

TEST(ShownNames, OfCurvesMembers) {
  AccumulateResult result;
  AccumulateCurve curve;
  curve.label = "@ranking.json:1", curve.members = {kWhole}, curve.displays = {kShort};
  result.curves = {curve};
  EXPECT_THAT(accumulate_text(result, kTerminal), kIsShort);
  EXPECT_THAT(accumulate_text(result, 0), kIsWhole);
  EXPECT_THAT(accumulate_svg(result), kIsShort);
  EXPECT_THAT(accumulate_json(result), AllOf(kIsWhole, HasSubstr("\"displays\""), HasSubstr("\"" + kShort + "\"")));
}

TEST(ShownNames, OfTheExtractedNode) {
  ExtractResult result;
  result.node = kWhole, result.display = kShort;
  const ExtractFiles files = extract_files(result, true);
  EXPECT_THAT(extract_text(result, files, kTerminal), kIsShort);
  EXPECT_THAT(extract_json(result, files), AllOf(kIsWhole, HasSubstr("\"display\": \"" + kShort)));
}

}  // namespace
}  // namespace visq::report
