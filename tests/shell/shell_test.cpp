// Man pages and completions: they hold every command and option that --help tells of, and the shells take them.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "support/runs/help_text.h"
#include "tool/tool_support.h"
#include "visq/metrics.h"

namespace visq::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using Words = std::vector<std::string>;

bool is_installed(const std::string& program) { return run_process({"bash", "-c", "command -v " + program}).exit_code == 0; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

/// What a reader sees of roff, roughly.
std::string plain(std::string text) {
  for (const char* font : {"\\fB", "\\fI", "\\fR"}) text = replaced(text, font, "");
  return replaced(text, "\\-", "-");
}

std::string page_of(const std::string& command) {
  const ProcessResult run = run_tool(command.empty() ? Words{"--man-page"} : Words{"--man-page", command});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out;
}

std::string script_of(const std::string& shell) {
  const ProcessResult run = run_tool({"--completion", shell});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.out;
}

TEST(ManPage, HoldsEveryOptionOfItsCommand) {
  for (const std::string& command : command_names()) {
    SCOPED_TRACE(command);
    const std::string page = plain(page_of(command));
    const auto options = help_options(command);
    EXPECT_GE(options.size(), 3U);
    for (const HelpOption& option : options) {
      std::string term;
      for (const std::string& name : option.names) term += (term.empty() ? "" : ", ") + name;
      EXPECT_THAT(page, HasSubstr("\n" + term + (option.placeholder.empty() ? "" : " " + option.placeholder) + "\n"));
    }
    for (const std::string& line : help_examples(command)) EXPECT_THAT(page, HasSubstr(line.substr(0, 20)));
  }
}

TEST(ManPage, OfTheToolNamesAllCommands) {
  const std::string page = plain(page_of(""));
  for (const std::string& command : command_names()) EXPECT_THAT(page, HasSubstr(".BR visqerror-" + command + " (1)")) << command;
  for (const char* part : {"--version", "--completion", "--mpeir_output", "NO_COLOR", ".SH EXIT STATUS"})
    EXPECT_THAT(page, HasSubstr(part));
}

TEST(ManPage, IsCleanRoff) {
  if (!is_installed("man")) GTEST_SKIP() << "man is not installed";
  const TemporaryFolder folder;
  Words pages = command_names();
  pages.emplace_back();
  for (const std::string& command : pages) {
    write_text(folder / "page.1", page_of(command));
    const ProcessResult run = run_process({"env", "LC_ALL=C.UTF-8", "MANROFFSEQ=", "MANWIDTH=80", "man", "--warnings", "-E", "UTF-8", "-l",
                                           "-Tutf8", "-Z", folder / "page.1"});
    EXPECT_EQ(run.exit_code, 0) << command;
    EXPECT_EQ(run.err, "") << command;
  }
}

/// What bash offers for the last of `words`.
Words bash_offers(const Words& words, const std::string& folder = "") {
  const TemporaryFolder own;
  write_text(own / "script", script_of("bash"));
  Words command{"bash", "-c",
                "source \"$0\" && COMP_WORDS=(\"$@\") && COMP_CWORD=$(( $# - 1 )) && _visqerror && printf '%s\\n' \"${COMPREPLY[@]}\"",
                own / "script"};
  command.insert(command.end(), words.begin(), words.end());
  const ProcessResult run = run_process(command, {.folder = folder.empty() ? own.path().string() : folder});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  Words offers;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) offers.push_back(line);
  return offers;
}

TEST(BashCompletion, OffersCommandsAndOptions) {
  EXPECT_THAT(bash_offers({"visqerror", "comp"}), ElementsAre("compare"));
  EXPECT_THAT(bash_offers({"visqerror", ""}), IsSupersetOf(command_names()));
  EXPECT_THAT(bash_offers({"visqerror", "compare", "--rec"}), ElementsAre("--records"));
  EXPECT_THAT(bash_offers({"visqerror", "a.tflite", "b.tflite", "--rec"}), ElementsAre("--records"));
  EXPECT_THAT(bash_offers({"visqerror", "--mpeir_o"}), ElementsAre("--mpeir_output"));
  for (const std::string& command : command_names()) {
    Words names;
    for (const HelpOption& option : help_options(command)) names.insert(names.end(), option.names.begin(), option.names.end());
    EXPECT_THAT(bash_offers({"visqerror", command, "-"}), ::testing::UnorderedElementsAreArray(names)) << command;
  }
}

