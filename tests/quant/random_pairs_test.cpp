// Pairing of random networks that two converters have written down: names crossed, joined and lost, operators fused, folded, split, turned
// and reordered. The truth is known, since both were written from one description.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "core/as_size.h"
#include "quant/pairing.h"
#include "support/models/twin_networks.h"

namespace visq::quant {
namespace {

using visq::testing::Handwriting;
using visq::testing::Network;
using visq::testing::WrittenNetwork;

struct Score {
  int right = 0, wrong = 0, missed = 0;
  std::string first_fault;
  int all() const { return right + wrong + missed; }
  double share() const { return static_cast<double>(right) / all(); }
};

/// Maps that both files hold, and how many of them were given the right partner. A wrong partner of a map that has none counts too.
void judge(const WrittenNetwork& r, const WrittenNetwork& q, const std::string& what, Score& score) {
  const Pairing pairing = pair_models(*r.model, *q.model, {0}).front().pairing;
  std::set<std::string> there;
  for (const auto& [tensor, word] : q.meaning) there.insert(word);
  std::map<int, int> partner;
  for (const TensorMatch& match : pairing.matches) partner[match.reference] = match.quantized;
  std::set<std::string> seen;
  const auto fault = [&](const std::string& text) {
    if (score.first_fault.empty()) score.first_fault = what + ": " + text;
  };
  for (const auto& [tensor, word] : r.meaning) {
    const auto found = partner.find(tensor);
    const std::string other = found == partner.end() ? "" : q.meaning.contains(found->second) ? q.meaning.at(found->second) : "?";
    if (!other.empty() && other != word) {
      ++score.wrong;
      fault("'" + word + "' goes with '" + other + "'");
    } else if (!other.empty()) {
      if (seen.insert(word).second) ++score.right;
    }
  }
  for (const auto& [tensor, word] : r.meaning) {
    if (!there.contains(word) || word.ends_with("turned") || !seen.insert(word).second) continue;
    ++score.missed;
    fault("'" + word + "' is left alone");
  }
}

std::string describe(int seed, const Handwriting& r, const Handwriting& q) {
  std::string text = "seed " + std::to_string(seed) + " names " + std::to_string(static_cast<int>(q.names));
  const auto add = [&](const char* word, bool there) { text += there ? std::string(" ") + word : ""; };
  for (const Handwriting* hand : {&r, &q}) {
    text += hand == &r ? " | r" : " | q";
    add("int8", hand->quantized), add("requantizes", hand->requantizes), add("fuses", hand->fuses), add("drops", hand->drops_relu);
    add("folds", hand->folds), add("transposes", hand->transposes), add("cuts", hand->cuts), add("shuffles", hand->shuffles);
    add("noise", hand->weight_noise > 0);
  }
  return text;
}

TEST(RandomPairs, OfOneNetworkAreRight) {
  Score all;
  for (int seed = 0; seed < 400; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const Network network = visq::testing::random_network(random);
    const Handwriting r = visq::testing::random_float_handwriting(random), q = visq::testing::random_twin_handwriting(random);
    const WrittenNetwork reference = visq::testing::write_network(network, r, random);
    judge(reference, visq::testing::write_network(network, q, random), describe(seed, r, q), all);
  }
  RecordProperty("pairs", all.all());
  RecordProperty("right", all.right);
  EXPECT_GE(all.all(), 1000);
  EXPECT_GE(all.share(), 0.995) << all.wrong << " wrong, " << all.missed << " missed of " << all.all() << ", e.g. " << all.first_fault;
}

/// Nothing but the graph inputs, which are fed alike, pairs where the networks are not the same.
TEST(RandomPairs, OfUnrelatedNetworksDoNotExist) {
  int compared = 0;
  for (int seed = 0; seed < 200; ++seed) {
    std::mt19937 random(static_cast<std::uint32_t>(seed) + 5000);
    Handwriting r = visq::testing::random_float_handwriting(random), q = visq::testing::random_twin_handwriting(random);
    q.names = Handwriting::Names::kLost;
    q.prefix = "other/";
    const WrittenNetwork reference = visq::testing::write_network(visq::testing::random_network(random), r, random);
    const WrittenNetwork quantized = visq::testing::write_network(visq::testing::random_network(random), q, random);
    const Pairing pairing = pair_models(*reference.model, *quantized.model, {0}).front().pairing;
    compared += static_cast<int>(reference.meaning.size());
    for (const TensorMatch& match : pairing.matches) {
      EXPECT_EQ(reference.meaning.at(match.reference), "input")
          << "seed " << seed << ": " << reference.meaning.at(match.reference) << " with " << quantized.meaning.at(match.quantized);
    }
  }
  EXPECT_GE(compared, 1000);
}

}  // namespace
}  // namespace visq::quant
