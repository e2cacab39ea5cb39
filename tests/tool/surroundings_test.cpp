// What can go wrong around a run: disks that fill up at any write, readers that leave, inputs that are cut short, signals at any moment.
// Every command that writes: the documented exit code, one line, and no half-written file.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "tool/writers.h"

namespace visq::testing {
namespace {

namespace fs = std::filesystem;

TEST(Surroundings, AFileThatCannotGrowIsOneLineAndLeavesNothing) {
  for (const Writer& writer : writers()) {
    int failed = 0;
    for (const int kilobytes : {0, 1, 3, 8, 20}) {
      SCOPED_TRACE(writer.command + " with files of up to " + std::to_string(kilobytes) + " KiB");
      const TemporaryFolder folder;
      std::vector<std::string> words = words_of(writer, "2");
      words.push_back("--quiet");
      const ProcessResult run =
          run_in_shell("ulimit -f " + std::to_string(kilobytes) + "; exec \"$0\" \"$@\"", words, folder.path().string());
      if (run.exit_code == 0) continue;
      ++failed;
      expect_error_containing(run, 3, "");
      EXPECT_EQ(folder.content(), std::vector<std::string>());
    }
    EXPECT_GT(failed, 0) << writer.command;
  }
}

TEST(Surroundings, AnOutputFolderThatCannotBe) {
  const TemporaryFolder folder;
  write_text(folder / "out", "a file");
  for (const Writer& writer : writers()) {
    if (!writer.pair) continue;
    SCOPED_TRACE(writer.command);
    expect_error(run_tool(words_of(writer, "1"), {.folder = folder.path().string()}), 3, "out: is not a folder");
    EXPECT_EQ(folder.content(), std::vector<std::string>{"out"});
  }
}

TEST(Surroundings, AReaderThatHasGoneEndsTheRunWithZero) {
  const TemporaryFolder folder;
  for (const Writer& writer : writers()) {
    if (!writer.pair) continue;
    SCOPED_TRACE(writer.command);
    std::vector<std::string> words{writer.command, kFp32, kInt8, "-d", kData, "--records", "1"};
    if (writer.command == "report") words.insert(words.end(), {"--quick", "-o", "out"});
    if (writer.command == "extract") words.insert(words.end(), {"--nodes", "stem/Relu", "-o", "out"});
    EXPECT_EQ(run_tool(words, {.folder = folder.path().string(), .close_stdout = true}).exit_code, 0);
    words.insert(words.end(), {"--json", "-"});
    EXPECT_EQ(run_tool(words, {.folder = folder.path().string(), .close_stdout = true}).exit_code, 0);
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"inspect", kInt8}, {"check", kInt8}, {"ops"}, {"--help"}, {"--version"}}) {
    EXPECT_EQ(run_tool(words, {.close_stdout = true}).exit_code, 0) << words[0];
  }
}

TEST(Surroundings, AModelThatIsCutShortWhileItIsReadIsAnInputError) {
  const TemporaryFolder folder;
  for (const char* delay : {"0", "0.01", "0.02", "0.04", "0.08"}) {
    fs::copy_file(kInt8, folder / "m.tflite", fs::copy_options::overwrite_existing);
    const ProcessResult run =
        run_in_shell(std::string("\"$0\" \"$@\" & sleep ") + delay + "; : > m.tflite; wait $!",
                     {"sensitivity", kFp32, "m.tflite", "-d", kData, "--records", "8", "--quiet"}, folder.path().string());
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 3) << run.exit_code << run.err;
  }
}

/// Sends `signal` after `delay` seconds.
ProcessResult stop(const Writer& writer, const std::string& signal, const std::string& delay, const std::string& folder) {
  return run_in_shell("\"$0\" \"$@\" & sleep " + delay + "; kill -" + signal + " $! 2>&-; wait $!", words_of(writer, "0:64"), folder);
}

TEST(Surroundings, ASignalAtAnyMomentLeavesNoPartOfAResult) {
  for (const Writer& writer : writers()) {
    for (const auto& [signal, code] : {std::pair("INT", 130), std::pair("TERM", 143), std::pair("HUP", 129)}) {
      for (const char* delay : {"0.02", "0.05", "0.1", "0.2"}) {
        SCOPED_TRACE(writer.command + " " + signal + " after " + delay);
        const TemporaryFolder folder;
        const ProcessResult run = stop(writer, signal, delay, folder.path().string());
        if (run.exit_code == 0) break;  // it was done before
        EXPECT_EQ(run.exit_code, code) << run.err;
        for (const std::string& name : folder.content()) {
          EXPECT_TRUE(writer.command == "sensitivity" && (name == "out" || name.starts_with("out/.visqerror"))) << name;
        }
      }
    }
  }
}

