// Every operator with lists of tensors that it does not expect, through every command: an answer or one line of error, never a crash, a
// fault of our own, or a run without an end. Each file goes through a few commands in turn; VISQ_SLOW_TESTS=1 takes all of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "support/operator_cases.h"
#include "support/operator_variants.h"
#include "support/process.h"
#include "support/sanitized.h"

namespace visq::testing {
namespace {

using Words = std::vector<std::string>;

/// A command line on files reference.tflite and model.tflite.
std::vector<Words> commands() {
  const Words quick{"--quiet", "--memory", "512M"};
  std::vector<Words> lines{{"inspect", "model.tflite"}, {"check", "reference.tflite", "model.tflite"}};
  for (const char* mode : {"fp32", "fake-quant", "integer"}) lines.push_back({"run", "model.tflite", "--mode", mode, "-o", "maps.h5"});
  for (const Words& each : std::vector<Words>{{"compare"},
                                              {"compare", "--origin", "-o", "out"},
                                              {"compare", "--labels", "labels.csv"},
                                              {"diagnose"},
                                              {"recommend", "--write-model", "repaired"},
                                              {"sensitivity", "--types", "all"},
                                              {"partial"},
                                              {"accumulate"},
                                              {"profile"},
                                              {"distribution", "-o", "out"},
                                              {"badcase", "--save", "worst.h5"},
                                              {"extract", "--nodes", "*", "-o", "out"},
                                              {"report", "-o", "report.html", "--time-limit", "3s"}}) {
    Words line{each[0], "reference.tflite", "model.tflite"};
    line.insert(line.end(), each.begin() + 1, each.end());
    lines.push_back(line);
  }
  for (Words& line : lines) {
    if (line[0] != "inspect" && line[0] != "check") line.insert(line.end(), quick.begin(), quick.end());
  }
  return lines;
}

/// One case per operator, in the order of the file; quantized ones stand for others, which have less to go wrong.
std::vector<std::pair<std::string, CaseName>> operators() {
  std::map<std::string, CaseName> cases;
  for (const CaseName& name : case_names()) {
    for (const std::string& op : name.operators) {
      const auto [known, fresh] = cases.try_emplace(op, name);
      if (!fresh && name.quantized && !known->second.quantized) known->second = name;
    }
  }
  return {cases.begin(), cases.end()};
}

class OperatorVariants : public ::testing::TestWithParam<std::pair<std::string, CaseName>> {};

TEST_P(OperatorVariants, GetAnAnswer) {
  static const std::vector<Words> lines = commands();
  const bool all = std::getenv("VISQ_SLOW_TESTS") != nullptr;
  const OperatorCase sound = load_case(GetParam().second);
  const TemporaryFolder folder;
  write_text(folder / "reference.tflite", sound.model);
  write_text(folder / "labels.csv", "0\n1\n");
  std::size_t turn = std::hash<std::string>()(GetParam().first);
  for (const Variant& variant : operator_variants(sound.model)) {
    write_text(folder / "model.tflite", variant.bytes);
    for (std::size_t i = 0; i < (all ? lines.size() : 2); ++i, ++turn) {
      Words words{"timeout", "-s", "KILL", kSanitized ? "100" : "10", VISQ_BINARY};
      const Words& line = lines[turn % lines.size()];
      words.insert(words.end(), line.begin(), line.end());
      const ProcessResult run = run_process(words, {.folder = folder.path().string()});
      EXPECT_LE(run.exit_code, 4) << variant.name << ": " << line[0] << ": " << run.err;
      EXPECT_LE(run.err.size(), 2000U) << variant.name << ": " << line[0];
      for (const char* word : {"std::", "vector::", "basic_string::"}) {
        EXPECT_EQ(run.err.find(word), std::string::npos) << variant.name << ": " << line[0] << ": " << run.err;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OperatorVariants, ::testing::ValuesIn(operators()), [](const auto& parameter) {
  std::string name;
  for (const char letter : parameter.param.first) name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

}  // namespace
}  // namespace visq::testing
