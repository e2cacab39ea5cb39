// The text formats, exactly, and how formats come to be files.
#include "report/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/results/report_results.h"
#include "support/runs/process.h"

namespace visq::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string only_file(std::string_view kind, const CompareResult& result) {
  const auto files = find_format(kind)->write(result, {}, "");
  EXPECT_EQ(files.size(), 1U);
  return files.front().content;
}

std::string contents(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

TEST(Formats, AreListedByKind) {
  std::vector<std::string> kinds, by_default;
  for (const ReportKind& each : report_kinds()) {
    kinds.emplace_back(each.kind);
    if (each.by_default) by_default.emplace_back(each.kind);
    EXPECT_FALSE(each.description.empty());
  }
  EXPECT_THAT(kinds, ElementsAre("anomalies", "csv", "dot", "html", "json", "junit", "layers", "markdown", "match", "model-explorer",
                                 "sarif", "visq"));
  EXPECT_THAT(by_default, ElementsAre("anomalies", "csv", "dot", "json", "layers", "match", "visq"));
}

TEST(Formats, CsvIsExactlyThis) {
  EXPECT_EQ(only_file("csv", testing::complete_result()),
            "index,mod_name,base_op_type,analy_op_type,shape,quant_dtype,qscale,Cosine,L1,Atol,max_qscale_diff,base_model_min,"
            "analy_model_min,base_model_max,analy_model_max,base_model_mean,analy_model_mean,SQNR,MSE,MPEIR,verdict,names,differing\n"
            "in0,in,INPUT,INPUT,1x4,int8,0.5,,,,,0,0,0,0,0,0,,,,,in | in,\n"
            "0,conv,CONV_2D,CONV_2D,1x4,int8,0.25..0.5 (2),0.75,,2,,-1,0,2,0,0.5,0,inf,0.25,,rounding only,conv | conv;Relu,\n"
            "1,left,SPLIT,SPLIT,1x4,int8,0.5,,,,,0,0,0,0,0,0,20,1,,,right | right,\n"
            "2,best,ARG_MAX,ARG_MAX,1x4,int64,,,,,,0,0,0,0,0,0,,,,,best | best,0.125\n"
            "1/0,body,ADD,ADD,1x4,float32,,,,,,,,,,,,,,,not compared: shapes [2] and [3] differ,body | body,\n");
}

TEST(Formats, CsvDisarmsHostileNames) {
  const std::string csv = only_file("csv", testing::chain_result(testing::hostile_names()));
  EXPECT_THAT(csv, HasSubstr("\"'=SUM(A1:A9),\"\"x\"\"\""));
  EXPECT_THAT(csv, HasSubstr("line\\x0abreak\\x0d\\x09tab"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), testing::hostile_names().size() + 1);
}

TEST(Formats, LayersIsAlignedAndDropsNoColumn) {
  const std::string text = only_file("layers", testing::complete_result());
  std::istringstream lines(text);
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) ++count;
  EXPECT_EQ(count, 6U);
  EXPECT_THAT(text, HasSubstr("index  mod_name  base_op_type  analy_op_type  shape  quant_dtype  qscale         Cosine"));
  EXPECT_THAT(text, HasSubstr("\n0      conv      CONV_2D       CONV_2D        1x4    int8         0.25..0.5 (2)    0.75"));
}

TEST(Formats, AnomaliesIsExactlyThis) {
  EXPECT_EQ(only_file("anomalies", testing::complete_result()),
            "index  name  kind             value  limit  first record\n"
            "0      conv  non-finite           1      0             7\n"
            "0      conv  scale too large      8     16             -\n");
  EXPECT_EQ(only_file("anomalies", {}), "no anomalies\n");
}

