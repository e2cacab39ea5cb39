// BATCH_MATMUL: adjoints, broadcasting up to rank 6, constant right sides, exact integers, int8 numbers without scale.
#include <gmock/gmock.h>

#include "kernels/backend/onednn.h"
#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

struct Product {
  Shape left, right;
  bool adj_x = false, adj_y = false;
  Shape output;
};

/// Index of an element of a broadcast operand for a result's leading coordinates.
std::int64_t matrix_of(const Shape& operand, const Shape& output, std::int64_t matrix) {
  std::int64_t index = 0, stride = 1;
  for (int from_end = 2; from_end < output.rank(); ++from_end) {
    const std::int64_t coordinate = matrix % output[output.rank() - 1 - from_end];
    matrix /= output[output.rank() - 1 - from_end];
    if (from_end >= operand.rank()) continue;
    const std::int64_t size = operand[operand.rank() - 1 - from_end];
    if (size > 1) index += coordinate * stride;
    stride *= size;
  }
  return index;
}

std::vector<double> multiply(const Product& p, const std::vector<double>& a, const std::vector<double>& b) {
  const std::int64_t m = p.output[p.output.rank() - 2], n = p.output.back();
  const std::int64_t k = p.left[p.left.rank() - (p.adj_x ? 2 : 1)];
  std::vector<double> results;
  for (std::int64_t matrix = 0; matrix < p.output.elements() / (m * n); ++matrix)
    for (std::int64_t row = 0; row < m; ++row)
      for (std::int64_t column = 0; column < n; ++column) {
        const std::int64_t x = matrix_of(p.left, p.output, matrix) * m * k, y = matrix_of(p.right, p.output, matrix) * n * k;
        double sum = 0;
        for (std::int64_t i = 0; i < k; ++i)
          sum += a[static_cast<std::size_t>(x + (p.adj_x ? i * m + row : row * k + i))] *
                 b[static_cast<std::size_t>(y + (p.adj_y ? column * k + i : i * n + column))];
        results.push_back(sum);
      }
  return results;
}

Attributes options(const Product& p) { return attributes({{"adj_x", p.adj_x}, {"adj_y", p.adj_y}}); }

std::vector<Product> products() {
  return {
      {{3, 4}, {4, 5}, false, false, {3, 5}},          {{4, 3}, {4, 5}, true, false, {3, 5}},
      {{3, 4}, {5, 4}, false, true, {3, 5}},           {{4, 3}, {5, 4}, true, true, {3, 5}},
      {{2, 3, 4}, {2, 4, 5}, false, false, {2, 3, 5}}, {{2, 1, 3, 4}, {1, 3, 2, 4}, false, true, {2, 3, 3, 2}},
      {{3, 4}, {2, 4, 5}, false, false, {2, 3, 5}},    {{2, 3, 4}, {4, 5}, false, false, {2, 3, 5}},
      {{2, 3, 4}, {5, 4}, false, true, {2, 3, 5}},     {{2, 1, 2, 1, 3, 4}, {2, 3, 1, 2, 4, 2}, false, false, {2, 3, 2, 2, 3, 2}},
      {{1, 9}, {9, 6}, false, false, {1, 6}},          {{65, 70}, {70, 33}, false, false, {65, 33}},
  };
}

TEST(BatchMatMul, FloatsAgreeWithLoops) {
  Numbers numbers(51);
  for (const Product& p : products()) {
    SCOPED_TRACE(to_string(p.left) + " * " + to_string(p.right));
    const auto left = numbers.reals(p.left.elements());
    const auto right = numbers.reals(p.right.elements());
    using Make = HeavyInput (*)(Shape, std::vector<float>);
    for (const Make make : {Make{constant}, Make{activation}}) {
      const auto result =
          run({.type = "BATCH_MATMUL", .inputs = {activation(p.left, left), make(p.right, right)}, .attributes = options(p)});
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->shape, p.output);
      expect_near(result->values, multiply(p, widen(left), widen(right)), 1e-5);
    }
  }
}

TEST(BatchMatMul, AConstantMatrixIsMultipliedInIntegers) {
  Numbers numbers(52);
  const Product p{{2, 3, 40}, {5, 40}, false, true, {2, 3, 5}};
  auto sums = quantized_sums(numbers, {.per_channel = false, .input_zero = -17}, p.left, p.right, 0, 5);
  sums.bias_steps.clear();
  const auto result = run({.type = "BATCH_MATMUL", .inputs = {sums.input, sums.filter}, .attributes = options(p)});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->values, exact_results(sums, multiply(p, sums.input_steps, sums.filter_steps), "NONE"));
}

