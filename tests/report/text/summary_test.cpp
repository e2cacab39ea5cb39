#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/words/text.h"
#include "support/results/report_results.h"
#include "visq/report.h"

namespace visq {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SummaryOptions options(int width, int worst, Metric sort = Metric::kNone) {
  SummaryOptions out;
  out.width = width;
  out.worst = worst;
  out.sort = sort;
  return out;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, report::width(line));
  return widest;
}

CompareResult ranked() {
  CompareResult result =
      testing::chain_result({"input_tensor", "good", "a/very/long/name/of/a/feature/map/that/does/not/fit/anywhere", "bad"});
  result.data = "data.h5";
  result.records = {0, 1};
  const double sqnr[] = {50, 40, 30, 5};
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    testing::set_metric(result.maps[i], "sqnr", testing::finite_value(sqnr[i]));
    testing::set_metric(result.maps[i], "mse", testing::finite_value(i == 1 ? 9 : 1e-3));
    result.maps[i].verdict = "rounding only";
  }
  return result;
}

TEST(Summary, IsExactlyThis) {
  EXPECT_EQ(summary(testing::complete_result(), options(100, 2)),
            "reference  chain.tflite   fp32\n"
            "quantized  chain8.tflite  fake-quant\n"
            "data       data.h5        16 records\n"
            "\nOutputs\n"
            "index  name   op       SQNR  MSE  dtype  shape  differing\n"
            "1      right  SPLIT      20    1  int8   1x4            -\n"
            "2      best   ARG_MAX     -    -  int64  1x4        0.125\n"
            "\nWorst 2 of 5 nodes by SQNR (3 without a value)\n"
            "index  name  op       SQNR  Cosine   MSE  ATOL  dtype  shape  verdict\n"
            "1      left  SPLIT      20       -     1     -  int8   1x4\n"
            "0      conv  CONV_2D   inf    0.75  0.25     2  int8   1x4    rounding only\n"
            "\n2 anomalies\n"
            "  0 conv: non-finite, 1 (limit 0)\n"
            "  0 conv: scale too large, 8 (limit 16)\n"
            "\nNot computed\n"
            "  chain.tflite: 3 FlexFoo: no such operator\n"
            "\nPaired 5 by name, 1 by structure; 1 unpaired\n"
            "warning: the weights have nothing in common\n"
            "\nVerdict: broken. Of output best 12.5 % of the elements differ (16 records).\n"
            "\nNext: visqerror diagnose chain.tflite chain8.tflite -d data.h5  says why, and what to do\n");
}

TEST(Summary, FitsTheTerminal) {
  for (const int width : {200, 120, 80, 60, 40}) {
    const std::string text = summary(ranked(), options(width, 10));
    const std::string tables = text.substr(0, text.find("\nNext:"));
    EXPECT_LE(widest_line(tables), static_cast<std::size_t>(std::max(width, 48))) << width << "\n" << tables;
    EXPECT_THAT(text, HasSubstr("SQNR"));
  }
  EXPECT_THAT(summary(ranked(), options(200, 10)), HasSubstr("a/very/long/name/of"));
  EXPECT_THAT(summary(ranked(), options(80, 10)), HasSubstr("…"));
}

/// Names of a converter joined from three, with the short ones that they have; the widest operator; every metric has a value.
TEST(Summary, KeepsTheVerdictAndTellsNamesApartAt80Columns) {
  CompareResult result = ranked();
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    MapComparison& map = result.maps[i];
    const std::string layer = "block" + std::to_string(i) + "a_project_conv_1";
    map.reference.name = "efficientnetv2-b0_1/block4a_project_bn_1/batchnorm/add_1;efficientnetv2-b0_1/" + layer +
                         "/convolution;efficientnetv2-b0_1/block4a_project_bn_1/batchnorm/sub1";
    map.reference.display = layer;
    map.reference.op = "DEPTHWISE_CONV_2D";
    map.verdict = "more than rounding";
    for (const char* metric : {"cosine", "mse", "atol"}) testing::set_metric(map, metric, testing::finite_value(-1.2345e-05));
  }
  const std::string text = summary(result, options(80, 10)),
                    table = text.substr(text.find("Worst"), text.find("\n\n", text.find("Worst")) - text.find("Worst"));
  EXPECT_LE(widest_line(table), 80U) << table;
  EXPECT_THAT(table, HasSubstr("verdict"));
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    EXPECT_THAT(table, HasSubstr("block" + std::to_string(i) + "a_project_conv_1 ")) << table;
  }
  std::size_t verdicts = 0;
  for (std::size_t at = table.find("more than rounding"); at != std::string::npos; at = table.find("more than rounding", at + 1))
    ++verdicts;
  EXPECT_EQ(verdicts, result.maps.size()) << table;
}

