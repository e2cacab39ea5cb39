// Small files that ask for more than any machine has, or for work without an end: refused in one line, in seconds, and the memory stays.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "support/models/model_builder.h"
#include "support/runs/data_files.h"
#include "support/runs/sanitized.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

std::string with_shape(const std::string& shape) {
  return build_model("tflite", R"({version: 3, operator_codes: [{builtin_code: ABS, deprecated_builtin_code: 101}], buffers: [{}],
    subgraphs: [{inputs: [0], outputs: [1], tensors: [{name: "in", shape: )" +
                                   shape + R"(}, {name: "out", shape: )" + shape +
                                   R"(}], operators: [{opcode_index: 0, inputs: [0], outputs: [1]}]}]})");
}

/// A loop whose condition holds for ever.
std::string endless() {
  return build_model("tflite", R"({version: 3, operator_codes: [{builtin_code: WHILE}, {builtin_code: EQUAL}, {builtin_code: NEG}],
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
      "tflite", "{version: 3, operator_codes: [{builtin_code: STABLEHLO_COMPOSITE}, {builtin_code: NEG}], buffers: [{}], subgraphs: [" +
                    graphs.substr(0, graphs.size() - 1) + "]}");
}

/// The most memory that one of the programs that were run so far has taken.
long most_memory_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return usage.ru_maxrss;
}

/// `run` and `compare` refuse the model with a line that has `part`, soon, and without taking two gigabytes.
void expect_refused(const std::string& bytes, const std::string& part, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  write_text(folder / "m.tflite", bytes);
  const auto start = std::chrono::steady_clock::now();
  for (std::vector<std::string> words : {std::vector<std::string>{"run", "m.tflite", "-o", "m.h5", "--quiet"},
                                         {"compare", "m.tflite", "m.tflite", "--quiet", "-o", "out"}}) {
    SCOPED_TRACE(words[0]);
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = run_tool(words, {.folder = folder.path().string()});
    expect_error_containing(result, 3, part);
    EXPECT_EQ(folder.content(), std::vector<std::string>{"m.tflite"});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(120));
  constexpr long kMost = 2L << 20;
  EXPECT_LT(most_memory_of_children(), kSanitized ? 2 * kMost : kMost) << "kilobytes";  // a sanitizer keeps what is freed for a while
}

/// A constant input of an operator, its elements of 4 bytes, or of 8 where the type ends in 64. Of a STRING the words of its buffer.
struct Constant {
  std::string type, shape;
  std::vector<std::int64_t> values;
};

std::string bytes_of(const Constant& constant) {
  const int width = constant.type.ends_with("64") ? 8 : 4;
  std::string text;
  for (const std::int64_t value : constant.values) {
    for (int byte = 0; byte < width; ++byte) text += std::to_string(static_cast<std::uint64_t>(value) >> (8 * byte) & 255U) + ",";
  }
  return "[" + text.substr(0, text.size() - 1) + "]";
}

/// One operator whose output is far larger than what it takes: tensor 0 is the model's input, tensor 1 its output, then the constants.
std::string one_operator(const std::string& op, const std::string& shape_in, const std::string& type_out, const std::string& inputs,
                         const std::vector<Constant>& constants) {
  std::string buffers = "{}", tensors;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    buffers += ", {data: " + bytes_of(constants[i]) + "}";
    tensors += ", {name: \"c" + std::to_string(i) + "\", type: " + constants[i].type + ", shape: " + constants[i].shape +
               ", buffer: " + std::to_string(i + 1) + "}";
  }
  return build_model("tflite", "{version: 3, operator_codes: [{builtin_code: " + op + "}], buffers: [" + buffers +
                                   R"(], subgraphs: [{inputs: [0], outputs: [1], tensors: [{name: "in", shape: )" + shape_in +
                                   R"(}, {name: "out", shape: )" + shape_in + ", type: " + type_out + "}" + tensors +
                                   "], operators: [{opcode_index: 0, inputs: " + inputs + ", outputs: [1]}]}]}");
}

TEST(Bombs, ShapesBeyondAllNumbers) {
  expect_refused(with_shape("[2147483647, 2147483647, 2]"), "m.tflite: ");
  expect_refused(with_shape("[2097152, 2097152, 2097152]"), "m.tflite: ");  // 2^63 elements
  expect_refused(with_shape("[1048576, 1048576]"), "exceeds the limit of 1024M; --max-input allows more");
}

/// A tensor of one string of so many bytes: the number of strings, where the first begins, where the last ends, the characters.
Constant one_text(std::int64_t bytes) {
  constexpr std::int64_t kHead = 12;
  Constant text{"STRING", "[1]", {1, kHead, kHead + bytes}};
  text.values.resize(static_cast<std::size_t>((kHead + bytes) / 4), 0x61616161);
  return text;
}

TEST(Bombs, ALoopWithoutEnd) {
  expect_refused(endless(), "turned 1000000 times without an end");
  expect_refused(endless(), "turned 7 times without an end; --max-turns allows more", {"--max-turns", "7"});
}

/// Starts the program "$@" and sends it the signal $1 once it has worked for $2 hundredths of a second: by its own clock, which stands
/// still while others have the processor.
constexpr const char* kSignalAtWork = R"sh(signal=$1 work=$2; shift 2
"$@" & pid=$!
while [ "$(cut -d' ' -f14 /proc/$pid/stat)" -lt $work ];
do sleep 0.05; done
kill -s $signal $pid
wait $pid)sh";

