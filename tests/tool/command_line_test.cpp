// The words of the command line: help, version, and every way to get them wrong.
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "support/runs/help_text.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

/// Number of characters, not bytes, of UTF-8 text.
std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

struct HelpCase {
  std::string golden;
  std::vector<std::string> arguments;
};

/// Set VISQ_UPDATE_GOLDEN=1 to write the files again.
void expect_golden(const HelpCase& help) {
  SCOPED_TRACE(help.golden);
  const ProcessResult result = run_tool(help.arguments);
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  const std::string path = std::string(VISQ_SOURCE_DIR) + "/tests/tool/golden/" + help.golden;
  if (std::getenv("VISQ_UPDATE_GOLDEN") != nullptr) write_text(path, result.out);
  EXPECT_EQ(result.out, read_text(path));
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(characters(line), 80U) << line;
}

TEST(Help, IsTheGoldenFileAndFits80Columns) {
  expect_golden({"visqerror.txt", {"--help"}});
  expect_golden({"original_flags.txt", {"--dump_dot_graph", "--help"}});
}

TEST(Help, OfEveryCommandIsAGoldenFile) {
  const std::vector<std::string> commands = command_names();
  for (const std::string& command : commands) expect_golden({command + ".txt", {command, "--help"}});
  EXPECT_GE(commands.size(), 3U);
}

