// TRANSPOSE_CONV against the definition: every input element spreads over a window of the output.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

struct TransposeCase {
  std::int64_t batch = 1, height = 4, width = 3, channels = 2, outputs = 3;
  std::int64_t kernel_h = 3, kernel_w = 3, stride_h = 2, stride_w = 2, out_h = 8, out_w = 6;
  std::string padding = "SAME", activation = "NONE";

  Shape in_shape() const { return {batch, height, width, channels}; }
  Shape filter_shape() const { return {outputs, kernel_h, kernel_w, channels}; }
  HeavyInput output_shape() const { return integer_constant({4}, DType::kInt32, {batch, out_h, out_w, outputs}); }
  Attributes attributes() const {
    return visq::testing::attributes(
        {{"padding", padding}, {"stride_h", stride_h}, {"stride_w", stride_w}, {"fused_activation_function", activation}});
  }
};

std::vector<double> spread(const TransposeCase& c, const std::vector<double>& input, const std::vector<double>& filter) {
  const auto before = [](std::int64_t in, std::int64_t stride, std::int64_t kernel, std::int64_t out) {
    return std::max<std::int64_t>(0, (in - 1) * stride + kernel - out) / 2;
  };
  const std::int64_t top = before(c.height, c.stride_h, c.kernel_h, c.out_h);
  const std::int64_t left = before(c.width, c.stride_w, c.kernel_w, c.out_w);
  std::vector<double> sums(static_cast<std::size_t>(c.batch * c.out_h * c.out_w * c.outputs), 0);
  for (std::int64_t n = 0; n < c.batch; ++n)
    for (std::int64_t y = 0; y < c.height; ++y)
      for (std::int64_t x = 0; x < c.width; ++x)
        for (std::int64_t i = 0; i < c.kernel_h; ++i)
          for (std::int64_t j = 0; j < c.kernel_w; ++j) {
            const std::int64_t row = y * c.stride_h + i - top, column = x * c.stride_w + j - left;
            if (row < 0 || row >= c.out_h || column < 0 || column >= c.out_w) continue;
            for (std::int64_t o = 0; o < c.outputs; ++o)
              for (std::int64_t d = 0; d < c.channels; ++d)
                sums[static_cast<std::size_t>(((n * c.out_h + row) * c.out_w + column) * c.outputs + o)] +=
                    input[static_cast<std::size_t>(((n * c.height + y) * c.width + x) * c.channels + d)] *
                    filter[static_cast<std::size_t>(((o * c.kernel_h + i) * c.kernel_w + j) * c.channels + d)];
          }
  return sums;
}

std::vector<TransposeCase> shapes() {
  return {
      {},
      {.out_h = 7, .out_w = 5, .activation = "RELU"},
      {.out_h = 9, .out_w = 7, .padding = "VALID"},
      {.out_h = 10, .out_w = 8, .padding = "VALID", .activation = "RELU6"},
      {.kernel_h = 2, .kernel_w = 2, .stride_h = 3, .stride_w = 3, .out_h = 12, .out_w = 9},
      {.kernel_h = 2, .kernel_w = 1, .stride_h = 3, .stride_w = 2, .out_h = 11, .out_w = 5, .padding = "VALID"},
      {.batch = 2, .channels = 17, .outputs = 20, .kernel_h = 4, .kernel_w = 4, .stride_h = 1, .stride_w = 1, .out_h = 4, .out_w = 3},
      {.channels = 16, .outputs = 16, .activation = "TANH"},
      // Windows that tile the output.
      {.batch = 2, .channels = 5, .outputs = 7, .kernel_h = 2, .kernel_w = 3, .stride_h = 2, .stride_w = 3, .out_h = 8, .out_w = 9},
      {.outputs = 4, .kernel_h = 2, .kernel_w = 2, .padding = "VALID", .activation = "RELU"},
      {.kernel_h = 2, .kernel_w = 2, .activation = "TANH"},
      // The same, so large that it is computed in blocks of lines.
      {.batch = 2, .height = 33, .width = 40, .channels = 5, .outputs = 33, .kernel_h = 2, .kernel_w = 2, .out_h = 66, .out_w = 80},
      {.height = 1, .width = 1, .stride_h = 2147483647, .stride_w = 5, .out_h = 4, .out_w = 5},
  };
}

