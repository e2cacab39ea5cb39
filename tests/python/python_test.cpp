// The Python module's own tests (pytest), run with the tool under test: python3, or what VISQ_CI_PYTHON names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/runs/process.h"

namespace visq::testing {
namespace {

TEST(PythonModule, PassesItsTests) {
  const char* named = std::getenv("VISQ_CI_PYTHON");
  const std::string python = named != nullptr ? named : "python3", folder = std::string(VISQ_SOURCE_DIR) + "/tests/python";
  if (run_process({python, "-c", "import pytest, numpy, h5py"}).exit_code != 0) {
    GTEST_SKIP() << "no Python with the packages pytest, numpy and h5py; name one in VISQ_CI_PYTHON";
  }
  ::setenv("VISQERROR_BINARY", VISQ_BINARY, 1);
  const ProcessResult run = run_process({python, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", folder});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, ::testing::HasSubstr(" passed"));
}

}  // namespace
}  // namespace visq::testing
