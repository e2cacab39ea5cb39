// The same formats of diagnose and check, and all of them against their published schemas.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "report/review/review_results.h"
#include "support/runs/process.h"

namespace visq::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReviewOfDiagnosis, IsOneResultPerFindingInSarif) {
  const json run = json::parse(find_format("sarif")->write_review(review_of_some_diagnosis({}))[0].content)["runs"][0];
  ASSERT_EQ(run["results"].size(), 3U);
  EXPECT_EQ(run["results"][0]["ruleId"], "ACT_CLIP");
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][0]["message"]["text"], "12 % clipped; fix: widen \\[it\\](x) (+6.1 dB)");
  EXPECT_EQ(run["results"][0]["locations"][0]["logicalLocations"][0]["name"], "conv;Relu");
  EXPECT_FALSE(run["results"][2]["locations"][0].contains("logicalLocations"));
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["shortDescription"]["text"], "see docs/causes.md#act_clip");
}

TEST(ReviewOfDiagnosis, ShowsShortNamesToPeopleAndWholeOnesToPrograms) {
  const Review review = review_of_some_diagnosis(Severity::kWarning);
  for (const char* format : {"markdown", "junit"}) {
    const std::string text = find_format(format)->write_review(review)[0].content;
    EXPECT_THAT(text, Not(HasSubstr("conv;Relu"))) << format;
  }
  EXPECT_THAT(find_format("junit")->write_review(review)[0].content, HasSubstr("conv: 12 % clipped"));
  const json run = json::parse(find_format("sarif")->write_review(review)[0].content)["runs"][0];
  EXPECT_EQ(run["results"][0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "0/conv;Relu");
}

TEST(ReviewOfDiagnosis, HasATestCasePerCauseWhetherFoundOrNot) {
  const auto failed = [](std::optional<Severity> lowest) {
    const std::string text = find_format("junit")->write_review(review_of_some_diagnosis(lowest))[0].content;
    EXPECT_EQ(junit_fault(text), "");
    EXPECT_EQ(count(text, "classname=\"visqerror.causes\""), all_causes().size());
    return count(text, "<failure ");
  };
  EXPECT_EQ(failed({}), 1U);
  EXPECT_EQ(failed(Severity::kError), 1U);
  EXPECT_EQ(failed(Severity::kWarning), 3U);
}

TEST(ReviewOfDiagnosis, ColoursTheNodesOfEitherModel) {
  const auto data = [](bool quantized) {
    ReportOptions options;
    options.quantized_names = quantized;
    return json::parse(find_format("model-explorer")->write_review(review_of_some_diagnosis({}, options))[0].content)["main"];
  };
  EXPECT_EQ(data(false)["results"],
            json::parse(R"({"conv": {"value": "ACT_CLIP, WEIGHT_OUTLIER", "bgColor": "#bd0026", "textColor": "#ffffff"}})"));
  EXPECT_TRUE(data(true)["results"].contains("conv;Relu"));
  EXPECT_FALSE(data(true).contains("gradient"));
}

TEST(ReviewOfDiagnosis, SaysInMarkdownWhetherItPasses) {
  const auto text = [](std::optional<Severity> lowest) {
    return find_format("markdown")->write_review(review_of_some_diagnosis(lowest))[0].content;
  };
  EXPECT_THAT(text({}), Not(HasSubstr("**")));
  EXPECT_THAT(text(Severity::kError), HasSubstr("\n**Failed**: 1 finding (error).\n"));
  EXPECT_THAT(text({}), HasSubstr("| error | ACT_CLIP | `conv` | `CONV_2D` | `12 % clipped; fix: widen [it](x) (+6.1 dB)` |\n"));
}

TEST(ReviewOfCheck, FailsOnErrorsOnly) {
  const Review review = review_of(some_check(), chain_graph("conv;Relu"), {});
  const std::string text = find_format("junit")->write_review(review)[0].content;
  EXPECT_EQ(junit_fault(text), "");
  EXPECT_THAT(text, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(text, HasSubstr("hint unfused-activation: conv: RELU stands alone\n"));
  EXPECT_EQ(json::parse(find_format("model-explorer")->write_review(review)[0].content)["main"]["results"]["conv;Relu"]["value"],
            "bias-scale, unfused-activation");
}

TEST(ReviewFormats, AreValidByTheirPublishedSchemas) {
  const char *schemas = std::getenv("VISQ_CI_SCHEMAS"), *python = std::getenv("VISQ_CI_PYTHON");
  const std::string interpreter = python != nullptr ? python : "python3";
  if (schemas == nullptr || testing::run_process({interpreter, "-c", "import jsonschema, xmlschema"}).exit_code != 0) {
    GTEST_SKIP() << "VISQ_CI_SCHEMAS names no folder with the schema of SARIF 2.1.0 and JUnit's *.xsd, or VISQ_CI_PYTHON (python3) no "
                    "Python with the packages jsonschema and xmlschema; with ai-edge-model-explorer node data are checked too";
  }
  const testing::TemporaryFolder folder;
  std::vector<std::string> words{interpreter, std::string(VISQ_SOURCE_DIR) + "/tests/report/ci_schemas.py", schemas};
  const CompareResult hostile = hostile_result();
  const Review reviews[] = {review_of(testing::complete_result(), some_outcomes()), review_of(hostile, hostile_outcomes(hostile)),
                            review_of(testing::chain_result({"in", "conv"}), {}), review_of_some_diagnosis(Severity::kError),
                            review_of(some_check(), chain_graph("conv;Relu"), {})};
  int number = 0;
  for (const Review& review : reviews) {
    for (const std::string_view kind : {"sarif", "junit", "model-explorer"}) {
      for (const OutputFile& file : find_format(kind)->write_review(review)) {
        words.push_back(folder / fmt::format("{}{}", ++number, std::filesystem::path(file.name).extension().string()));
        testing::write_text(words.back(), file.content);
      }
    }
  }
  const auto run = testing::run_process(words);
  EXPECT_EQ(run.out, fmt::format("{0} of {0} files are sound\n", number)) << run.err;
}

}  // namespace
}  // namespace visq::report
