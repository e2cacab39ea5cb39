// FULLY_CONNECTED: ranks, computed weights, exact integers, long sums.
#include <gmock/gmock.h>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

/// A fully connected layer as a convolution of single pixels, for the reference.
ConvCase layer(std::int64_t rows, std::int64_t depth, std::int64_t outputs, std::string activation = "NONE") {
  return {.batch = rows,
          .height = 1,
          .width = 1,
          .channels = depth,
          .outputs = outputs,
          .kernel_h = 1,
          .kernel_w = 1,
          .activation = std::move(activation)};
}

Attributes options(const std::string& activation, bool keep_num_dims = false, const std::string& format = "DEFAULT") {
  return attributes({{"fused_activation_function", activation}, {"keep_num_dims", keep_num_dims}, {"weights_format", format}});
}

TEST(FullyConnected, FloatsAgreeWithLoops) {
  Numbers numbers(21);
  for (const auto& c : {layer(1, 7, 3), layer(5, 64, 33, "RELU"), layer(13, 1, 1, "RELU6"), layer(1, 640, 128), layer(3, 20, 10, "TANH")}) {
    SCOPED_TRACE(label(c));
    const auto input = numbers.reals(c.in_elements());
    const auto filter = numbers.reals(c.filter_elements());
    const auto bias = numbers.reals(c.outputs);
    const auto want = add_bias(convolve(c, widen(input), widen(filter)), widen(bias));
    using Make = HeavyInput (*)(Shape, std::vector<float>);
    for (const Make make : {Make{constant}, Make{computed_ahead}, Make{activation}}) {
      const auto result =
          run({.type = "FULLY_CONNECTED",
               .inputs = {activation({c.batch, c.channels}, input), make({c.outputs, c.channels}, filter), constant({c.outputs}, bias)},
               .attributes = options(c.activation)});
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->shape, (Shape{c.batch, c.outputs}));
      expect_near(result->values, want, 1e-5, c.activation);
    }
  }
}

TEST(FullyConnected, ShapesFollowTheOption) {
  Numbers numbers(22);
  const auto shape_of = [&](Shape input, bool keep) {
    const auto values = numbers.reals(input.elements());
    const auto result = run({.type = "FULLY_CONNECTED",
                             .inputs = {activation(std::move(input), values), constant({5, 6}, numbers.reals(30)), absent()},
                             .attributes = options("NONE", keep)});
    return result.ok() ? result->shape : Shape{};
  };
  EXPECT_EQ(shape_of({2, 3, 6}, true), (Shape{2, 3, 5}));
  EXPECT_EQ(shape_of({2, 3, 6}, false), (Shape{6, 5}));
  EXPECT_EQ(shape_of({2, 2, 3}, false), (Shape{2, 5}));
  EXPECT_EQ(shape_of({6}, true), (Shape{5}));
  EXPECT_EQ(shape_of({6}, false), (Shape{1, 5}));
  EXPECT_EQ(shape_of({0, 6}, false), (Shape{0, 5}));
}

