// Rules outweigh what the models say.
#include <gtest/gtest.h>

#include "quant/pairing.h"
#include "support/models/small_model.h"

namespace visq::quant {
namespace {

using visq::testing::SmallModel;

/// x -> p -> (a, b), then RELU of each.
std::shared_ptr<const Model> branches() {
  SmallModel m("m.tflite");
  const int x = m.map("x", {4}), a = m.map("a", {4}), b = m.map("b", {4}), c = m.map("c", {4}), d = m.map("d", {4});
  m.op("TANH", {x}, {a});
  m.op("TANH", {x}, {b});
  m.op("ABS", {a}, {c});
  m.op("ABS", {b}, {d});
  return m.finish({x}, {c, d});
}

const TensorMatch* match_of(const Pairing& pairing, int reference) {
  for (const TensorMatch& match : pairing.matches) {
    if (match.reference == reference) return &match;
  }
  return nullptr;
}

TEST(PairingRules, PairsAndWhatFollowsThem) {
  const auto model = branches();
  const Pairing pairing = pair_models(*model, *model, {0}, {{1, 2, PairedBy::kUser, 0, false}}).front().pairing;
  ASSERT_NE(match_of(pairing, 1), nullptr);
  EXPECT_EQ(match_of(pairing, 1)->quantized, 2);
  EXPECT_EQ(match_of(pairing, 1)->by, PairedBy::kUser);
  ASSERT_NE(match_of(pairing, 2), nullptr);
  EXPECT_EQ(match_of(pairing, 2)->quantized, 1) << "its namesake is taken, the other does the same";
}

TEST(PairingRules, KeepMapsApart) {
  const auto model = branches();
  const Pairing pairing = pair_models(*model, *model, {0}, {{1, -1, PairedBy::kUser, 0, false}}).front().pairing;
  EXPECT_EQ(match_of(pairing, 1), nullptr);
  ASSERT_EQ(pairing.unpaired.size(), 2U);
  EXPECT_EQ(pairing.unpaired[0].reason, "left without partner on demand");
}

TEST(PairingRules, DoubtfulPairsAreListedOnce) {
  const auto model = branches();
  const Pairing pairing = pair_models(*model, *model, {0}, {{1, 1, PairedBy::kMaps, 0.1, true}}).front().pairing;
  EXPECT_EQ(match_of(pairing, 1), nullptr);
  ASSERT_EQ(pairing.doubtful.size(), 1U);
  EXPECT_EQ(pairing.doubtful[0].reference, 1);
  EXPECT_TRUE(pairing.unpaired.empty());
}

}  // namespace
}  // namespace visq::quant