TEST(Summary, PutsTheWorstFirst) {
  const auto order = [](const std::string& text, const char* first, const char* second) {
    const std::size_t table = text.find("Worst");
    return text.find(first, table) < text.find(second, table);
  };
  const std::string by_sqnr = summary(ranked(), options(100, 10));
  EXPECT_TRUE(order(by_sqnr, "bad", "good"));
  EXPECT_TRUE(order(by_sqnr, "good", "input_tensor"));
  const std::string by_mse = summary(ranked(), options(100, 10, metric_named("mse")));
  EXPECT_THAT(by_mse, HasSubstr("nodes by MSE"));
  EXPECT_TRUE(order(by_mse, "good", "bad"));
  const std::string one = summary(ranked(), options(100, 1));
  EXPECT_THAT(one, HasSubstr("Worst 1 of 4 nodes by SQNR"));
  EXPECT_EQ(one.find("good", one.find("Worst")), std::string::npos);
}

TEST(Summary, KeepsTheColumnThatItSortsBy) { EXPECT_THAT(summary(ranked(), options(40, 10, metric_named("mse"))), HasSubstr("MSE\n")); }

TEST(Summary, IsColouredOnlyWhereAsked) {
  EXPECT_EQ(summary(testing::complete_result(), {}).find('\x1b'), std::string::npos);
  SummaryOptions colored;
  colored.color = true;
  EXPECT_THAT(summary(testing::complete_result(), colored), HasSubstr("\x1b[1mOutputs\x1b[0m"));
}

TEST(Summary, ShowsHostileNamesHarmlessly) {
  CompareResult result = testing::chain_result(testing::hostile_names());
  result.reference.path = "a b\x1b.tflite";
  for (MapComparison& map : result.maps) testing::set_metric(map, "sqnr", testing::finite_value(1));
  result.match.warnings.push_back("\x1b[2J");
  const std::string text = summary(result, options(100, 100));
  EXPECT_EQ(text.find_first_of(std::string("\x1b\0\r\xff", 4)), std::string::npos);
  EXPECT_THAT(text, HasSubstr("diagnose 'a b\\x1b.tflite' chain8.tflite"));
}

TEST(Summary, SaysWhatToDoWithTheFiles) {
  SummaryOptions written;
  written.folder = "out dir";
  CompareResult fine = ranked();
  testing::set_metric(fine.maps[3], "sqnr", testing::finite_value(25));
  EXPECT_THAT(summary(fine, written), HasSubstr("\nNext: dot -Tsvg -O 'out dir/chain.sqnr.visq.json.dot'"));
}

TEST(Summary, NamesOnceWhatIsComparedWithItself) {
  CompareResult result = ranked();
  result.reference.path = result.quantized.path = "int8.tflite";
  EXPECT_THAT(summary(result, options(100, 3)), HasSubstr("Next: visqerror compare int8.tflite -"));
}

TEST(Summary, SurvivesEmptyResults) {
  const std::string text = summary({}, {});
  EXPECT_THAT(text, HasSubstr("Paired 0 by name"));
  EXPECT_THAT(text, Not(HasSubstr("Outputs")));
  CompareResult unselected = ranked();
  unselected.metrics.clear();
  for (MapComparison& map : unselected.maps) map.metrics.clear();
  EXPECT_THAT(summary(unselected, options(100, 2)), HasSubstr("Worst 2 of 4 nodes\n"));
}

TEST(Summary, SaysThatItWasInterrupted) {
  CompareResult result = ranked();
  result.interrupted = true;
  EXPECT_THAT(summary(result, {}), HasSubstr("interrupted: the numbers are those of the records done so far\n"));
}

}  // namespace
}  // namespace visq