/// How often a run is killed: enough for a test of every day, or as VISQ_KILLS says.
int kills() {
  const char* text = std::getenv("VISQ_KILLS");
  return text != nullptr ? std::atoi(text) : 5;
}

/// A file that a killed run left is as a whole run writes it; the worst record so far is a file that can be read.
void expect_whole(const std::string& name, const TemporaryFolder& folder, const TemporaryFolder& whole) {
  const bool ours =
      fs::is_regular_file(folder / name) && name.find(".visqerror") == std::string::npos && name.find(".tmp-") == std::string::npos;
  if (!ours) return;
  SCOPED_TRACE(name);
  if (name == "worst.h5") {
    EXPECT_EQ(run_tool({"compare", kFp32, kInt8, "-d", folder / name, "--quiet"}).exit_code, 0);
  } else {
    EXPECT_EQ(read_text(folder / name), read_text(whole / name));
  }
}

class Killed : public ::testing::TestWithParam<Writer> {};

TEST_P(Killed, AgainAndAgainLeavesWholeFilesAndEndsWithTheSame) {
  const Writer& writer = GetParam();
  const TemporaryFolder whole, folder;
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(run_tool(words_of(writer, "0:64"), {.folder = whole.path().string()}).exit_code, 0);
  double longest = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::mt19937 random(7);
  int killed = 0;
  for (int i = 0; i < kills(); ++i) {
    const double delay = std::uniform_real_distribution<>(0, longest)(random);
    const bool hit = stop(writer, "KILL", std::to_string(delay), folder.path().string()).exit_code == 137;
    if (hit) ++killed;
    if (!hit) longest *= 0.6;  // the machine has become faster
    for (const std::string& name : folder.content()) expect_whole(name, folder, whole);
  }
  RecordProperty("killed", killed);
  EXPECT_GT(killed, kills() / 4) << "most runs ended before they were killed";
  ASSERT_EQ(run_tool(words_of(writer, "0:64"), {.folder = folder.path().string()}).exit_code, 0);
  EXPECT_EQ(folder.content(), whole.content());  // also no temporary of a run that was killed while it wrote
  for (const std::string& name : whole.content()) {
    if (!fs::is_regular_file(whole / name)) continue;
    EXPECT_EQ(read_text(folder / name), read_text(whole / name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(LongRuns, Killed,
                         ::testing::Values(Writer{"compare", {"-o", "out"}}, Writer{"run", {"-o", "maps.h5"}, false},
                                           Writer{"extract", {"-o", "out", "--nodes", "stem/Relu"}},
                                           Writer{"recommend", {"-o", "out", "--write-model", "fixed.tflite"}},
                                           Writer{"sensitivity", {"-o", "out", "--types", "all"}},
                                           Writer{"badcase", {"-o", "out", "--save", "worst.h5"}},
                                           Writer{"report", {"-o", "out", "--quick"}}),
                         [](const ::testing::TestParamInfo<Writer>& test) { return test.param.command; });

/// Names of files that two runs share are given to those of one run together.
TEST(Surroundings, TwoRunsIntoOneFolderDoNotMixTheirFiles) {
  const TemporaryFolder first, second;
  const Writer writer{"compare", {"-o", "out", "--quiet"}};
  ASSERT_EQ(run_tool(words_of(writer, "0:1"), {.folder = first.path().string()}).exit_code, 0);
  ASSERT_EQ(run_tool(words_of(writer, "1:2"), {.folder = second.path().string()}).exit_code, 0);
  for (int i = 0; i < 5; ++i) {
    const TemporaryFolder folder;
    std::vector<std::string> words = words_of(writer, "0:1");
    const auto records = std::find(words.begin(), words.end(), "0:1") - words.begin();
    const std::string other = "other=(\"$@\"); other[" + std::to_string(records) + "]=1:2; ";
    const ProcessResult run =
        run_in_shell(other + "\"$0\" \"$@\" > one & \"$0\" \"${other[@]}\" > two & wait", words, folder.path().string());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const bool of_first = read_text(folder / "out/result.json") == read_text(first / "out/result.json");
    const TemporaryFolder& winner = of_first ? first : second;
    for (const std::string& name : winner.content()) {
      if (!fs::is_regular_file(winner / name)) continue;
      EXPECT_EQ(read_text(folder / name), read_text(winner / name)) << name;
    }
  }
}

}  // namespace
}  // namespace visq::testing