/// Codes less their zero point.
std::vector<double> centered(const std::vector<std::int64_t>& codes, std::int64_t zero_point) {
  std::vector<double> steps;
  for (const std::int64_t code : codes) steps.push_back(static_cast<double>(code - zero_point));
  return steps;
}

TEST(BatchMatMul, Int8FeatureMapsAreMultipliedInIntegers) {
  Numbers numbers(54);
  for (const Product& p : products()) {
    for (const auto& [left_zero, right_zero] : {std::pair{-128, 127}, {0, 0}, {13, -77}}) {
      SCOPED_TRACE(to_string(p.left) + " * " + to_string(p.right));
      // Zero points at the ends with codes at the other end: the largest products.
      const auto left = left_zero == -128 ? numbers.integers(p.left.elements(), 126, 127) : numbers.integers(p.left.elements(), -128, 127);
      const auto right = numbers.integers(p.right.elements(), -128, right_zero == 127 ? -127 : 127);
      const float left_scale = 0.03F, right_scale = 0.11F;
      HeavyOp op{.type = "BATCH_MATMUL",
                 .inputs = {quantized_activation(p.left, DType::kInt8, left, quantization({left_scale}, {left_zero})),
                            quantized_activation(p.right, DType::kInt8, right, quantization({right_scale}, {right_zero}))},
                 .attributes = options(p)};
      const auto sums = multiply(p, centered(left, left_zero), centered(right, right_zero));
      const auto step = static_cast<float>(static_cast<double>(left_scale) * static_cast<double>(right_scale));
      std::vector<float> want;
      for (const double sum : sums) want.push_back(static_cast<float>(sum) * step);
      const auto exact = run(op);
      ASSERT_TRUE(exact.ok()) << exact.error().message;
      if (kernels::backend::exact_int8_sums()) {  // else real values are multiplied
        EXPECT_EQ(exact->values, want);
      }
      expect_near(exact->values, widen(want), 1e-5);
      op.offer_codes = false;
      const auto floats = run(op);
      ASSERT_TRUE(floats.ok()) << floats.error().message;
      expect_near(floats->values, widen(want), 1e-5);
    }
  }
}

TEST(BatchMatMul, PlainInt8GivesInt32) {
  Numbers numbers(53);
  for (const Product& p : products()) {
    const auto left = numbers.integers(p.left.elements(), -128, 127);
    const auto right = numbers.integers(p.right.elements(), -128, 127);
    const auto result = run(
        {.type = "BATCH_MATMUL",
         .inputs = {{.shape = p.left, .stored = DType::kInt8, .codes = left}, {.shape = p.right, .stored = DType::kInt8, .codes = right}},
         .attributes = options(p),
         .output = DType::kInt32});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(widen(result->integers), multiply(p, widen(left), widen(right)));
  }
}

TEST(BatchMatMul, EmptySumsAreZeroAndEmptyResultsEmpty) {
  const auto values = [](Shape left, Shape right) {
    return run({.type = "BATCH_MATMUL", .inputs = {activation(std::move(left), {}), activation(std::move(right), {})}}).value().values;
  };
  EXPECT_EQ(values({2, 0}, {0, 2}), (std::vector<float>{0, 0, 0, 0}));
  EXPECT_EQ(values({0, 3, 4}, {0, 4, 5}), std::vector<float>());
}

TEST(BatchMatMul, BadParametersNameThePlace) {
  const std::string place = "m.tflite: subgraph 0, node 0 BATCH_MATMUL: ";
  const auto error = [](Shape left, Shape right) {
    const auto a = static_cast<std::size_t>(left.elements()), b = static_cast<std::size_t>(right.elements());
    return error_of({.type = "BATCH_MATMUL",
                     .inputs = {activation(std::move(left), std::vector<float>(a)), activation(std::move(right), std::vector<float>(b))}});
  };
  EXPECT_EQ(error({3, 4}, {5, 6}), place + "shapes [3, 4] and [5, 6] do not multiply");
  EXPECT_EQ(error({2, 3, 4}, {3, 4, 5}), place + "shapes [2, 3, 4] and [3, 4, 5] do not broadcast");
  EXPECT_EQ(error({4}, {4, 5}), place + "an operand has rank 1, expected 2 to 6");
}

}  // namespace
}  // namespace visq::testing
