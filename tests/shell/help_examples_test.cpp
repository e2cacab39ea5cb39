// Every example of every --help is a command line that runs, on the bundled example.
#include <filesystem>

#include "support/runs/help_text.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

namespace fs = std::filesystem;

/// What an example needs that the bundled one has not: a recurrent model with its data, a program of the user's.
bool is_runnable(const std::string& example) {
  for (const char* foreign : {"frames.h5", "step.tflite", "top1.py", "decoder.tflite"}) {
    if (example.find(foreign) != std::string::npos) return false;
  }
  return true;
}

bool is_installed(const std::string& program) { return run_process({"bash", "-c", "command -v " + program}).exit_code == 0; }

/// Without the reader behind the pipe, where that program is not there.
std::string without_absent_reader(const std::string& example) {
  const auto bar = example.find(" | ");
  if (bar == std::string::npos) return example;
  const std::string reader = example.substr(bar + 3, example.find(' ', bar + 3) - bar - 3);
  return is_installed(reader) ? example : example.substr(0, bar) + " > /dev/null";
}

/// What the examples of a command take for granted: results of others.
struct Preparation {
  std::string_view command;
  const char* line;
};
constexpr Preparation kPreparations[] = {
    {"compare", "visqerror run fp32.tflite -d data.h5 -o fp32_maps.h5"},
    {"compare", "visqerror run int8.tflite -d data.h5 -o device_maps.h5"},
    {"diff", "visqerror compare fp32.tflite int8.tflite -d data.h5 -o old && cp old/result.json old.json"},
    {"diff", "visqerror compare fp32.tflite int8.tflite -d data.h5 -o new && cp new/result.json new.json"},
    {"report", "visqerror compare fp32.tflite int8.tflite -d data.h5 -o out"},
    {"runall", "visqerror compare fp32.tflite int8.tflite -d data.h5 -o out"},
};

class HelpExamples : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    for (const char* name : {"fp32.tflite", "int8.tflite", "int16x8.tflite", "fp32.circle", "int8.circle", "data.h5"}) {
      fs::copy_file(example(name), folder_.path() / name);
    }
    fs::copy_file(example("labels.npy"), folder_.path() / "y.npy");
    fs::create_directory(folder_.path() / "bin");
    fs::create_symlink(VISQ_BINARY, folder_.path() / "bin/visqerror");
  }

  ProcessResult run_line(const std::string& line) const {
    return run_process({"bash", "-c", "set -o pipefail; export PATH=$PWD/bin:$PATH BROWSER=true; " + line},
                       {.folder = folder_.path().string()});
  }

  const TemporaryFolder folder_;
};

TEST_P(HelpExamples, Run) {
  for (const auto& [command, line] : kPreparations) {
    if (command != GetParam()) continue;
    ASSERT_EQ(run_line(line).exit_code, 0) << line;
  }
  int run = 0;
  for (const std::string& line : help_examples(GetParam())) {
    if (!is_runnable(line)) continue;
    const ProcessResult result = run_line(without_absent_reader(line));
    EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.err;
    ++run;
  }
  EXPECT_GE(run, 1);
}

INSTANTIATE_TEST_SUITE_P(All, HelpExamples, ::testing::ValuesIn(command_names()), [](const auto& test) { return test.param; });

}  // namespace
}  // namespace visq::testing
