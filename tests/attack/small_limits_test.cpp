// Surroundings that are smaller than usual: every command does its work, or says in one line what it lacks and leaves nothing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "support/runs/sanitized.h"
#include "tool/writers.h"

namespace visq::testing {
namespace {

namespace fs = std::filesystem;

struct Limit {
  std::string name;
  std::string before;      ///< shell words in front of "$0" "$@"
  std::string possible{};  ///< a shell command that fails where this machine cannot be made that small; none: it always can
  bool sanitized = true;   ///< a sanitizer's runtime has room for its own
  bool same_bytes = true;  ///< XNNPACK does not work without /proc, and oneDNN, in its place, adds in another order
};

void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.name; }

const std::string kNoProc = "unshare -m bash -c 'mount -t tmpfs none /proc && exec \"$0\" \"$@\"'";
const std::string kNobody = "setpriv --reuid 65534 --clear-groups";  // no limit on processes holds for root

/// A folder with a locale that writes 1,5, where the system has what one is made from.
std::string german_locale() {
  static const TemporaryFolder folder;
  run_process({"localedef", "-i", "de_DE", "-f", "UTF-8", folder / "de_DE.UTF-8"});
  return folder.path().string();
}

std::vector<Limit> limits() {
  return {{"open_files", "ulimit -n 16;"},
          {"fewer_open_files", "ulimit -n 8;"},
          {"processes", "ulimit -u 1; exec " + kNobody, kNobody + " test -x " VISQ_BINARY " -a -r " + kFp32, false},
          {"stack_of_64_MiB", "ulimit -s 65536;"},
          {"stack_of_1_MiB", "ulimit -s 1024;", "", false},
          {"stack_of_256_KiB", "ulimit -s 256;", "", false},
          {"data_of_512_MiB", "ulimit -d 524288;", "", false},
          {"space_of_1_GiB", "ulimit -v 1048576;", "", false},
          {"no_proc", kNoProc, kNoProc + " true", false, false},
          {"no_temporary_folder", "TMPDIR=/nowhere/at/all"},
          {"no_surroundings", "env -i"},
          {"decimal_commas", "LOCPATH=$GERMAN LC_ALL=de_DE.UTF-8", "test -e $GERMAN/de_DE.UTF-8/LC_NUMERIC"}};
}

class SmallLimits : public ::testing::TestWithParam<Limit> {};

std::string bytes_of_all(const TemporaryFolder& folder) {
  std::string all;
  for (const std::string& name : folder.content()) {
    if (fs::is_regular_file(folder / name)) all += name + "\n" + read_text(folder / name) + "\n";
  }
  return all;
}

TEST_P(SmallLimits, AreEnoughOrToldInOneLine) {
  const Limit& limit = GetParam();
  if (limit.before.find("$GERMAN") != std::string::npos) ::setenv("GERMAN", german_locale().c_str(), 1);
  if (kSanitized && !limit.sanitized) GTEST_SKIP() << "a sanitizer needs more itself";
  if (!limit.possible.empty() && run_process({"bash", "-c", limit.possible}).exit_code != 0) {
    GTEST_SKIP() << "not possible here: " << limit.possible;
  }
  int done = 0;
  for (const Writer& writer : writers()) {
    SCOPED_TRACE(writer.command);
    const TemporaryFolder usual, small;
    fs::permissions(small.path(), fs::perms::all);
    std::vector<std::string> words = words_of(writer, "2");
    words.push_back("--quiet");
    ASSERT_EQ(run_tool(words, {.folder = usual.path().string()}).exit_code, 0);
    const ProcessResult run = run_in_shell(limit.before + " \"$0\" \"$@\"", words, small.path().string());
    if (run.exit_code == 0) {
      ++done;
      EXPECT_EQ(run.err, "");
      EXPECT_EQ(small.content(), usual.content());
      EXPECT_TRUE(!limit.same_bytes || bytes_of_all(small) == bytes_of_all(usual)) << "other results than usual";
    } else {
      expect_error_containing(run, 3, "");
      EXPECT_EQ(small.content(), std::vector<std::string>());
    }
  }
  RecordProperty("done", done);
}

INSTANTIATE_TEST_SUITE_P(Of, SmallLimits, ::testing::ValuesIn(limits()),
                         [](const ::testing::TestParamInfo<Limit>& test) { return test.param.name; });

}  // namespace
}  // namespace visq::testing
