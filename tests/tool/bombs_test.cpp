// Small files that ask for more than any machine has, or for work without an end: refused in one line, in seconds, and the memory stays.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "support/data_files.h"
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

TEST(Bombs, ALoopWithoutEnd) {
  expect_refused(endless(), "turned 1000000 times without an end");
  const TemporaryFolder folder;
  write_text(folder / "m.tflite", endless());
  expect_error_containing(run_tool({"run", "m.tflite", "-o", "m.h5", "--quiet", "--max-turns", "7"}, {.folder = folder.path().string()}), 3,
                          "turned 7 times without an end; --max-turns allows more");
}

/// The operator's output takes terabytes, though its input is one number: of an input, and (FILL) of constants, so that it would be
/// folded ahead of the run.
TEST(Bombs, SmallInputsOfLargeOutputs) {
  const auto bytes_of = [](const std::vector<std::int32_t>& values) {
    std::string text;
    for (const std::int32_t value : values) {
      for (int byte = 0; byte < 4; ++byte) text += std::to_string(static_cast<std::uint32_t>(value) >> (8 * byte) & 255U) + ",";
    }
    return "[" + text.substr(0, text.size() - 1) + "]";
  };
  struct Bomb {
    std::string op, shape_in, constant_shape;
    std::vector<std::int32_t> constant;
  };
  const std::vector<Bomb> bombs = {{"PAD", "[1, 1]", "[2, 2]", {1 << 20, 0, 1 << 20, 0}},
                                   {"RESIZE_BILINEAR", "[1, 1, 1, 1]", "[2]", {1 << 20, 1 << 20}},
                                   {"TILE", "[1, 1]", "[2]", {1 << 20, 1 << 20}},
                                   {"BROADCAST_TO", "[1, 1]", "[2]", {1 << 20, 1 << 20}}};
  for (const Bomb& bomb : bombs) {
    SCOPED_TRACE(bomb.op);
    expect_refused(build_model(Format::kTflite, "{version: 3, operator_codes: [{builtin_code: " + bomb.op +
                                                    "}], buffers: [{}, {data: " + bytes_of(bomb.constant) + R"(}], subgraphs: [{inputs: [0],
        outputs: [2], tensors: [{name: "in", shape: )" +
                                                    bomb.shape_in + R"(}, {name: "how", type: INT32, buffer: 1, shape: )" +
                                                    bomb.constant_shape + R"(}, {name: "out", shape: )" + bomb.shape_in +
                                                    R"(}], operators: [{opcode_index: 0, inputs: [0, 1], outputs: [2]}]}]})"),
                   "are available");
  }
  // Everything constant: the same question ahead of the run.
  expect_refused(build_model(Format::kTflite, "{version: 3, operator_codes: [{builtin_code: FILL}], buffers: [{}, {data: " +
                                                  bytes_of({1 << 20, 1 << 20}) + "}, {data: " + bytes_of({0}) +
                                                  R"(}], subgraphs: [{inputs: [3], outputs: [2], tensors: [
        {name: "dims", type: INT32, buffer: 1, shape: [2]}, {name: "value", buffer: 2, shape: []}, {name: "out", shape: [1, 1]},
        {name: "in", shape: [1]}], operators: [{opcode_index: 0, inputs: [0, 1], outputs: [2]}]}]})"),
                 "are available");
}

TEST(Bombs, ManyOperatorsAreABoundedRun) {
  const int count = std::getenv("VISQ_SLOW_TESTS") != nullptr ? 1'000'000 : 100'000;  // quadratic work would show in both
  std::string tensors = R"({name: "in", shape: [1]})", operators;
  for (int i = 0; i < count; ++i) {
    tensors += ",{shape: [1]}";
    operators += (i > 0 ? ",{inputs: [" : "{inputs: [") + std::to_string(i) + "], outputs: [" + std::to_string(i + 1) + "]}";
  }
  const TemporaryFolder folder;
  write_text(folder / "m.tflite",
             build_model(Format::kTflite,
                         "{version: 3, operator_codes: [{builtin_code: NEG}], buffers: [{}], subgraphs: [{inputs: [0], "
                         "outputs: [" +
                             std::to_string(count) + "], tensors: [" + tensors + "], operators: [" + operators + "]}]}"));
  const ProcessResult run = run_tool({"run", "m.tflite", "--nodes", "in", "-o", "m.h5", "--quiet"}, {.folder = folder.path().string()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LT(most_memory_of_children(), 4L << 20) << "kilobytes";
}

TEST(Bombs, NamesOfAMegabyte) {
  const std::string name(1 << 20, 'n');
  const TemporaryFolder folder;
  write_text(folder / "m.tflite",
             build_model(Format::kTflite, R"({version: 3, operator_codes: [{builtin_code: NEG}], buffers: [{}],
    subgraphs: [{inputs: [0], outputs: [1], tensors: [{name: "in", shape: [1]}, {name: ")" +
                                              name + R"(", shape: [1]}], operators: [{inputs: [0], outputs: [1]}]}]})"));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"inspect", "m.tflite", "--tensors"},
                                                {"compare", "m.tflite", "m.tflite", "--quiet", "-o", "out"},
                                                {"run", "m.tflite", "-o", "m.h5", "--quiet"}}) {
    EXPECT_EQ(run_tool(words, {.folder = folder.path().string()}).exit_code, 0) << words[0];
  }
}

/// 8 TiB of zeros in a file of kilobytes.
TEST(Bombs, DataThatUnpackToTerabytes) {
  const TemporaryFolder folder;
  Hdf5File(folder / "data.h5").declare("value/0/0", {1 << 21, 1 << 20}, 1 << 20);
  expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", "data.h5"}, {.folder = folder.path().string()}), 3, "data.h5: record 0");
  expect_error_containing(run_tool({"compare", "data.h5", "data.h5"}, {.folder = folder.path().string()}), 3, "exceeds the limit of 1 GiB");
}

TEST(Bombs, Recursion) {
  expect_refused(calls(1, 0), "m.tflite: ");
  expect_refused(calls(3, 1), "m.tflite: ");
}

TEST(Bombs, CallsThatDoubleAtEveryLevel) { expect_refused(calls(40, -1), "more than 65536 places"); }

}  // namespace
}  // namespace visq::testing
