// Integer runs of BATCH_MATMUL, EMBEDDING_LOOKUP and the pools, on numbers worked out by hand.
#include <gmock/gmock.h>

#include "support/runs/heavy_runner.h"

namespace visq::testing {
namespace {

using ::testing::ElementsAre;

HeavyOp product(HeavyInput left, HeavyInput right, DType output, Quantization output_quantization, bool adj_x = false, bool adj_y = false) {
  return {.type = "BATCH_MATMUL",
          .inputs = {std::move(left), std::move(right)},
          .attributes = attributes({{"adj_x", adj_x}, {"adj_y", adj_y}}),
          .output = output,
          .integer_run = true,
          .output_quantization = std::move(output_quantization)};
}

TEST(IntegerBatchMatMul, ProductsAreExactHoweverTheyAreStored) {
  // [[1, 2, 3], [4, 5, 6]] * [[1, -1], [0, 2], [2, 1]] = [[7, 6], [16, 12]], with zero points 10, -5 and 1.
  const std::vector<std::int64_t> left = {11, 12, 13, 14, 15, 16}, left_t = {11, 14, 12, 15, 13, 16};
  const std::vector<std::int64_t> right = {-4, -6, -5, -3, -3, -4}, right_t = {-4, -5, -3, -6, -3, -4};
  for (const bool adj_x : {false, true}) {
    for (const bool adj_y : {false, true}) {
      for (const bool known : {false, true}) {
        HeavyInput x =
            quantized_activation(adj_x ? Shape{1, 3, 2} : Shape{1, 2, 3}, DType::kInt8, adj_x ? left_t : left, quantization({1}, {10}));
        HeavyInput y =
            quantized_constant(adj_y ? Shape{2, 3} : Shape{3, 2}, DType::kInt8, adj_y ? right_t : right, quantization({1}, {-5}));
        if (!known) y.kind = HeavyInput::Kind::kActivation;
        const auto result = run(product(x, y, DType::kInt8, quantization({1}, {1}), adj_x, adj_y));
        ASSERT_TRUE(result.ok()) << result.error().message;
        EXPECT_EQ(result->shape, (Shape{1, 2, 2}));
        EXPECT_THAT(result->integers, ElementsAre(8, 7, 17, 13));
      }
    }
  }
}

TEST(IntegerBatchMatMul, TypesHaveSumsOfTheirOwn) {
  const Quantization one = quantization({1}, {0});
  const HeavyInput wide = quantized_activation({1, 2}, DType::kInt16, {32767, -32768}, one);
  const HeavyInput wide_right = quantized_constant({2, 1}, DType::kInt16, {32767, -32768}, one);
  EXPECT_THAT(run(product(wide, wide_right, DType::kInt16, quantization({0x1p17F}, {0})))->integers, ElementsAre(16384));
  const HeavyInput narrow_right = quantized_constant({2, 1}, DType::kInt8, {127, -128}, one);
  EXPECT_THAT(run(product(wide, narrow_right, DType::kInt16, quantization({0x1p10F}, {0})))->integers, ElementsAre(8160));
  // int32 results are sums of the stored integers as they are.
  const HeavyInput shifted = quantized_activation({1, 2}, DType::kInt8, {3, 4}, quantization({1}, {100}));
  EXPECT_THAT(run(product(shifted, narrow_right, DType::kInt32, {}))->integers, ElementsAre(3 * 127 - 4 * 128));
  // LiteRT takes the scale of a right operand with many as 0.
  const HeavyInput many = quantized_constant({2, 2}, DType::kInt8, {1, 2, 3, 4}, quantization({1, 2}, {0, 0}, 1));
  EXPECT_THAT(run(product(shifted, many, DType::kInt8, quantization({1}, {9})))->integers, ElementsAre(9, 9));
}

TEST(IntegerBatchMatMul, HybridRowsHaveScalesOfTheirOwn) {
  const HeavyInput right = quantized_constant({2, 2}, DType::kInt8, {1, 2, 3, 4}, quantization({1, 0.5F}, {0, 0}, 1));
  const auto result = run(product(activation({3, 2}, {127, 1, 0, 0, 3, -254}), right, DType::kFloat32, {}));
  ASSERT_TRUE(result.ok()) << result.error().message;
  // Rows in steps of 1, 1 and 2: 3 becomes 2 steps.
  EXPECT_THAT(result->values, ElementsAre(130, 129, 0, 0, 2 * (2 - 381), 4 - 508));
}

TEST(IntegerBatchMatMul, HybridBatchesLookUpScalesWhereLiteRTDoes) {
  // Matrices [0, 0], [0, 1], [1, 0], [1, 1] of one row; the last counts with the scale of number 1 + 1, matrix [1, 0], and so on.
  const HeavyInput right = quantized_constant({1, 1}, DType::kInt8, {1}, quantization({1}, {0}));
  const auto result = run(product(activation({2, 2, 1, 1}, {127, 254, 381, 508}), right, DType::kFloat32, {}));
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(result->values, ElementsAre(127, 254, 254, 381));
}

HeavyOp look_up(HeavyInput table, DType output, std::vector<std::int64_t> ids = {2, 0}) {
  const auto count = static_cast<std::int64_t>(ids.size());
  return {.type = "EMBEDDING_LOOKUP",
          .inputs = {integer_constant({count}, DType::kInt32, std::move(ids)), std::move(table)},
          .output = output,
          .integer_run = true};
}

TEST(IntegerEmbeddingLookup, RowsAreScaled) {
  const std::vector<std::int64_t> codes = {1, 2, 3, 4, -5, 6};
  const auto rows = [&](DType stored, Quantization parameters) {
    return run(look_up(quantized_constant({3, 2}, stored, codes, std::move(parameters)), DType::kFloat32))->values;
  };
  EXPECT_THAT(rows(DType::kInt8, quantization({0.5F}, {0})), ElementsAre(-2.5F, 3, 0.5F, 1));
  EXPECT_THAT(rows(DType::kInt4, quantization({1, 2, 3}, {0, 0, 0})), ElementsAre(-15, 18, 1, 2));
  HeavyInput blocks = quantized_constant({3, 2}, DType::kInt4, codes, {});
  blocks.quantization.block_size = 1;
  blocks.quantization.block_scales = 0;
  HeavyOp op = look_up(blocks, DType::kFloat32);
  op.declared = {constant({3, 2}, {1, 2, 3, 4, 5, 6})};
  EXPECT_THAT(run(op)->values, ElementsAre(-25, 36, 1, 4));
  EXPECT_THAT(run(look_up(quantized_constant({3, 2}, DType::kInt8, codes, quantization({1}, {0})), DType::kInt8))->integers,
              ElementsAre(-5, 6, 1, 2));
}

// Rows of 3 nibbles: the second begins within a byte, and LiteRT at that byte.
TEST(IntegerEmbeddingLookup, OddRowsOfInt4StartAtAByte) {
  const HeavyInput table = quantized_constant({3, 3}, DType::kInt4, {1, 2, 3, 4, 5, 6, 7, -1, -2}, quantization({1}, {0}));
  EXPECT_THAT(run(look_up(table, DType::kFloat32, {1, 2}))->values, ElementsAre(3, 4, 5, 7, -1, -2));
}

TEST(IntegerEmbeddingLookup, BadParametersNameThePlace) {
  const std::string place = "m.tflite: subgraph 0, node 0 EMBEDDING_LOOKUP: ";
  const auto table = [](Quantization parameters) { return quantized_constant({3, 1}, DType::kInt8, {1, 2, 3}, std::move(parameters)); };
  EXPECT_EQ(error_of(look_up(table(quantization({1}, {0})), DType::kFloat32, {3})),
            place + "index 3 is out of range for an axis of size 3");
  EXPECT_EQ(error_of(look_up(table(quantization({1}, {5})), DType::kFloat32)), place + "the table has the zero point 5, expected 0");
  EXPECT_EQ(error_of(look_up(table(quantization({1, 1}, {0, 0})), DType::kFloat32)), place + "the table has 2 scales, expected 1 or 3");
}

HeavyOp pool(const std::string& type, DType stored, std::vector<std::int64_t> codes, const std::string& activation = "NONE") {
  const auto width = static_cast<std::int64_t>(codes.size());
  return {.type = type,
          .inputs = {quantized_activation({1, 1, width, 1}, stored, std::move(codes), quantization({1}, {0}))},
          .attributes = attributes({{"padding", "SAME"},
                                    {"stride_h", std::int64_t{1}},
                                    {"stride_w", std::int64_t{2}},
                                    {"filter_height", std::int64_t{1}},
                                    {"filter_width", std::int64_t{2}},
                                    {"fused_activation_function", activation}}),
          .output = stored,
          .integer_run = true,
          .output_quantization = quantization({0.5F}, {-4})};
}

TEST(IntegerPools, AveragesAreRoundedHalfAwayFromZero) {
  // The last window has one element inside. The output's own grid does not count.
  EXPECT_THAT(run(pool("AVERAGE_POOL_2D", DType::kInt8, {-1, -2, 1, 2, -128, -127, 9}))->integers, ElementsAre(-2, 2, -128, 9));
  EXPECT_THAT(run(pool("AVERAGE_POOL_2D", DType::kUInt8, {255, 254, 0, 1}))->integers, ElementsAre(255, 1));
  EXPECT_THAT(run(pool("AVERAGE_POOL_2D", DType::kInt16, {-32768, -32767}))->integers, ElementsAre(-32768));
}

TEST(IntegerPools, ActivationsLimitOnTheOutputsGrid) {
  EXPECT_THAT(run(pool("MAX_POOL_2D", DType::kInt8, {-100, -90, 5, 3, 100, 9}))->integers, ElementsAre(-90, 5, 100));
  EXPECT_THAT(run(pool("MAX_POOL_2D", DType::kInt8, {-100, -90, 5, 3, 100, 9}, "RELU6"))->integers, ElementsAre(-4, 5, 8));
  EXPECT_THAT(run(pool("AVERAGE_POOL_2D", DType::kInt16, {-9, -9, -3, -3}, "RELU_N1_TO_1"))->integers, ElementsAre(-6, -3));
}

}  // namespace
}  // namespace visq::testing