TEST(BashCompletion, OffersTheWordsOfRegistries) {
  Words metrics;
  for (const MetricInfo& metric : all_metrics()) metrics.emplace_back(metric.name);
  EXPECT_EQ(bash_offers({"visqerror", "compare", "--metrics", ""}), metrics);
  EXPECT_EQ(bash_offers({"visqerror", "a", "b", "--sort", ""}), metrics);
  EXPECT_THAT(bash_offers({"visqerror", "compare", "--metrics", "mse,sq"}), ElementsAre("mse,sqnr"));
  EXPECT_THAT(bash_offers({"visqerror", "badcase", "--mode", ""}), ElementsAre("fp32", "fake-quant", "integer"));
  EXPECT_THAT(bash_offers({"visqerror", "badcase", "--mode", "=", "int"}), ElementsAre("integer"));
  EXPECT_THAT(bash_offers({"visqerror", "badcase", "--mode", "="}), ElementsAre("fp32", "fake-quant", "integer"));
  EXPECT_THAT(bash_offers({"visqerror", "recommend", "--write", ""}), ElementsAre("aeq", "denylist", "inc", "mpq"));
  EXPECT_THAT(bash_offers({"visqerror", "compare", "--write", ""}), IsSupersetOf({"anomalies", "csv", "dot", "visq"}));
  EXPECT_THAT(bash_offers({"visqerror", "run", "--ops", "CONV_2"}), ElementsAre("CONV_2D"));
  EXPECT_THAT(bash_offers({"visqerror", "diagnose", "--fail-on", ""}), ElementsAre("error", "warning"));
  EXPECT_THAT(bash_offers({"visqerror", "--completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(bash_offers({"visqerror", "compare", "--title", ""}), ElementsAre(""));
}

TEST(BashCompletion, OffersFilesAndFolders) {
  const TemporaryFolder folder;
  write_text(folder / "my data.h5", "");
  std::filesystem::create_directory(folder.path() / "my out");
  const std::string place = folder.path().string();
  EXPECT_THAT(bash_offers({"visqerror", "compare", "my"}, place), ::testing::UnorderedElementsAre("my data.h5", "my out"));
  EXPECT_THAT(bash_offers({"visqerror", "compare", "-d", "my"}, place), ::testing::UnorderedElementsAre("my data.h5", "my out"));
  EXPECT_THAT(bash_offers({"visqerror", "compare", "-o", "my"}, place), ElementsAre("my out"));
  EXPECT_THAT(bash_offers({"visqerror", "compare", "--write", "dot", "=", "my"}, place), Contains("my data.h5"));
}

/// An option whose value completion knows nothing of is one whose value is free text.
TEST(BashCompletion, KnowsWhatStandsBehindEveryOption) {
  const std::set<std::string> free{"N",      "K",    "R",     "S",     "X",    "Z",           "A=B",
                                   "AMOUNT", "CMD",  "COND",  "GLOB",  "NAME", "NAME[,NAME]", "OUTPUT=INPUT",
                                   "SIZE",   "TEXT", "X,X,X", "SHARE", "TIME"};
  const TemporaryFolder folder;
  write_text(folder / "script", script_of("bash"));
  for (const std::string& command : command_names()) {
    for (const HelpOption& option : help_options(command)) {
      const ProcessResult run =
          run_process({"bash", "-c", "source \"$0\"; _visqerror_values \"$1\" \"$2\"", folder / "script", command, option.names.front()});
      SCOPED_TRACE(command + " " + option.names.back() + " " + option.placeholder);
      EXPECT_EQ(run.out.empty(), option.placeholder.empty()) << run.out;
      if (run.out == "<text>\n") {
        EXPECT_TRUE(free.contains(option.placeholder)) << "tools/visqerror/shell/command_tree.cpp";
      }
    }
  }
}

TEST(ZshCompletion, IsTakenAndHoldsEveryOption) {
  const std::string script = script_of("zsh");
  for (const std::string& command : command_names()) {
    const auto begin = script.find("\n_visqerror_" + command + "() {");
    ASSERT_NE(begin, std::string::npos) << command;
    const std::string function = script.substr(begin, script.find("\n}\n", begin) - begin);
    for (const HelpOption& option : help_options(command)) {
      for (const std::string& name : option.names) EXPECT_THAT(function, HasSubstr(name)) << command;
    }
  }
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed: the script was not run";
  const TemporaryFolder folder;
  write_text(folder / "_visqerror", script);
  const ProcessResult run =
      run_process({"zsh", "-fc",
                   "autoload -Uz compinit && compinit -u -D && source ./_visqerror && "
                   "print $_comps[visqerror] && for f in ${(k)functions[(I)_visqerror_*]}; do functions $f > /dev/null; done"},
                  {.folder = folder.path().string()});
  EXPECT_EQ(run.out, "_visqerror\n") << run.err;
  EXPECT_EQ(run.err, "");
}

TEST(FishCompletion, OffersCommandsOptionsAndWords) {
  const std::string script = script_of("fish");
  for (const std::string& command : command_names()) {
    for (const HelpOption& option : help_options(command)) {
      const std::string& name = option.names.back();
      EXPECT_THAT(script, ::testing::ContainsRegex("__fish_seen_subcommand_from " + command + "' .*-l " + name.substr(2) + " ")) << command;
    }
  }
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed: the script was not run";
  const TemporaryFolder folder;
  write_text(folder / "script.fish", script);
  const auto offers = [&](const std::string& line) {
    const ProcessResult run = run_process({"env", "HOME=" + folder.path().string(), "XDG_CONFIG_HOME=" + folder.path().string(), "fish",
                                           "-c", "source '" + (folder / "script.fish") + "'; complete -C '" + line + "'"});
    EXPECT_EQ(run.err, "");
    return run.out;
  };
  EXPECT_THAT(offers("visqerror comp"), HasSubstr("compare\t"));
  EXPECT_THAT(offers("visqerror compare --rec"), HasSubstr("--records\t"));
  EXPECT_THAT(offers("visqerror run --mode i"), HasSubstr("integer"));
  EXPECT_THAT(offers("visqerror compare --metrics mse,sq"), HasSubstr("mse,sqnr"));
}

}  // namespace
}  // namespace visq::testing
