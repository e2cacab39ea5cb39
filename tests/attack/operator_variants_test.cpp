// Every operator with lists of tensors that it does not expect, through every command: an answer or one line of error, never a crash, a
// fault of our own, or a run without an end. Each file goes through a few commands in turn; VISQ_SLOW_TESTS=1 takes all of them.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "attack/answer.h"
#include "kernels/op.h"
#include "support/models/model_builder.h"
#include "support/models/operator_cases.h"
#include "support/models/operator_variants.h"

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

/// A sound model of an operator: one of the cases, or the shapes of what it reads; the last one is its output's.
struct Subject {
  std::string op;
  std::optional<CaseName> known;
  std::vector<std::string> shapes;
};

void PrintTo(const Subject& subject, std::ostream* out) { *out << subject.op; }

/// One case per operator; quantized ones stand for others, which have less to go wrong. Operators that LiteRT does not run are found by
/// their names, which a custom operator may have too.
std::vector<Subject> subjects() {
  std::map<std::string, CaseName> cases;
  for (const CaseName& name : case_names()) {
    for (const std::string& op : name.operators) {
      const auto [known, fresh] = cases.try_emplace(op, name);
      if (!fresh && name.quantized && !known->second.quantized) known->second = name;
    }
  }
  std::vector<Subject> all{{"GRU", {}, {"[3,1,4]", "[6,4]", "[6]", "[6,2]", "[6]", "[1,2]", "[1,2]"}},
                           {"INSTANCE_NORM", {}, {"[1,4,4,2]", "[2]", "[2]", "[1,4,4,2]"}},
                           {"RMS_NORM", {}, {"[1,4,8]", "[8]", "[1,4,8]"}},
                           {"ROPE", {}, {"[1,2,4,8]", "[1,1,4,8]", "[1,1,4,8]", "[1,2,4,8]"}},
                           {"STABLEHLO_CBRT", {}, {"[1,4,8]", "[1,4,8]"}}};
  for (const auto& [op, name] : cases) all.push_back({op, name, {}});
  return all;
}

std::string model_of(const Subject& subject) {
  if (subject.known) return load_case(*subject.known).model;
  std::string tensors, inputs;
  const std::size_t output = subject.shapes.size() - 1;
  for (std::size_t i = 0; i <= output; ++i) {
    tensors += fmt::format("{}{{name: \"t{}\", shape: {}}}", i > 0 ? ", " : "", i, subject.shapes[i]);
    if (i < output) inputs += fmt::format("{}{}", i > 0 ? ", " : "", i);
  }
  return build_model("tflite", fmt::format("{{version: 3, operator_codes: [{{builtin_code: CUSTOM, custom_code: \"{}\"}}], "
                                           "buffers: [{{}}], subgraphs: [{{inputs: [{}], outputs: [{}], tensors: [{}], "
                                           "operators: [{{inputs: [{}], outputs: [{}]}}]}}]}}",
                                           subject.op, inputs, output, tensors, inputs, output));
}

class OperatorVariants : public ::testing::TestWithParam<Subject> {};

TEST(OperatorVariantsOf, EveryOperatorOfTheRegistry) {
  std::set<std::string_view> ops;
  for (const kernels::OpDef* def : kernels::all_ops()) {
    const bool of_onnx = def->name.starts_with("ai.onnx.") || def->name.starts_with("com.microsoft.");
    if (!of_onnx) ops.insert(def->name);  // the graphs of the others are no flatbuffers
  }
  for (const kernels::OpDef* def : kernels::all_integer_ops()) ops.insert(def->name);
  for (const Subject& subject : subjects()) ops.erase(subject.op);
  EXPECT_THAT(ops, ::testing::IsEmpty());
}

TEST_P(OperatorVariants, GetAnAnswer) {
  static const std::vector<Words> lines = commands();
  const bool all = std::getenv("VISQ_SLOW_TESTS") != nullptr;
  const std::string sound = model_of(GetParam());
  const TemporaryFolder folder;
  write_text(folder / "reference.tflite", sound);
  write_text(folder / "labels.csv", "0\n1\n");
  std::size_t turn = std::hash<std::string>()(GetParam().op);
  for (const Variant& variant : operator_variants(sound)) {
    write_text(folder / "model.tflite", variant.bytes);
    for (std::size_t i = 0; i < (all ? lines.size() : 2); ++i, ++turn) {
      answer(lines[turn % lines.size()], folder, variant.name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OperatorVariants, ::testing::ValuesIn(subjects()), [](const auto& parameter) {
  std::string name;
  for (const char letter : parameter.param.op) name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
  return name;
});

}  // namespace
}  // namespace visq::testing
