#include "support/models/long_network.h"

#include <fmt/core.h>

#include "support/models/model_builder.h"

namespace visq::testing {
namespace {

constexpr int kBlocksPerStage = 10;

class Writer {
 public:
  Writer(bool quantized, bool scoped) : quantized_(quantized), scoped_(scoped) {}

  int tensor(int block, const char* what, double scale, int zero_point) {
    const std::string name =
        scoped_ ? fmt::format("net/stage_{}/block_{}/{}", block / kBlocksPerStage, block, what) : fmt::format("t{}", count_);
    const std::string grid = fmt::format(", quantization: {{scale: [{}], zero_point: [{}]}}", scale, zero_point);
    tensors_ += fmt::format("{{name: \"{}\", shape: [1, 8], type: {}, buffer: 0{}}},\n", name, quantized_ ? "INT8" : "FLOAT32",
                            quantized_ ? grid : "");
    return count_++;
  }
  void op(int code, const std::string& inputs, int output, const char* options = "") {
    operators_ += fmt::format("{{opcode_index: {}, inputs: [{}], outputs: [{}]{}}},\n", code, inputs, output, options);
  }
  std::string json(int input, int output) const {
    return fmt::format(
        "{{version: 3, buffers: [{{}}], operator_codes: [{{builtin_code: LOGISTIC, deprecated_builtin_code: 14}}, {{builtin_code: MUL, "
        "deprecated_builtin_code: 18}}, {{builtin_code: ADD, deprecated_builtin_code: 0}}, {{builtin_code: TANH, deprecated_builtin_code: "
        "28}}],\n"
        "subgraphs: [{{tensors: [{}], inputs: [{}], outputs: [{}], operators: [{}]}}]}}",
        tensors_.substr(0, tensors_.size() - 2), input, output, operators_.substr(0, operators_.size() - 2));
  }

 private:
  bool quantized_, scoped_;
  int count_ = 0;
  std::string tensors_, operators_;
};

}  // namespace

std::string long_network(int blocks, bool quantized, bool scoped) {
  Writer writer(quantized, scoped);
  const int input = writer.tensor(0, "input", 1.0 / 128, 0);
  int x = input;
  for (int block = 0; block < blocks; ++block) {
    const int gate = writer.tensor(block, "gate", 1.0 / 256, -128), product = writer.tensor(block, "product", 1.0 / 128, 0),
              sum = writer.tensor(block, "sum", 1.0 / 64, 0), bent = writer.tensor(block, "bent", 1.0 / 128, 0);
    writer.op(0, fmt::format("{}", x), gate);
    writer.op(1, fmt::format("{}, {}", x, gate), product, ", builtin_options_type: MulOptions, builtin_options: {}");
    writer.op(2, fmt::format("{}, {}", x, product), sum, ", builtin_options_type: AddOptions, builtin_options: {}");
    writer.op(3, fmt::format("{}", sum), bent);
    x = bent;
  }
  return build_model("tflite", writer.json(input, x));
}

}  // namespace visq::testing
