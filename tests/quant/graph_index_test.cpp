#include "quant/graph_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/models/small_model.h"

namespace visq::quant {
namespace {

using ::testing::ElementsAre;
using testing::SmallModel;

TEST(GraphIndex, AStateHasNoMakerForThereIsNoWayBackInTime) {
  SmallModel model;
  const int input = model.map("in", {2}), state = model.variable("state", {2}), output = model.map("out", {2});
  model.op("RELU", {state}, {output});
  model.op("QUANTIZE", {input}, {state});
  const auto built = model.finish({input}, {output});
  const GraphIndex index(built->main());
  EXPECT_EQ(index.maker(state), -1);
  EXPECT_EQ(index.origin(state), state);
  EXPECT_TRUE(index.is_feature_map(state));
  EXPECT_THAT(index.readers(state), ElementsAre(0));
  EXPECT_EQ(index.maker(output), 0);
}

/// The loader refuses such a graph; walks over one that was built otherwise end all the same.
TEST(GraphIndex, MakersStandBeforeTheirReadersEvenInARing) {
  SmallModel model;
  const int a = model.variable("a", {2}), b = model.variable("b", {2});
  model.op("QUANTIZE", {b}, {a});
  model.op("QUANTIZE", {a}, {b});
  model.op("QUANTIZE", {a}, {a});
  const auto built = model.finish({}, {a});
  const GraphIndex index(built->main());
  for (std::size_t i = 0; i < built->main().operators.size(); ++i) {
    for (const int input : built->main().operators[i].inputs) EXPECT_LT(index.maker(input), static_cast<int>(i));
  }
}

TEST(GraphIndex, QuantizeWithoutOutputsPassesNothingOn) {
  SmallModel model;
  const int input = model.map("in", {2});
  model.op("QUANTIZE", {input}, {});
  model.op("QUANTIZE", {}, {});
  const auto built = model.finish({input}, {});
  const GraphIndex index(built->main());
  EXPECT_FALSE(index.passes_through(0));
  EXPECT_FALSE(index.passes_through(1));
}

}  // namespace
}  // namespace visq::quant
