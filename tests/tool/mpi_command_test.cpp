// Several ranks: the bytes of one process, one voice, and nothing left of a run that loses a rank. Where the build has MPI and a launcher.
#include <filesystem>
#include <functional>

#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class Mpi : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(VISQ_MPIRUN).empty()) GTEST_SKIP() << "built without -DVISQ_WITH_MPI=ON";
    if (launch(2, {"true"}).exit_code != 0) GTEST_SKIP() << VISQ_MPIRUN << " cannot start processes here";
  }
  static ProcessResult launch(int ranks, const Words& words) {
    return run_process(Words{"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", VISQ_MPIRUN, "--oversubscribe", "-np",
                             std::to_string(ranks)} +
                       words);
  }
  void expect_same(const Words& command, const std::vector<int>& ranks, const Words& threads) {
    const std::string one = folder_ / "one.json", several = folder_ / "several.json";
    const ProcessResult alone = run_tool(command + Words{"--quiet", "--threads", "1", "--json", one});
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    for (const int size : ranks) {
      for (const std::string& each : threads) {
        const ProcessResult run = launch(size, Words{VISQ_BINARY} + command + Words{"--quiet", "--threads", each, "--json", several});
        EXPECT_EQ(run.exit_code, 0) << run.err;
        EXPECT_EQ(run.out, alone.out) << "one voice";
        EXPECT_TRUE(read_text(several) == read_text(one)) << size << " ranks, " << each << " threads";
      }
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Mpi, CompareGivesTheBytesOfOneProcess) {
  expect_same({"compare", kFp32, kInt8, "-d", kData, "--per-record", "--labels", example("labels.npy")}, {1, 2, 3, 4}, {"1", "3"});
  expect_same({"compare", kFp32, kInt8, "-d", kData, "--origin", "--per-channel", "--records", "worst:5"}, {3}, {"2"});
  expect_same({"compare", kFp32, kInt8, "-d", kData, "--records", "1"}, {3}, {"1"});
}

TEST_F(Mpi, BadcaseGivesTheBytesOfOneProcess) {
  expect_same({"badcase", kFp32, kInt8, "-d", kData, "--per-record", "--metrics", "cosine,atol"}, {2, 3}, {"1", "2"});
  const Words save{"badcase", kFp32, kInt8, "-d", kData, "--quiet", "--save"};
  EXPECT_EQ(run_tool(save + Words{folder_ / "one.h5"}).exit_code, 0);
  EXPECT_EQ(launch(3, Words{VISQ_BINARY} + save + Words{folder_ / "several.h5"}).exit_code, 0);
  EXPECT_TRUE(read_text(folder_ / "one.h5") == read_text(folder_ / "several.h5"));
}

TEST_F(Mpi, SensitivityGivesTheBytesOfOneProcess) {
  expect_same({"sensitivity", kFp32, kInt8, "-d", kData, "--records", "3", "--types", "all"}, {2, 3}, {"1", "2"});
  expect_same({"sensitivity", kFp32, kInt8, "-d", kData, "--estimate"}, {3}, {"2"});
}

TEST_F(Mpi, AFailureOfAllIsToldOnce) {
  const ProcessResult run = launch(3, {VISQ_BINARY, "compare", kFp32, kInt8, "-d", "nothing.h5", "-o", folder_ / "out"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("visqerror: nothing.h5"));
  EXPECT_EQ(run.err.find("visqerror: nothing.h5"), run.err.rfind("visqerror: nothing.h5"));
  EXPECT_TRUE(folder_.content().empty());
}

TEST_F(Mpi, AFailureOfOneEndsAllAndSaysWhy) {
  const std::string script =
      "if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then data=nothing.h5; else data=$3; fi\n"
      "exec \"$0\" compare \"$1\" \"$2\" -d $data -o \"$4\"";
  const ProcessResult run = launch(3, {"sh", "-c", script, VISQ_BINARY, kFp32, kInt8, kData, folder_ / "out"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("visqerror: rank 1: nothing.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/result.json"));
}

TEST_F(Mpi, ARankThatDiesEndsAllAndLeavesNothing) {
  const std::string script =
      "if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then kill -9 $$; fi\n"
      "exec \"$0\" compare \"$1\" \"$2\" -d \"$3\" --json \"$4\"";
  const ProcessResult run = launch(3, {"sh", "-c", script, VISQ_BINARY, kFp32, kInt8, kData, folder_ / "result.json"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("visqerror: the launcher of this job ended it, as it does where a rank has died; nothing written\n"));
  EXPECT_TRUE(folder_.content().empty());
}

TEST_F(Mpi, CommandsThatDoNotShareTheirWorkSaySo) {
  const ProcessResult run = launch(2, {VISQ_BINARY, "inspect", kFp32});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("visqerror: inspect: does not share its work between the ranks of a job"));
}

TEST(WithoutMpi, AJobOfSeveralProcessesIsRefused) {
  if (!std::string(VISQ_MPIRUN).empty()) GTEST_SKIP() << "built with MPI";
  const ProcessResult run = run_process({"env", "OMPI_COMM_WORLD_SIZE=2", VISQ_BINARY, "ops"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("this build knows no MPI"));
  EXPECT_EQ(run_process({"env", "OMPI_COMM_WORLD_SIZE=1", VISQ_BINARY, "ops"}).exit_code, 0);
}

}  // namespace
}  // namespace visq::testing