TEST(TransposeConv, FloatsAgreeWithTheDefinition) {
  Numbers numbers(31);
  for (const TransposeCase& c : shapes()) {
    SCOPED_TRACE(fmt::format("{}x{} to {}x{} {}", c.height, c.width, c.out_h, c.out_w, c.padding));
    const auto input = numbers.reals(c.in_shape().elements());
    const auto filter = numbers.reals(c.filter_shape().elements());
    const auto bias = numbers.reals(c.outputs);
    const auto want = add_bias(spread(c, widen(input), widen(filter)), widen(bias));
    using Make = HeavyInput (*)(Shape, std::vector<float>);
    for (const Make make : {Make{constant}, Make{activation}}) {
      const auto result =
          run({.type = "TRANSPOSE_CONV",
               .inputs = {c.output_shape(), make(c.filter_shape(), filter), activation(c.in_shape(), input), constant({c.outputs}, bias)},
               .attributes = c.attributes()});
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->shape, (Shape{c.batch, c.out_h, c.out_w, c.outputs}));
      expect_near(result->values, want, 1e-5, c.activation);
    }
  }
}

TEST(TransposeConv, IntegersAreExact) {
  Numbers numbers(32);
  for (const TransposeCase& c : shapes()) {
    for (const QuantizedCase& q :
         {QuantizedCase{.input_zero = -128},
          QuantizedCase{.input = DType::kUInt8, .filter = DType::kUInt8, .per_channel = false, .input_zero = 200, .filter_zero = 12}}) {
      SCOPED_TRACE(fmt::format("{}x{} to {}x{} {}", c.height, c.width, c.out_h, c.out_w, c.padding));
      const auto sums = quantized_sums(numbers, q, c.in_shape(), c.filter_shape(), 0, c.outputs);
      const auto products = spread(c, sums.input_steps, sums.filter_steps);
      const auto want = exact_results(sums, products, c.activation);
      HeavyOp op{.type = "TRANSPOSE_CONV", .inputs = {c.output_shape(), sums.filter, sums.input, sums.bias}, .attributes = c.attributes()};
      const auto exact = run(op);
      ASSERT_TRUE(exact.ok()) << exact.error().message;
      ASSERT_EQ(exact->values, want);
      op.offer_codes = false;
      const auto floats = run(op);
      ASSERT_TRUE(floats.ok()) << floats.error().message;
      expect_near(floats->values, widen(exact_results(sums, products, "NONE")), 1e-6, c.activation);
    }
  }
}

TEST(TransposeConv, BadParametersNameThePlace) {
  const std::string place = "m.tflite: subgraph 0, node 0 TRANSPOSE_CONV: ";
  const auto error = [](const TransposeCase& c, std::vector<std::int64_t> sizes, std::int64_t depth = 2) {
    const Shape filter = {c.outputs, c.kernel_h, c.kernel_w, depth};
    const auto rank = static_cast<std::int64_t>(sizes.size());
    return error_of({.type = "TRANSPOSE_CONV",
                     .inputs = {integer_constant({rank}, DType::kInt32, std::move(sizes)),
                                constant(filter, std::vector<float>(static_cast<std::size_t>(filter.elements()))),
                                activation(c.in_shape(), std::vector<float>(24))},
                     .attributes = c.attributes()});
  };
  EXPECT_EQ(error({}, {1, 8, 6}), place + "output_shape has 3 sizes, expected 4");
  EXPECT_EQ(error({}, {1, 8, 6, 3}, 1), place + "input has 2 channels, the filter 1");
  EXPECT_EQ(error({}, {1, 8, 6, 4}), place + "output_shape is [1, 8, 6, 4], expected batch 1 and 3 channels");
  EXPECT_EQ(error({}, {1, 9, 6, 3}), place + "output height of 9 does not fit the input's 4");
  EXPECT_EQ(error({}, {1, 8, -6, 3}), place + "output width of -6 does not fit the input's 3");
  EXPECT_EQ(error({.stride_h = 0}, {1, 8, 6, 3}), place + "stride of the height is 0");
}

}  // namespace
}  // namespace visq::testing
