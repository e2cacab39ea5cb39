// `cmake --install` gives a package that a small project of somebody else's finds, links and runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/file.h"
#include "support/runs/process.h"

namespace visq::testing {
namespace {

/// The value of a variable in this build's cache, so that the consumer is compiled alike (sanitizers must match).
std::string cached(const std::string& variable) {
  const std::string cache = read_text((std::filesystem::path(VISQ_BINARY).parent_path() / "CMakeCache.txt").string());
  const auto start = cache.find("\n" + variable + ":");
  if (start == std::string::npos) return "";
  const auto equals = cache.find('=', start);
  return cache.substr(equals + 1, cache.find('\n', equals) - equals - 1);
}

void expect_success(const std::vector<std::string>& words) {
  const ProcessResult result = run_process(words);
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Consumer, FindsLinksAndRunsTheInstalledLibrary) {
  const TemporaryFolder folder;
  const std::string build = std::filesystem::path(VISQ_BINARY).parent_path().string();
  const std::string source = std::string(VISQ_SOURCE_DIR) + "/tests/consumer", example = std::string(VISQ_SOURCE_DIR) + "/examples/digits/";
  ASSERT_NO_FATAL_FAILURE(expect_success({"cmake", "--install", build, "--prefix", folder / "prefix"}));
  ASSERT_NO_FATAL_FAILURE(expect_success({"cmake", "-S", source, "-B", folder / "build", "-G", cached("CMAKE_GENERATOR"),
                                          "-DCMAKE_PREFIX_PATH=" + folder / "prefix", "-DCMAKE_CXX_FLAGS=" + cached("CMAKE_CXX_FLAGS")}));
  ASSERT_NO_FATAL_FAILURE(expect_success({"cmake", "--build", folder / "build"}));
  const ProcessResult run = run_process({folder / "build/consumer", example + "fp32.tflite", example + "int8.tflite", example + "data.h5"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(std::stod(run.out), 10);
  EXPECT_LT(std::stod(run.out), 80);
  EXPECT_THAT(run.out, ::testing::HasSubstr(file_sha256(example + "int8.tflite").value())) << "in its JSON";

  const ProcessResult installed = run_process({folder / "prefix/bin/visqerror", "--version"});
  EXPECT_EQ(installed.exit_code, 0) << installed.err;
}

}  // namespace
}  // namespace visq::testing
