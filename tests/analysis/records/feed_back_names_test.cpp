// What --feed-back names.
#include <gmock/gmock.h>

#include "support/models/small_model.h"
#include "visq/sequence.h"

namespace visq {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using visq::testing::SmallModel;

/// Two layers of caches, out_k0 … out_v1, and what goes with none of them.
std::shared_ptr<const Model> decoder() {
  SmallModel small("d.tflite");
  std::vector<int> inputs, outputs;
  for (const char* cache : {"k0", "v0", "k1", "v1"}) {
    inputs.push_back(small.map(std::string("in_") + cache, {1}));
    outputs.push_back(small.map(std::string("out_") + cache, {1}));
    small.op("NEG", {inputs.back()}, {outputs.back()});
  }
  outputs.push_back(small.map("a=b*", {1}));
  small.op("NEG", {inputs[0]}, {outputs.back()});
  return small.finish(inputs, outputs);
}

std::vector<std::string> links(const std::string& text) {
  const auto model = decoder();
  const auto found = feed_backs(*model, nullptr, text);
  if (!found.ok()) return {found.error().message};
  std::vector<std::string> all;
  for (const FeedBack& link : *found) all.push_back(link.output + " " + link.input);
  return all;
}

TEST(FeedBacks, OneOutputAndOneInputMayBeAnyNames) {
  EXPECT_THAT(links("out_k0=in_k0"), ElementsAre("out_k0 in_k0"));
  EXPECT_THAT(links("x=y=z"), ElementsAre("x=y z")) << "the last = splits; who links them says that there are none";
}

TEST(FeedBacks, AStarStandsForTheSamePartOnBothSides) {
  EXPECT_THAT(links("out_k*=in_k*"), ElementsAre("out_k0 in_k0", "out_k1 in_k1"));
  EXPECT_THAT(links("out_*1=in_*1"), ElementsAre("out_k1 in_k1", "out_v1 in_v1"));
  EXPECT_THAT(links("out_*"), ElementsAre("out_k0 out_k0", "out_v0 out_v0", "out_k1 out_k1", "out_v1 out_v1"));
}

TEST(FeedBacks, AnOutputThatIsCalledSoIsNoPattern) { EXPECT_THAT(links("a=b*=in_k0"), ElementsAre("a=b* in_k0")); }

TEST(FeedBacks, OutputsOfTheTwinCountWhereNoneOfTheModelFits) {
  SmallModel small("f.tflite");
  const int x = small.map("x", {1}), y = small.map("y", {1});
  small.op("NEG", {x}, {y});
  const auto model = small.finish({x}, {y});
  const auto found = feed_backs(*model, decoder().get(), "out_k*=in_k*");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->size(), 2U);
}

TEST(FeedBacks, WhatFitsNothingIsNamed) {
  EXPECT_THAT(links("cache_*"), ElementsAre("--feed-back: no graph output of d.tflite fits 'cache_*'"));
  EXPECT_THAT(links("out_*=in"), ElementsAre(HasSubstr("has not one * on each side")));
  EXPECT_THAT(links("out_*_*"), ElementsAre(HasSubstr("has not one * on each side")));
  EXPECT_THAT(links("out_k0"), ElementsAre(HasSubstr("is neither OUTPUT=INPUT nor names with one *")));
}

}  // namespace
}  // namespace visq
