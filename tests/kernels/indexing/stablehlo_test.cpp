// StableHLO's operators and their kin: element by element, padding with gaps, gathering and scattering by index vectors, folding windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "support/runs/light_runner.h"

namespace visq {
namespace {

using kernels::Bool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::LightRunner;

using Integers = std::vector<std::int64_t>;

std::vector<float> count(std::int64_t size) {
  std::vector<float> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

LightRunner on(std::string op, Shape shape) {
  LightRunner runner(std::move(op));
  runner.input<float>(shape, count(shape.elements()));
  return runner;
}

template <class T>
std::vector<T> zip(std::string op, std::vector<T> a, std::vector<T> b) {
  const auto size = static_cast<std::int64_t>(a.size());
  LightRunner runner(std::move(op));
  return runner.output(kernels::kDTypeOf<T>).template input<T>({size}, a).template input<T>({size}, b).template first<T>().second;
}

TEST(StableHlo, ComputesElementByElement) {
  EXPECT_THAT(zip<std::int8_t>("STABLEHLO_ADD", {100, -1}, {100, 1}), ElementsAre(-56, 0));
  EXPECT_THAT(zip<double>("STABLEHLO_MULTIPLY", {2.5}, {4}), ElementsAre(10));
  EXPECT_THAT(zip<std::uint64_t>("STABLEHLO_MAXIMUM", {1, 9}, {2, 3}), ElementsAre(2, 9));
  EXPECT_THAT(zip<float>("STABLEHLO_MINIMUM", {1, 9}, {2, 3}), ElementsAre(1, 3));
  EXPECT_THAT(zip<std::int16_t>("STABLEHLO_AND", {12, -1}, {10, 7}), ElementsAre(8, 7));
  EXPECT_THAT(zip<std::int8_t>("STABLEHLO_SHIFT_LEFT", {1, -1, 3, 1, 1}, {3, 1, 7, 8, -1}), ElementsAre(8, -2, -128, 0, 0));
  EXPECT_THAT(on("STABLEHLO_ADD", {2}).input<float>({1}, {1}).message(),
              HasSubstr("inputs have the shapes [2] and [1], expected the same"));
}

LightRunner padded(Integers low, Integers high, Integers interior) {
  return on("STABLEHLO_PAD", {3})
      .input<float>({}, {9})
      .attribute("edge_padding_low", std::move(low))
      .attribute("edge_padding_high", std::move(high))
      .attribute("interior_padding", std::move(interior));
}

TEST(StableHloPad, WidensCropsAndSpreads) {
  EXPECT_THAT(padded({1}, {2}, {0}).first().second, ElementsAre(9, 0, 1, 2, 9, 9));
  EXPECT_THAT(padded({0}, {0}, {2}).first().second, ElementsAre(0, 9, 9, 1, 9, 9, 2));
  EXPECT_THAT(padded({-1}, {1}, {1}).first().second, ElementsAre(9, 1, 9, 2, 9));
  EXPECT_THAT(padded({-2}, {-2}, {1}).first().second, ElementsAre(1));
  EXPECT_THAT(padded({-1}, {-3}, {1}).first().second, ElementsAre(9));  // nothing but a gap is left
  EXPECT_EQ(padded({-3}, {0}, {0}).first().first, Shape({0}));
  EXPECT_THAT(padded({-4}, {0}, {0}).message(), HasSubstr("axis 0 of size 3 is padded by -4 and 0, with gaps of 0"));
  EXPECT_THAT(padded({0}, {0}, {-1}).message(), HasSubstr("with gaps of -1"));
  EXPECT_THAT(padded({0}, {std::int64_t{1} << 62}, {0}).message(), HasSubstr("axis 0 of size 3 is padded by"));
  EXPECT_THAT(padded({0}, {0}, {}).message(), HasSubstr("1, 1 and 0 paddings for a tensor of rank 1"));
}

TEST(Dilate, MovesNeighboursApart) {
  const auto [shape, values] = on("DILATE", {2, 2}).ints({1, 3}).input<float>({}, {-1}).first();
  EXPECT_EQ(shape, Shape({2, 4}));
  EXPECT_THAT(values, ElementsAre(0, -1, -1, 1, 2, -1, -1, 3));
  EXPECT_THAT(on("DILATE", {2}).ints({0}).input<float>({}, {0}).message(), HasSubstr("a dilation of 0"));
  EXPECT_THAT(on("DILATE", {2}).ints({1, 1}).input<float>({}, {0}).message(), HasSubstr("2 dilations for a tensor of rank 1"));
  EXPECT_THAT(on("DILATE", {2}).ints({1}).input<float>({2}, {0, 0}).message(), HasSubstr("the padding value has the shape [2]"));
}

LightRunner gather(Integers offset, Integers collapsed, Integers map, Integers sizes, std::vector<std::int32_t> indices) {
  return on("STABLEHLO_GATHER", {3, 4})
      .input<std::int32_t>({static_cast<std::int64_t>(indices.size() / map.size()), static_cast<std::int64_t>(map.size())}, indices)
      .attribute("index_vector_dim", std::int64_t{1})
      .attribute("offset_dims", std::move(offset))
      .attribute("collapsed_slice_dims", std::move(collapsed))
      .attribute("start_index_map", std::move(map))
      .attribute("slice_sizes", std::move(sizes));
}

TEST(StableHloGather, TakesSlicesAndMovesThemInside) {
  EXPECT_THAT(gather({1}, {0}, {0}, {1, 4}, {2, -5}).first().second, ElementsAre(8, 9, 10, 11, 0, 1, 2, 3));
  EXPECT_THAT(gather({1}, {0}, {1, 0}, {1, 2}, {3, 1}).first().second, ElementsAre(6, 7));  // column 3 leaves no room for two
  const auto [shape, columns] = gather({0}, {1}, {1}, {3, 1}, {3, 0}).first();
  EXPECT_EQ(shape, Shape({3, 2}));
  EXPECT_THAT(columns, ElementsAre(3, 0, 7, 4, 11, 8));
}

TEST(StableHloGather, RefusesWhatDoesNotFit) {
  EXPECT_THAT(gather({1}, {0}, {0}, {1, 5}, {0}).message(), HasSubstr("a slice of 5 from axis 1 of size 4"));
  EXPECT_THAT(gather({1}, {0}, {0}, {2, 4}, {0}).message(), HasSubstr("axis 0 is collapsed, but its slices have size 2"));
  EXPECT_THAT(gather({1}, {2}, {0}, {1, 4}, {0}).message(), HasSubstr("collapsed_slice_dims names axis 2 of rank 2"));
  EXPECT_THAT(gather({1}, {0}, {0, 0}, {1, 4}, {0, 0}).message(), HasSubstr("start_index_map names axis 0 twice"));
  EXPECT_THAT(gather({}, {0}, {0}, {1, 4}, {0}).message(), HasSubstr("0 offset_dims for slices of rank 1"));
  EXPECT_THAT(gather({1}, {0}, {0}, {1}, {0}).message(), HasSubstr("1 slice sizes for an operand of rank 2"));
  EXPECT_THAT(on("STABLEHLO_GATHER", {3})
                  .input<std::int32_t>({1}, {0})
                  .attribute("slice_sizes", Integers{1})
                  .attribute("index_vector_dim", std::int64_t{2})
                  .message(),
              HasSubstr("index_vector_dim 2 does not fit indices of rank 1"));
}

/// Rows of a 3 x 2 operand.
LightRunner scatter(const std::vector<std::string>& body, std::vector<std::int64_t> rows, std::vector<float> updates) {
  const auto size = static_cast<std::int64_t>(rows.size());
  return on("STABLEHLO_SCATTER", {3, 2})
      .input<std::int64_t>({size}, rows)
      .input<float>({size, 2}, updates)
      .attribute("index_vector_dim", std::int64_t{1})
      .attribute("update_window_dims", Integers{1})
      .attribute("inserted_window_dims", Integers{0})
      .attribute("scatter_dims_to_operand_dims", Integers{0})
      .attribute("update_computation_subgraph_index", std::int64_t{1})
      .body(body);
}

TEST(StableHloScatter, FoldsUpdatesIn) {
  EXPECT_THAT(scatter({}, {2, 0, 2}, {7, 8, 9, 10, 11, 12}).first().second, ElementsAre(9, 10, 2, 3, 11, 12));
  EXPECT_THAT(scatter({"STABLEHLO_ADD"}, {1, 1}, {7, 8, 9, 10}).first().second, ElementsAre(0, 1, 18, 21, 4, 5));
  EXPECT_THAT(scatter({"STABLEHLO_MULTIPLY"}, {1}, {2, 3}).first().second, ElementsAre(0, 1, 4, 9, 4, 5));
  EXPECT_THAT(scatter({"STABLEHLO_MAXIMUM"}, {1}, {7, 0}).first().second, ElementsAre(0, 1, 7, 3, 4, 5));
  EXPECT_THAT(scatter({"STABLEHLO_MINIMUM"}, {1}, {7, 0}).first().second, ElementsAre(0, 1, 2, 0, 4, 5));
  EXPECT_THAT(scatter({}, {3, -1}, {7, 8, 9, 10}).first().second, ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(StableHloScatter, LeavesOutWhatFallsOutside) {
  const auto window = [](std::vector<std::int32_t> start) {
    return on("STABLEHLO_SCATTER", {2, 3})
        .input<std::int32_t>({2}, start)
        .input<float>({2, 2}, {10, 20, 30, 40})
        .attribute("index_vector_dim", std::int64_t{0})
        .attribute("update_window_dims", Integers{0, 1})
        .attribute("scatter_dims_to_operand_dims", Integers{0, 1})
        .attribute("update_computation_subgraph_index", std::int64_t{1})
        .body({})
        .first()
        .second;
  };
  EXPECT_THAT(window({0, 1}), ElementsAre(0, 10, 20, 3, 30, 40));
  EXPECT_THAT(window({1, 2}), ElementsAre(0, 1, 2, 3, 4, 10));
  EXPECT_THAT(window({-1, -1}), ElementsAre(40, 1, 2, 3, 4, 5));
}

TEST(StableHloScatter, RefusesOtherBodiesAndShapes) {
  EXPECT_THAT(scatter({"STABLEHLO_SUBTRACT"}, {1}, {7, 8}).message(), HasSubstr("cannot fold by STABLEHLO_SUBTRACT"));
  EXPECT_THAT(scatter({"ADD", "MUL"}, {1}, {7, 8}).message(), HasSubstr("its body, subgraph 1, has 2 operators, expected 1"));
  EXPECT_THAT(on("STABLEHLO_SCATTER", {2}).input<std::int32_t>({1}, {0}).input<float>({1}, {0}).message(),
              HasSubstr("its body, subgraph -1, does not exist"));
  EXPECT_THAT(on("STABLEHLO_SCATTER", {2, 2})
                  .input<std::int32_t>({3}, {0, 0, 0})
                  .input<float>({1, 2}, {0, 0})
                  .attribute("index_vector_dim", std::int64_t{1})
                  .attribute("update_window_dims", Integers{1})
                  .attribute("inserted_window_dims", Integers{0})
                  .attribute("scatter_dims_to_operand_dims", Integers{0})
                  .attribute("update_computation_subgraph_index", std::int64_t{1})
                  .body({})
                  .message(),
              HasSubstr("axis 0 of the updates has size 1, expected 3"));
}

TEST(ReduceWindow, FoldsEachWindow) {
  const auto run = [](std::string function, std::int64_t dilation) {
    return on("REDUCE_WINDOW", {2, 4})
        .input<float>({}, {1})
        .constant<std::int64_t>({2}, {2, 2})
        .constant<std::int64_t>({2}, {1, 1})
        .constant<std::int64_t>({2}, {1, dilation})
        .attribute("reduce_function", std::move(function));
  };
  EXPECT_THAT(run("ADD", 1).first().second, ElementsAre(11, 15, 19));
  EXPECT_THAT(run("ADD", 2).first().second, ElementsAre(1 + 0 + 2 + 4 + 6, 1 + 1 + 3 + 5 + 7));
  EXPECT_THAT(run("MUL", 2).first().second, ElementsAre(0, 105));
  EXPECT_THAT(run("MAXIMUM", 1).first().second, ElementsAre(5, 6, 7));
  EXPECT_THAT(run("MINIMUM", 1).first().second, ElementsAre(0, 1, 1));
  EXPECT_THAT(run("ALL", 1).first().second, ElementsAre(0, 1, 1));
  EXPECT_EQ(run("ADD", 4).first().first, Shape({1, 0}));
  EXPECT_THAT(run("ADD", 0).message(), HasSubstr("axis 1 has windows of 2, stride 1, dilation 0"));
  EXPECT_THAT(run("ADD", std::int64_t{1} << 60).message(), HasSubstr("axis 1 has windows of 2"));
  EXPECT_THAT(run("UNSUPPORTED", 1).message(), HasSubstr("reduce function 'UNSUPPORTED'"));
}

TEST(ReduceWindow, PadsCropsAndSpreadsFirst) {
  const auto run = [](Integers padding, Integers spread) {
    return on("STABLEHLO_REDUCE_WINDOW", {3})
        .input<float>({}, {100})
        .attribute("window_dimensions", Integers{2})
        .attribute("padding", std::move(padding))
        .attribute("base_dilations", std::move(spread))
        .attribute("body_subgraph_index", std::int64_t{1})
        .body({"ADD"});
  };
  EXPECT_THAT(run({}, {}).first().second, ElementsAre(101, 103));
  EXPECT_THAT(run({1, 0}, {}).first().second, ElementsAre(200, 101, 103));  // the padding is the initial value
  EXPECT_THAT(run({-1, 0}, {}).first().second, ElementsAre(103));
  EXPECT_THAT(run({0, 0}, {2}).first().second, ElementsAre(200, 201, 201, 202));
  EXPECT_THAT(run({1}, {}).message(), HasSubstr("padding has 1 values, expected 2"));
  EXPECT_THAT(run({0, std::int64_t{1} << 39}, {}).message(), HasSubstr("is too large"));
  EXPECT_THAT(run({}, {0}).message(), HasSubstr("a base dilation of 0"));
}

}  // namespace
}  // namespace visq
