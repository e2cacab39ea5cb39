// Small files that ask for more than any machine has, or for work without an end: refused in one line, in seconds, and the memory stays.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "support/model_builder.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

std::string with_shape(const std::string& shape) {
  return build_model(Format::kTflite, R"({version: 3, operator_codes: [{builtin_code: ABS, deprecated_builtin_code: 101}], buffers: [{}],
    subgraphs: [{inputs: [0], outputs: [1], tensors: [{name: "in", shape: )" +
                                          shape + R"(}, {name: "out", shape: )" + shape +
                                          R"(}], operators: [{opcode_index: 0, inputs: [0], outputs: [1]}]}]})");
}

/// A loop whose condition holds for ever.
std::string endless() {
  return build_model(Format::kTflite, R"({version: 3, operator_codes: [{builtin_code: WHILE}, {builtin_code: EQUAL}, {builtin_code: NEG}],
    buffers: [{}], subgraphs: [
     {inputs: [0], outputs: [1], tensors: [{name: "in", shape: [1]}, {name: "out", shape: [1]}],
      operators: [{opcode_index: 0, inputs: [0], outputs: [1], builtin_options_type: WhileOptions,
       builtin_options: {cond_subgraph_index: 1, body_subgraph_index: 2}}]},
     {inputs: [0], outputs: [1], tensors: [{name: "tested", shape: [1]}, {name: "same", shape: [1], type: BOOL}],
      operators: [{opcode_index: 1, inputs: [0, 0], outputs: [1]}]},
     {inputs: [0], outputs: [1], tensors: [{name: "value", shape: [1]}, {name: "next", shape: [1]}],
      operators: [{opcode_index: 2, inputs: [0], outputs: [1]}]}]})");
}

/// Each of `levels` subgraphs calls the next one twice; the last calls `last` (itself: a recursion), or nothing where that is -1.
std::string calls(int levels, int last) {
  std::string graphs;
  for (int level = 0; level < levels; ++level) {
    const int callee = level + 1 < levels ? level + 1 : last;
    const auto call = [&](const char* from, const char* to) {
      const std::string type = callee < 0 ? "opcode_index: 1"
                                          : "opcode_index: 0, builtin_options_2_type: StableHLOCompositeOptions, "
                                            "builtin_options_2: {name: \"c\", decomposition_subgraph_index: " +
                                                std::to_string(callee) + "}";
      return std::string("{") + type + ", inputs: [" + from + "], outputs: [" + to + "]}";
    };
    graphs +=
        R"({inputs: [0], outputs: [2], tensors: [{name: "a", shape: [1]}, {name: "b", shape: [1]}, {name: "c", shape: [1]}], operators: [)" +
        call("0", "1") + "," + call("1", "2") + "]},";
  }
  return build_model(
      Format::kTflite,
      "{version: 3, operator_codes: [{builtin_code: STABLEHLO_COMPOSITE}, {builtin_code: NEG}], buffers: [{}], subgraphs: [" +
          graphs.substr(0, graphs.size() - 1) + "]}");
}

/// The most memory that one of the programs that were run so far has taken.
long most_memory_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

/// `run` and `compare` refuse the model with a line that has `part`, soon, and without taking two gigabytes.
void expect_refused(const std::string& bytes, const std::string& part) {
  const TemporaryFolder folder;
  write_text(folder / "m.tflite", bytes);
  const auto start = std::chrono::steady_clock::now();
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", "m.tflite", "-o", "m.h5", "--quiet"},
                                                {"compare", "m.tflite", "m.tflite", "--quiet", "-o", "out"}}) {
    const ProcessResult result = run_tool(words, {.folder = folder.path().string()});
    SCOPED_TRACE(words[0]);
    expect_error_containing(result, 3, part);
    EXPECT_EQ(folder.content(), std::vector<std::string>{"m.tflite"});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(120));
  EXPECT_LT(most_memory_of_children(), 2L << 20) << "kilobytes";
}

TEST(Bombs, ShapesBeyondAllNumbers) {
  expect_refused(with_shape("[2147483647, 2147483647, 2]"), "m.tflite: ");
  expect_refused(with_shape("[2097152, 2097152, 2097152]"), "m.tflite: ");  // 2^63 elements
  expect_refused(with_shape("[1048576, 1048576]"), "exceeds the limit of 1 GiB");
}

TEST(Bombs, ALoopWithoutEnd) { expect_refused(endless(), "turned 1000000 times without an end"); }

TEST(Bombs, Recursion) {
  expect_refused(calls(1, 0), "m.tflite: ");
  expect_refused(calls(3, 1), "m.tflite: ");
}

TEST(Bombs, CallsThatDoubleAtEveryLevel) { expect_refused(calls(40, -1), "more than 65536 places"); }

}  // namespace
}  // namespace visq::testing