TEST(FullyConnected, IntegersAreExact) {
  Numbers numbers(23);
  const std::vector<QuantizedCase> quantizations = {
      {.input_zero = 5},
      {.per_channel = false, .input_zero = -128, .extremes = true},
      {.filter = DType::kInt4, .input_zero = -30},
      {.input = DType::kUInt8, .filter = DType::kUInt8, .per_channel = false, .input_zero = 117, .filter_zero = 131},
      {.input = DType::kUInt8, .filter = DType::kUInt8, .per_channel = false, .input_zero = 255, .filter_zero = 0, .extremes = true},
  };
  for (const auto& c : {layer(1, 7, 3), layer(5, 63, 17, "RELU"), layer(1, 200, 128), layer(9, 1, 1)}) {
    for (const QuantizedCase& q : quantizations) {
      SCOPED_TRACE(label(c));
      auto sums = quantized_sums(numbers, q, {c.batch, c.channels}, {c.outputs, c.channels}, 0, c.outputs);
      const auto products = convolve(c, sums.input_steps, sums.filter_steps);
      for (const bool biased : {true, false}) {
        if (!biased) sums.bias_steps.clear();
        HeavyOp op{.type = "FULLY_CONNECTED",
                   .inputs = {sums.input, sums.filter, biased ? sums.bias : absent()},
                   .attributes = options(c.activation)};
        const auto want = exact_results(sums, products, c.activation);
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
}

// So long that int32 would overflow with the largest codes: real values then, with the rounding of as many additions.
TEST(FullyConnected, SumsBeyondInt32AreNotTakenInInt32) {
  constexpr std::int64_t kDepth = 80000;
  const auto result =
      run({.type = "FULLY_CONNECTED",
           .inputs = {quantized_activation({1, kDepth}, DType::kUInt8, std::vector<std::int64_t>(kDepth, 255), quantization({1}, {0})),
                      quantized_constant({1, kDepth}, DType::kUInt8, std::vector<std::int64_t>(kDepth, 255), quantization({1}, {0}))},
           .attributes = options("NONE")});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_NEAR(result->values[0], 255.0 * 255.0 * kDepth, 255.0 * 255.0 * kDepth * (kDepth * 0x1p-24));
}

// Quantized parameters that are no 8-bit grid are no reason to fail, only not to use integers.
TEST(FullyConnected, OddParametersComputeFromRealValues) {
  const auto value = [](HeavyInput input, HeavyInput filter) {
    const auto result = run({.type = "FULLY_CONNECTED", .inputs = {std::move(input), std::move(filter)}, .attributes = options("NONE")});
    return result.ok() ? result->values[0] : -1.0F;
  };
  const Quantization plain = quantization({0.5F}, {0});
  const HeavyInput one = quantized_activation({1, 1}, DType::kInt8, {2}, plain);
  EXPECT_EQ(value(one, quantized_constant({1, 1}, DType::kInt8, {4}, plain)), 2);
  EXPECT_EQ(value(one, quantized_constant({1, 1}, DType::kInt8, {4}, quantization({0.5F}, {1000}))), -498);
  EXPECT_EQ(value(one, quantized_constant({1, 1}, DType::kInt8, {4}, quantization({0.0F}, {0}))), 0);
  EXPECT_EQ(value(quantized_activation({1, 1}, DType::kInt8, {2}, quantization({0.5F}, {-1000000})),
                  quantized_constant({1, 1}, DType::kInt8, {4}, plain)),
            1000002);
  EXPECT_EQ(value(one, quantized_constant({1, 1}, DType::kInt16, {4}, plain)), 2);
}

TEST(FullyConnected, BadParametersNameThePlace) {
  const std::string place = "m.tflite: subgraph 0, node 0 FULLY_CONNECTED: ";
  const auto error = [](Shape filter, bool keep, const std::string& format = "DEFAULT", std::int64_t biases = 5) {
    const auto count = static_cast<std::size_t>(filter.elements());
    return error_of({.type = "FULLY_CONNECTED",
                     .inputs = {activation({2, 2, 3}, std::vector<float>(12)), constant(std::move(filter), std::vector<float>(count)),
                                constant({biases}, std::vector<float>(static_cast<std::size_t>(biases)))},
                     .attributes = options("NONE", keep, format)});
  };
  EXPECT_EQ(error({5, 6}, true), place + "input has the shape [2, 2, 3], expected 6 as its last size");
  EXPECT_EQ(error({5, 5}, false), place + "input has 12 elements, no multiple of the filter's depth 5");
  EXPECT_EQ(error({5, 0}, false), place + "input has 12 elements, no multiple of the filter's depth 0");
  EXPECT_EQ(error({5, 6, 1}, false), place + "filter has rank 3, expected 2");
  EXPECT_EQ(error({5, 6}, false, "SHUFFLED4x16INT8"), place + "weights_format SHUFFLED4x16INT8");
  EXPECT_EQ(error({5, 6}, false, "DEFAULT", 6), place + "bias has 6 elements, expected 5");
}

}  // namespace
}  // namespace visq::testing
