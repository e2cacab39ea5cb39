// A disk that is full from any write on, and memory that is refused: one line, exit code 3, and nothing left behind.
#include "tool/writers.h"

// Sanitizers bring an allocator and a loader of their own, which limits and preloaded libraries do not get along with.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VISQ_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define VISQ_SANITIZED 1
#endif
#endif
#ifndef VISQ_SANITIZED
#define VISQ_SANITIZED 0
#endif

namespace visq::testing {
namespace {

class FullDiskAtAnyCall : public ::testing::TestWithParam<Writer> {};

TEST_P(FullDiskAtAnyCall, IsOneLineAndLeavesNothing) {
  if (VISQ_SANITIZED) GTEST_SKIP() << "nothing can be preloaded below a sanitizer";
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