TEST(Version, NamesKernelLibrariesAndCpu) {
  const ProcessResult result = run_tool({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.rfind("visqerror ", 0), 0U);
  for (const char* part : {"oneDNN ", ", uses ", "XNNPACK", "Highway ", "HDF5 1.", "FlatBuffers ", "Graphviz ", "CPU: "}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part;
  }
}

/// A line of `visqerror --version`.
std::string version_line(const std::string& library, const std::string& setting) {
  const ProcessResult run = run_process({"env", setting, VISQ_BINARY, "--version"});
  const auto begin = run.out.find(library);
  return begin == std::string::npos ? run.out : run.out.substr(begin, run.out.find('\n', begin) - begin);
}

TEST(Version, TellsInstructionsInUseNotOnlyThoseThereAre) {
#if defined(__x86_64__)
  EXPECT_THAT(version_line("oneDNN ", "ONEDNN_MAX_CPU_ISA=SSE41"),
              ::testing::HasSubstr("uses SSE4.1; int8 products are computed in float32"));
#else
  GTEST_SKIP() << "not on this machine";
#endif
}

struct UsageCase {
  std::vector<std::string> arguments;
  std::string message;
};

/// Names the case by what was typed, so that a test's name is the same in every run.
void PrintTo(const UsageCase& usage, std::ostream* out) {
  for (const std::string& word : usage.arguments) *out << word << ' ';
}

class WrongCommandLine : public ::testing::TestWithParam<UsageCase> {};

TEST_P(WrongCommandLine, GivesOneLineAndExitCode2) { expect_error(run_tool(GetParam().arguments), 2, GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    All, WrongCommandLine,
    ::testing::Values(
        UsageCase{{}, "no command and no models given; see 'visqerror --help'"},
        UsageCase{{"compar"}, "unknown command 'compar'; did you mean 'compare'?"},
        UsageCase{{"compare"}, "compare: no models given; see 'visqerror compare --help'"},
        UsageCase{{"compare", kFp32, kInt8, "third"}, "unexpected argument 'third'"},
        UsageCase{{"compare", kFp32, kInt8, "--recods", "3"}, "unknown option '--recods'; did you mean '--records'?"},
        UsageCase{{"compare", kFp32, kInt8, "--xyzzyxyzzy"}, "unknown option '--xyzzyxyzzy'; see 'visqerror compare --help'"},
        UsageCase{{kFp32, kInt8, "--qiet"}, "unknown option '--qiet'; did you mean '--quiet'?"},
        UsageCase{{"--versoin"}, "unknown option '--versoin'; did you mean '--version'?"},
        UsageCase{{"compare", kFp32, kInt8, "--data"}, "--data needs a value"},
        UsageCase{{"compare", kFp32, kInt8, "-d", "a", "-d", "b"}, "--data is given more than once"},
        UsageCase{{"compare", kFp32, kInt8, "--metrics", "mze"}, "--metrics: unknown metric 'mze'; did you mean 'mse'?"},
        UsageCase{{"compare", kFp32, kInt8, "--records", "best"}, "--records: 'best' is neither N, A:B nor worst[:K]"},
        UsageCase{{"compare", kFp32, kInt8, "--records", "-1:3"}, "--records: '-1:3' is neither N, A:B nor worst[:K]"},
        UsageCase{{"compare", kFp32, kInt8, "--records", "5:5"}, "--records: '5:5' holds no record"},
        UsageCase{{"compare", kFp32, kInt8, "--records", "0"}, "--records: '0' holds no record"},
        UsageCase{{"compare", kFp32, kInt8, "--threads", "0"}, "--threads: '0' is not a whole number from 1 to 1024"},
        UsageCase{{"compare", kFp32, kInt8, "--seed", "x"}, "--seed: 'x' is not a whole number from 0 to 9223372036854775807"},
        UsageCase{{"compare", kFp32, kInt8, "--mode", "fake-qant"}, "--mode: unknown mode 'fake-qant'; did you mean 'fake-quant'?"},
        UsageCase{{"compare", kFp32, kInt8, "--ref-mode", "fq"}, "--ref-mode: unknown mode 'fq'; one of: fp32, fake-quant, integer"},
        UsageCase{{"compare", kFp32, kInt8, "--colors", "red"}, "--colors: 'red' is neither linear nor log"},
        UsageCase{{"compare", kFp32, kInt8, "--sort", "sqnt"}, "--sort: unknown metric 'sqnt'; did you mean 'sqnr'?"},
        UsageCase{{"compare", kFp32, kInt8, "--metrics", "mse", "--sort", "sqnr"}, "--sort sqnr: is not among --metrics"},
        UsageCase{{"compare", kFp32, kInt8, "--write", "dott"}, "--write: unknown kind 'dott'; did you mean 'dot'?"},
        UsageCase{{"compare", kFp32, kInt8, "--write", "dot="}, "--write: 'dot=' names no file"},
        UsageCase{{"compare", kFp32, kInt8, "--metrics", "mse,sqnr", "--write", "dot=x.dot"},
                  "--write dot=x.dot: dot writes 2 files, one per metric; choose one with --metrics, or give a folder with -o"},
        UsageCase{{"compare", kFp32, kInt8, "--min", "sqnr"}, "--min: 'sqnr' is not METRIC=VALUE"},
        UsageCase{{"compare", kFp32, kInt8, "--min", "sqnr=high"}, "--min: 'high' is not a number"},
        UsageCase{{"compare", kFp32, kInt8, "--max", "any:mze=1"}, "--max: unknown metric 'mze'; did you mean 'mse'?"},
        UsageCase{{"compare", kFp32, kInt8, "--max", "node:mse=1"}, "--max: 'node:mse=1' is not node:NAME:METRIC=VALUE"},
        UsageCase{{"compare", kFp32, kInt8, "--metrics", "mse", "--min", "sqnr=1"}, "--min sqnr=1: sqnr is not among --metrics"},
        UsageCase{{"compare", kFp32, kInt8, "-d", kData, "--nodes", "nothing*"}, "no feature map fits --nodes and --ops"},
        UsageCase{{"compare", kFp32, kInt8, "--json", kInt8}, kInt8 + ": would overwrite an input"},
        UsageCase{{"compare", kFp32, kInt8, "--json", "/tmp/a.json", "--write", "csv=/tmp/../tmp/a.json"},
                  "/tmp/a.json: is asked for twice"},
        UsageCase{{"compare", kFp32, kInt8, "-d", kData, "--nodes", "stem/Rely"},
                  "no feature map fits --nodes and --ops; did you mean 'stem/Relu'?"},
        UsageCase{{"compare", kFp32, kInt8, "-d", kData, "--ops", "CONV2D"},
                  "no feature map fits --nodes and --ops; did you mean 'CONV_2D'?"},
        UsageCase{{"run", kInt8, "-d", kData, "-o", "x.h5", "--nodes", "stem/Rely"},
                  "no feature map fits --nodes and --ops; did you mean 'stem/Relu'?"},
        UsageCase{{"badcase", kFp32, kInt8, "-d", kData, "--nodes", "stem/Rely"},
                  "no feature map fits --nodes and --ops; did you mean 'stem/Relu'?"},
        UsageCase{{"accumulate", kFp32, kInt8, "-d", kData, "--nodes", "stem/Rely"},
                  "no feature map of the main graph fits --nodes and --ops; did you mean 'stem/Relu'?"},
        UsageCase{{"distribution", kFp32, kInt8, "-d", kData, "--nodes", "stem/Rely"},
                  "no weight and no feature map fits --nodes and --ops; did you mean 'stem/Relu'?"},
        UsageCase{{"profile", kInt8, "-d", kData, "--nodes", "stem/Rely"}, "no operator fits --nodes and --ops; did you mean 'stem/Relu'?"},
        UsageCase{{"extract", kFp32, kInt8, "-d", kData, "-o", "x", "--nodes", "stem/Rely"},
                  "--nodes: no feature map of " + kFp32 + " or " + kInt8 + " is called 'stem/Rely'; did you mean 'stem/Relu'?"},
        UsageCase{{"sensitivity", kFp32, kInt8, "-d", kData, "--quiet", "--output-node", "stem/Rely"},
                  "--output-node: no feature map 'stem/Rely' in " + kFp32 + "; did you mean 'stem/Relu'?"},
        UsageCase{{"ops", "--ops", "CONV2D"}, "no operator fits --ops; did you mean 'CONV_2D'?"},
        UsageCase{{"--completion", "bsh"}, "--completion: unknown shell 'bsh'; did you mean 'bash'?"},
        UsageCase{{"--completion"}, "--completion needs a value"},
        UsageCase{{"--man-page", "comprae"}, "--man-page: unknown command 'comprae'; did you mean 'compare'?"},
        UsageCase{{"run", kInt8}, "run: no output; give -o FILE.h5"},
        UsageCase{{"run", "-o", "x.h5"}, "run: no model given; see 'visqerror run --help'"},
        UsageCase{{"run", kInt8, "-o", kInt8}, kInt8 + ": would overwrite an input"},
        UsageCase{{"run", kInt8 + ":1", "-o", kInt8}, kInt8 + ": would overwrite an input"},
        UsageCase{{"dot"}, "dot: no visq.json file given; see 'visqerror dot --help'"},
        UsageCase{{"--q_circle", "b", "--mse_output", "o"}, "--fp32_circle is required"},
        UsageCase{{"-f", "a", "--mse_output", "o"}, "--q_circle is required"},
        UsageCase{{"-f", "a", "-q", "b"}, "no output given; at least one of --mpeir_output, --mse_output, --tae_output, --srmse_output"},
        UsageCase{{"-f", "a", "-q", "b", "--mse_output", "o", "-b", "x"}, "--batch_size: 'x' is not a whole number from 1 to 2147483647"}));

}  // namespace
}  // namespace visq::testing