TEST(Formats, MatchIsExactlyThis) {
  CompareResult result = testing::complete_result();
  result.maps[1].weight_likeness = 0.99931;
  result.maps[3].paired_by = PairedBy::kMaps;
  result.maps[3].map_correlation = 0.5;
  result.match.doubtful.push_back({result.maps[4].reference, result.maps[4].quantized, -0.25});
  result.match.by_weights = 2;
  EXPECT_EQ(only_file("match", result),
            "Tensors paired 5 by name, 1 by structure, 2 by weights; 1 unpaired, 1 doubtful\n"
            "warning: the weights have nothing in common\n"
            "\nPaired\n"
            "index  reference  index  quantized  by         weights  values\n"
            "in0    in         in0    in         name\n"
            "0      conv       0      conv;Relu  structure    0.999\n"
            "1      left       1      left       name\n"
            "1      right      1      right      maps                 0.500\n"
            "2      best       2      best       name\n"
            "1/0    body       1/0    body       name\n"
            "\nDoubtful: compared with nothing; --pair A=B says what belongs together\n"
            "index  reference  index  quantized  values\n"
            "2      best       2      best       -0.250\n"
            "\nUnpaired\n"
            "model      index  name     op        reason\n"
            "quantized  0      in_int8  QUANTIZE  QUANTIZE inserted\n");
}

TEST(Formats, EveryOneSurvivesHostileNamesAndEmptyResults) {
  CompareResult hostile = testing::chain_result(testing::hostile_names());
  hostile.anomalies.push_back({hostile.maps[4].reference, "kind\x1b", 1, 0, 0});
  hostile.match.unpaired.push_back({true, hostile.maps[6].reference, "reason\n"});
  for (const FormatDef* format : all_formats()) {
    for (const OutputFile& file : format->write(hostile, {}, "out")) {
      EXPECT_EQ(file.content.find_first_of(std::string("\x1b\0\r", 3)), std::string::npos) << file.name;
      EXPECT_EQ(file.content.find('\xff'), std::string::npos) << file.name;
    }
    format->write({}, {}, "");
  }
}

class WriteReport : public ::testing::Test {
 protected:
  testing::TemporaryFolder temporary_;  // of its own: ctest runs these tests at the same time
  std::string folder_ = temporary_ / "deep";
};

TEST_F(WriteReport, NamesFilesAfterTheReferenceAndMetric) {
  CompareResult result = testing::complete_result();
  result.metrics = {metric_named("mse"), metric_named("sqnr")};
  const auto written = write_report(result, "visq", folder_, {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_THAT(*written, ElementsAre(folder_ + "/chain.mse.visq.json", folder_ + "/chain.sqnr.visq.json"));
  EXPECT_FALSE(contents((*written)[1]).empty());
  EXPECT_THAT(*write_report(result, "dot", folder_, {}),
              ElementsAre(folder_ + "/chain.mse.visq.json.dot", folder_ + "/chain.sqnr.visq.json.dot"));
  EXPECT_THAT(*write_report(result, "json", folder_, {}), ElementsAre(folder_ + "/result.json"));
}

TEST_F(WriteReport, WritesOneFileWhereItIsTold) {
  CompareResult result = testing::complete_result();
  std::filesystem::create_directories(folder_);
  EXPECT_TRUE(write_report_file(result, "csv", folder_ + "/my.csv", {}).ok());
  EXPECT_THAT(contents(folder_ + "/my.csv"), HasSubstr("mod_name"));
  const Status several = write_report_file(result, "visq", folder_ + "/my.json", {});
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().reason, Reason::kUsage);
  EXPECT_EQ(several.error().message, folder_ + "/my.json: format 'visq' consists of 12 files and needs a folder");
  result.metrics = {metric_named("mse")};
  EXPECT_TRUE(write_report_file(result, "visq", folder_ + "/my.json", {}).ok());
}

TEST_F(WriteReport, TellsWhatCannotBeWritten) {
  const auto unknown = write_report({}, "pdf", folder_, {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().reason, Reason::kUsage);
  EXPECT_EQ(unknown.error().message,
            "no output format 'pdf'; there are anomalies, csv, dot, html, json, junit, layers, markdown, match, "
            "model-explorer, sarif, visq");
  const auto blocked = write_report({}, "json", "/dev/null/out", {});
  ASSERT_FALSE(blocked.ok());
  EXPECT_EQ(blocked.error().reason, Reason::kBadInput);
  EXPECT_THAT(blocked.error().message, HasSubstr("/dev/null/out"));
}

}  // namespace
}  // namespace visq::report
