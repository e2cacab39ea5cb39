// What --verbose adds to compare: memory beforehand, which comes true, and where the time went.
#include <regex>

#include "tool/tool_support.h"

namespace visq::testing {
namespace {

/// The lines that --verbose prints, without the program's name.
std::string log_of(const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"compare", kFp32, kInt8, "-d", kData, "--verbose"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProcessResult run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.err;
}

TEST(VerboseRun, SaysHowMuchMemoryTheRunWillTake) {
  std::smatch found;
  const std::string log = log_of({"--threads", "2"});
  const std::regex line(R"(memory: (\d+)([KM]) at the peak: (\d+)([KM]) for models, packed weights and what was read, 2 x (\d+)K for)");
  ASSERT_TRUE(std::regex_search(log, found, line)) << log;
  EXPECT_GT(std::stoi(found[1]), 0);
  EXPECT_GT(std::stoi(found[5]), 0);
}

TEST(VerboseRun, ListsTheTimeOfEveryOperatorTypeOfBothModels) {
  const std::string log = log_of();
  EXPECT_TRUE(std::regex_search(log, std::regex(R"(this machine, one thread: \d+ GFLOP/s in float32, [0-9.]+ GB/s)"))) << log;
  const std::size_t reference = log.find("FP32: "), quantized = log.find("QUANT, with rounding: ");
  ASSERT_NE(reference, std::string::npos) << log;
  ASSERT_NE(quantized, std::string::npos) << log;
  for (const char* type : {"CONV_2D", "FULLY_CONNECTED", "SOFTMAX"}) {
    EXPECT_NE(log.substr(reference, quantized - reference).find(std::string("  ") + type + " "), std::string::npos) << type;
    EXPECT_NE(log.substr(quantized).find(std::string("  ") + type + " "), std::string::npos) << type;
  }
}

TEST(VerboseRun, ChangesNothingOnStdout) {
  const ProcessResult plain = run_tool({"compare", kFp32, kInt8, "-d", kData, "--json", "-"});
  const ProcessResult verbose = run_tool({"compare", kFp32, kInt8, "-d", kData, "--json", "-", "--verbose"});
  EXPECT_EQ(plain.out, verbose.out);
}

}  // namespace
}  // namespace visq::testing
