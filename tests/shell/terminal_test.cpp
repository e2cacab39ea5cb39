// Colours: only on a terminal, and only where NO_COLOR does not forbid them. script(1) makes the terminal.
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

/// What a terminal gets from the tool; `setting`: of the environment, such as NO_COLOR=1.
std::string on_terminal(const std::string& setting, const std::string& command) {
  const std::string line = setting + " '" + VISQ_BINARY + "' " + command + " '" + kFp32 + "' '" + kInt8 + "'";
  const ProcessResult run = run_process({"script", "-qefc", line, "/dev/null"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  return run.out;
}

bool has_colors(const std::string& text) { return text.find("\x1b[") != std::string::npos && text.find('m') != std::string::npos; }

TEST(Colors, AreForTerminalsThatWantThem) {
  if (run_process({"bash", "-c", "script -qec true /dev/null"}).exit_code != 0) GTEST_SKIP() << "script makes no terminal here";
  for (const std::string& command : {"compare -d " + kData + " --quiet", std::string("check --quiet")}) {
    SCOPED_TRACE(command);
    EXPECT_TRUE(has_colors(on_terminal("env -u NO_COLOR TERM=xterm", command)));
    EXPECT_TRUE(has_colors(on_terminal("NO_COLOR= TERM=xterm", command))) << "empty counts as not set";
    EXPECT_FALSE(has_colors(on_terminal("NO_COLOR=1 TERM=xterm", command)));
    EXPECT_FALSE(has_colors(on_terminal("TERM=dumb", command)));
  }
  EXPECT_FALSE(has_colors(run_tool({"compare", kFp32, kInt8, "-d", kData}).out));
}

}  // namespace
}  // namespace visq::testing
