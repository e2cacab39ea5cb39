// A disk that is full from any write on, and memory that is refused: one line, exit code 3, and nothing left behind.
#include "support/runs/sanitized.h"
#include "tool/writers.h"

namespace visq::testing {
namespace {

class FullDiskAtAnyCall : public ::testing::TestWithParam<Writer> {};

TEST_P(FullDiskAtAnyCall, IsOneLineAndLeavesNothing) {
  if (kSanitized) GTEST_SKIP() << "nothing can be preloaded below a sanitizer";
  std::vector<std::string> words = words_of(GetParam(), "1");
  words.push_back("--quiet");
  int first = 0;
  for (int code = -1; code != 0; ++first) {
    SCOPED_TRACE(GetParam().command + ": the disk is full from call " + std::to_string(first) + " on");
    const TemporaryFolder folder;
    const ProcessResult run =
        run_in_shell("export LD_PRELOAD=" VISQ_FULL_DISK " VISQ_FULL_FROM=" + std::to_string(first) + "; exec \"$0\" \"$@\"", words,
                     folder.path().string());
    code = run.exit_code;
    if (code == 0) break;
    expect_error_containing(run, 3, "No space left on device");
    EXPECT_EQ(folder.content(), std::vector<std::string>());
    if (::testing::Test::HasFailure() || first > 2000) return;
  }
  EXPECT_GT(first, 3) << "the disk was never full";
}

INSTANTIATE_TEST_SUITE_P(Commands, FullDiskAtAnyCall, ::testing::ValuesIn(writers()),
                         [](const ::testing::TestParamInfo<Writer>& test) { return test.param.command; });

/// Runs the tool in a folder that is a disk of so many kilobytes, in a name space of its own: where users may make those, no root is
/// needed. What the disk holds afterwards is listed in the file `left` beside it.
ProcessResult run_on_disk(int kilobytes, const std::vector<std::string>& tool, const std::string& folder) {
  const std::string script = "mkdir -p disk && mount -t tmpfs -o size=" + std::to_string(kilobytes) +
                             "k tmpfs disk && cd disk || exit 99; \"$0\" \"$@\"; code=$?; find . -mindepth 1 > ../left; exit $code";
  std::vector<std::string> words{"unshare", "--map-root-user", "--mount", "bash", "-c", script};
  words.insert(words.end(), tool.begin(), tool.end());
  return run_process(words, {.folder = folder});
}

/// No call is made to fail here: a small disk of the system's own does it.
TEST(SmallDisk, OfTheSystemsOwnIsOneLineAndLeavesNothing) {
  const TemporaryFolder folder;
  if (run_on_disk(64, {"true"}, folder.path().string()).exit_code != 0) GTEST_SKIP() << "no disk can be mounted here";
  for (const Writer& writer : writers()) {
    int failed = 0;
    for (const int kilobytes : {4, 12, 40, 100}) {
      SCOPED_TRACE(writer.command + " on a disk of " + std::to_string(kilobytes) + " KiB");
      std::vector<std::string> tool = words_of(writer, "1");
      tool.insert(tool.begin(), VISQ_BINARY);
      tool.push_back("--quiet");
      const ProcessResult run = run_on_disk(kilobytes, tool, folder.path().string());
      if (run.exit_code == 0) continue;
      ++failed;
      expect_error_containing(run, 3, "No space left on device");
      EXPECT_EQ(read_text(folder / "left"), "");
    }
    EXPECT_GT(failed, 0) << writer.command;
  }
}

/// Limits from far too little to plenty meet every kind of request.
TEST(ShortMemory, IsOneLineAndLeavesNothing) {
  for (const Writer& writer : writers()) {
    int refused = 0;
    for (const char* limit : {"1K", "4K", "10K", "20K", "40K", "80K", "160K", "64M"}) {
      SCOPED_TRACE(writer.command + " --memory " + limit);
      std::vector<std::string> words = words_of(writer, "2");
      words.insert(words.end(), {"--quiet", "--memory", limit});
      const TemporaryFolder folder;
      const ProcessResult run = run_tool(words, {.folder = folder.path().string()});
      if (run.exit_code == 0) continue;
      ++refused;
      expect_error_containing(run, 3, "memory");
      EXPECT_EQ(folder.content(), std::vector<std::string>());
    }
    EXPECT_GT(refused, 0) << writer.command;
    EXPECT_LT(refused, 8) << writer.command << " fails with 64M";
  }
}

}  // namespace
}  // namespace visq::testing