/// One record takes hours, and nobody looks after it before it has ended.
TEST(Bombs, ASignalEndsARecordWithoutEnd) {
  const TemporaryFolder folder;
  write_text(folder / "m.tflite", endless());
  const std::string work = kSanitized ? "1000" : "100";  // starting and reading the model take a tenth
  for (const auto& [name, signal] : {std::pair("TERM", SIGTERM), std::pair("INT", SIGINT)}) {
    const ProcessResult run = run_process({"timeout", "-s", "KILL", "300", "sh", "-c", kSignalAtWork, "sh", name, work, VISQ_BINARY, "run",
                                           "m.tflite", "-o", "maps.h5", "--quiet", "--max-turns", "1000000000"},
                                          {.folder = folder.path().string()});
    EXPECT_EQ(run.exit_code, 128 + signal) << run.err;
    EXPECT_EQ(run.err, "visqerror: interrupted in the middle of a record, nothing written\n");
    EXPECT_THAT(folder.content(), ::testing::ElementsAre("m.tflite")) << "no temporary stays";
  }
}

/// The operator's output takes terabytes, though what it is made of are some numbers: of the model's input, and (no 0 among its inputs)
/// of constants alone, so that it would be folded ahead of the run.
TEST(Bombs, SmallInputsOfLargeOutputs) {
  const std::int64_t many = 1 << 20;
  const Constant sizes{"INT32", "[2]", {many, many}}, padding{"INT32", "[2, 2]", {many, 0, many, 0}}, zero{"FLOAT32", "[]", {0}};
  const auto number = [](std::int64_t value) { return Constant{"INT64", "[]", {value}}; };
  const Constant text = one_text(1 << 16), times{"INT32", "[1]", {many}};
  struct Bomb {
    std::string op, shape_in, type_out, inputs;
    std::vector<Constant> constants;
  };
  const std::vector<Bomb> bombs = {{"PAD", "[1, 1]", "FLOAT32", "[0, 2]", {padding}},
                                   {"PADV2", "[1, 1]", "FLOAT32", "[0, 2, 3]", {padding, zero}},
                                   {"RESIZE_BILINEAR", "[1, 1, 1, 1]", "FLOAT32", "[0, 2]", {sizes}},
                                   {"TILE", "[1, 1]", "FLOAT32", "[0, 2]", {sizes}},
                                   {"BROADCAST_TO", "[1, 1]", "FLOAT32", "[0, 2]", {sizes}},
                                   {"FILL", "[]", "FLOAT32", "[2, 0]", {sizes}},
                                   {"FILL", "[]", "FLOAT32", "[2, 3]", {sizes, zero}},
                                   {"RANGE", "[1]", "INT64", "[2, 3, 4]", {number(0), number(many << 18), number(1)}},
                                   {"TILE", "[1]", "STRING", "[2, 3]", {text, times}},
                                   {"FILL", "[1]", "STRING", "[3, 2]", {{"STRING", "[]", text.values}, times}}};
  for (const Bomb& bomb : bombs) {
    SCOPED_TRACE(bomb.op + " of " + bomb.inputs);
    const std::string model = one_operator(bomb.op, bomb.shape_in, bomb.type_out, bomb.inputs, bomb.constants);
    expect_refused(model, "are available");
    expect_refused(model, "are needed, --memory 100M leaves", {"--memory", "100M"});
  }
}

