// The three errors in every output that shows them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/words/layer_table.h"
#include "report/words/origin_summary.h"
#include "report/words/text.h"
#include "support/results/report_results.h"
#include "support/results/report_schema.h"
#include "visq/report.h"

namespace visq {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// in -> conv -> add -> out; most of the error is created by clipping in `add`, and nothing is known of `conv`.
CompareResult with_origins() {
  CompareResult result = testing::chain_result({"in", "conv", "add", "out"});
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  for (MapComparison& map : result.maps) {
    map.reference_statistics.rms = 2;
    ErrorOrigin& origin = map.origin.emplace();
    origin.errors = {0.5, 0.25, 0.4};
    origin.in_roundings = {6, 3, 5};
    origin.weight_rounding = origin.output_rounding = 0.1;
    origin.output_clipping = 0.2;
    origin.noise_to_signal = 0.25;
  }
  ErrorOrigin& conv = *result.maps[1].origin;
  conv.not_computed = "LSTM keeps state from record to record";
  conv.errors.created = conv.errors.inherited = conv.interaction = conv.output_clipping = kUndefined;
  result.maps[2].origin->output_share = 0.75;
  result.maps[2].verdict = "clipping";
  result.maps[3].origin->in_roundings.reset();
  result.maps[3].origin->output_share = 0.125;
  return result;
}

TEST(OriginReport, JsonFollowsItsSchema) {
  const json document = json::parse(result_json(with_origins()));
  const auto schema = json::parse(std::ifstream(VISQ_SOURCE_DIR "/schema/compare.schema.json"));
  for (const std::string& error : testing::schema_errors(schema, document)) ADD_FAILURE() << error;
  const json& add = document["nodes"][2]["origin"];
  EXPECT_EQ(add["created"], 0.25);
  EXPECT_EQ(add["in_roundings"]["inherited"], 5);
  EXPECT_EQ(add["split"]["output_clipping"], 0.2);
  EXPECT_EQ(add["output_share"], 0.75);
  EXPECT_FALSE(add.contains("not_computed"));
  EXPECT_TRUE(document["nodes"][1]["origin"]["created"].is_null());
  EXPECT_EQ(document["nodes"][1]["origin"]["not_computed"], "LSTM keeps state from record to record");
  EXPECT_TRUE(document["nodes"][3]["origin"]["in_roundings"].is_null());
  EXPECT_FALSE(json::parse(result_json(testing::complete_result()))["nodes"][0].contains("origin"));
}

TEST(OriginReport, TablesGetColumnsBehindAllOthers) {
  const auto plain = report::layer_table(testing::chain_result({"in", "conv"}), report::exact);
  const auto table = report::layer_table(with_origins(), report::exact);
  ASSERT_EQ(table.columns.size(), plain.columns.size() + 13);
  for (std::size_t i = 0; i < plain.columns.size(); ++i) EXPECT_EQ(table.columns[i].title, plain.columns[i].title);
  const auto cell = [&](std::size_t row, std::string_view title) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].title == title) return table.rows[row][i];
    }
    return std::string("no such column");
  };
  EXPECT_EQ(cell(2, "accumulated"), "0.5");
  EXPECT_EQ(cell(2, "created"), "0.25");
  EXPECT_EQ(cell(2, "created_in_roundings"), "3");
  EXPECT_EQ(cell(2, "output_share"), "0.75");
  EXPECT_EQ(cell(1, "created"), "");
  EXPECT_EQ(cell(3, "created_in_roundings"), "");
}

TEST(OriginReport, TheSummaryNamesTheCulprit) {
  SummaryOptions options;
  options.width = 100;
  EXPECT_THAT(summary(with_origins(), options),
              HasSubstr("1      add   CONV_2D  ~75.0%        25.0%    12.5%      20.0%      3  clipping 67%  clipping\n"));
  options.width = 250;
  const std::string text = summary(with_origins(), options);
  EXPECT_THAT(text, HasSubstr("weights  inside  rounding  clipping\n")) << "where there is room";
  EXPECT_THAT(text, HasSubstr("Where errors are created: 3 of 3 maps"));
  EXPECT_THAT(text, HasSubstr("1 'add' (CONV_2D) creates about 75 % of the outputs' error, mostly by output clipping"));
  EXPECT_THAT(text, HasSubstr("Where 12 % of it comes from could not be followed."));
  EXPECT_THAT(text, HasSubstr("0 'conv' (CONV_2D): LSTM keeps state from record to record"));
  EXPECT_EQ(summary(testing::complete_result(), {}).find("Where errors"), std::string::npos);
}

TEST(OriginReport, WhatWasMeasuredComesFirstAndSaysSo) {
  CompareResult result = with_origins();
  result.share_records = 16;
  result.maps[3].origin->measured_share = 0.4;
  const std::string text = report::origin_title(result, 3) + "\n" + report::origin_table(result, 3, 200);
  EXPECT_THAT(text, HasSubstr("measured on 16 records (~: estimated)"));
  EXPECT_LT(text.find("40.0%"), text.find("~75.0%"));
  EXPECT_THAT(report::origin_sentence(result), HasSubstr("2 'out' (CONV_2D) alone makes 40 % of the outputs' error"));
}

TEST(OriginReport, TheTableFitsTheTerminal) {
  CompareResult result = with_origins();
  result.maps[2].reference.name = std::string(200, 'n');
  for (const std::size_t columns : {60U, 80U, 120U, 200U}) {
    std::istringstream lines(report::origin_table(result, 10, columns));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(report::width(line), columns) << line;
  }
}

TEST(OriginReport, SaysSoWhereNoNodeStandsOut) {
  CompareResult result = with_origins();
  result.maps[2].origin->output_share = 0.2;
  EXPECT_THAT(report::origin_sentence(result), ::testing::StartsWith("No single node is to blame: "));
  for (MapComparison& map : result.maps) map.origin->output_share = 0;
  EXPECT_EQ(report::origin_sentence(result), "");
}

}  // namespace
}  // namespace visq