/// 256 MB: what searches for causes and fixes runs is held to the limit as every run is.
TEST(Bombs, SearchesKeepToTheLimitOfMemory) {
  const TemporaryFolder folder;
  write_text(folder / "m.tflite", one_operator("TILE", "[1, 1]", "FLOAT32", "[0, 2]", {{"INT32", "[2]", {8192, 8192}}}));
  for (const char* command : {"diagnose", "recommend"}) {
    SCOPED_TRACE(command);
    const ProcessResult run =
        run_tool({command, "m.tflite", "m.tflite", "--quiet", "--memory", "100M"}, {.folder = folder.path().string()});
    EXPECT_EQ(run.exit_code, 3);
    EXPECT_NE(run.err.find("are needed, --memory 100M leaves"), std::string::npos) << run.err;
  }
}

/// What `ulimit` leaves is all that there is: said before the map is made, instead of an allocation that fails on the way.
TEST(Bombs, LimitsOfTheProcessAreLimitsOfMemory) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer needs terabytes of addresses";
  const TemporaryFolder folder;
  write_text(folder / "m.tflite", one_operator("TILE", "[1, 1]", "FLOAT32", "[0, 2]", {{"INT32", "[2]", {16384, 16384}}}));
  for (const char* limit : {"ulimit -d 1000000", "ulimit -v 1200000"}) {
    SCOPED_TRACE(limit);
    const ProcessResult run = run_process({"bash", "-c", std::string(limit) + "; exec \"$0\" run m.tflite -o m.h5 --quiet", VISQ_BINARY},
                                          {.folder = folder.path().string()});
    expect_error_containing(run, 3, "1024M are needed, ");
    EXPECT_EQ(folder.content(), std::vector<std::string>{"m.tflite"});
  }
}

/// A thousand tensors of 256 KiB in a file of 300: each is copied where an operator reads it.
TEST(Bombs, ConstantsThatShareOneBuffer) {
  constexpr int kTensors = 1000;
  std::string tensors = R"({name: "in", shape: [1]})", operators;
  for (int i = 0; i < kTensors; ++i) {
    tensors += ", {shape: [1], type: STRING, buffer: 1}, {shape: [1], type: INT32}";
    operators += (i > 0 ? ", {inputs: [" : "{inputs: [") + std::to_string(2 * i + 1) + "], outputs: [" + std::to_string(2 * i + 2) + "]}";
  }
  expect_refused(build_model("tflite", "{version: 3, operator_codes: [{builtin_code: SHAPE}], buffers: [{}, {data: " +
                                           bytes_of(one_text(1 << 18)) + "}], subgraphs: [{inputs: [0], outputs: [2], tensors: [" +
                                           tensors + "], operators: [" + operators + "]}]}"),
                 "no memory for a constant", {"--memory", "100M"});
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
             build_model("tflite",
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
  write_text(folder / "m.tflite", build_model("tflite", R"({version: 3, operator_codes: [{builtin_code: NEG}], buffers: [{}],
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
  expect_error_containing(run_tool({"compare", "data.h5", "data.h5"}, {.folder = folder.path().string()}), 3,
                          "exceeds the limit of 1024M; --max-input allows more");
}

/// An empty list takes three bytes of a file, and forty times that in memory.
TEST(Bombs, DocumentsOfManyPieces) {
  std::string text = "[[]";
  for (int i = 0; i < 100'000; ++i) text += ",[]";
  const TemporaryFolder folder;
  write_text(folder / "old.json", text + "]");
  expect_error_containing(
      run_tool({"compare", kFp32, kInt8, "--quiet", "--baseline", "old.json", "--memory", "8M"}, {.folder = folder.path().string()}), 3,
      "old.json: no memory for what it holds");
}

TEST(Bombs, Recursion) {
  expect_refused(calls(1, 0), "m.tflite: ");
  expect_refused(calls(3, 1), "m.tflite: ");
}

TEST(Bombs, CallsThatDoubleAtEveryLevel) { expect_refused(calls(40, -1), "more than 65536 places"); }

}  // namespace
}  // namespace visq::testing
