#include "core/as_size.h"
#include "support/models/twin_networks.h"

namespace visq::testing {
namespace {

using Kind = NetworkLayer::Kind;
using Names = Handwriting::Names;

int draw(std::mt19937& random, int below) { return static_cast<int>(random() % static_cast<std::uint32_t>(below)); }
bool one_in(std::mt19937& random, int n) { return draw(random, n) == 0; }

/// Grows a network layer by layer.
class Grower {
 public:
  explicit Grower(std::mt19937& random) : random_(random) {}

  Network grow() {
    int at = layer(Kind::kConv, {-1}, 8);
    for (int blocks = 1 + draw(random_, 4); blocks > 0; --blocks) at = block(at);
    const int branches = 2 + draw(random_, 3), depth = 1 + draw(random_, 3);
    std::vector<int> ends;
    const std::vector<bool> depthwise{one_in(random_, 2), one_in(random_, 3), one_in(random_, 4)};
    for (int branch = 0; branch < branches; ++branch) ends.push_back(head(at, branch, depth, depthwise));
    if (one_in(random_, 2)) {
      net_.outputs = {layer(Kind::kConcat, ends, 8 * branches)};
    } else {
      net_.outputs = ends;
    }
    return std::move(net_);
  }

 private:
  int layer(Kind kind, std::vector<int> inputs, int channels) {
    NetworkLayer added;
    added.kind = kind;
    added.inputs = std::move(inputs);
    added.channels = channels;
    added.seed = static_cast<std::uint32_t>(random_());
    const bool weights = kind == Kind::kConv || kind == Kind::kDepthwise;
    added.batch_norm = weights && one_in(random_, 2);
    added.relu = (weights || kind == Kind::kAdd) && !one_in(random_, 4);
    net_.layers.push_back(std::move(added));
    return static_cast<int>(net_.layers.size()) - 1;
  }

  int block(int at) {
    switch (draw(random_, 6)) {
      case 0:
        return layer(Kind::kConv, {at}, 8);
      case 1:
        return layer(Kind::kConv, {layer(Kind::kDepthwise, {at}, 8)}, 8);
      case 2:
        return layer(Kind::kAdd, {at, layer(Kind::kConv, {layer(Kind::kConv, {at}, 8)}, 8)}, 8);
      case 3:
        return layer(Kind::kGate, {at, layer(Kind::kSquash, {layer(Kind::kConv, {at}, 8)}, 8)}, 8);
      case 4:
        return pools(at);
      default:
        return halves(at);
    }
  }

  /// Pools of several windows side by side, told apart by their windows only.
  int pools(int at) {
    std::vector<int> parts{at};
    for (const int window : {3, 5, 7}) {
      parts.push_back(layer(Kind::kPool, {at}, 8));
      net_.layers.back().window = window;
    }
    return layer(Kind::kConv, {layer(Kind::kConcat, parts, 32)}, 8);
  }

  /// Two halves that go separate ways: told apart by where they come from and what they feed.
  int halves(int at) {
    std::vector<int> parts;
    for (int part = 0; part < 2; ++part) {
      const int half = layer(Kind::kSplit, {at}, 4);
      net_.layers.back().part = part;
      parts.push_back(layer(one_in(random_, 2) ? Kind::kSquash : Kind::kConv, {half}, 4));
    }
    return layer(Kind::kConcat, parts, 8);
  }

  int head(int at, int branch, int depth, const std::vector<bool>& depthwise) {
    for (int i = 0; i < depth; ++i) {
      at = layer(depthwise[as_size(i)] ? Kind::kDepthwise : Kind::kConv, {at}, 8);
      net_.layers.back().branch = branch;
      net_.layers.back().relu = i + 1 < depth;
      net_.layers.back().batch_norm = i + 1 < depth;
    }
    return at;
  }

  std::mt19937& random_;
  Network net_;
};

}  // namespace

Network random_network(std::mt19937& random) { return Grower(random).grow(); }

Handwriting random_float_handwriting(std::mt19937& random) {
  Handwriting hand;
  hand.fuses = one_in(random, 2);
  hand.folds = one_in(random, 2);
  hand.transposes = one_in(random, 3);
  hand.cuts = one_in(random, 2);
  return hand;
}

Handwriting random_twin_handwriting(std::mt19937& random) {
  Handwriting hand = random_float_handwriting(random);
  hand.names = static_cast<Names>(draw(random, 6));
  hand.quantized = !one_in(random, 5);
  hand.requantizes = hand.quantized && one_in(random, 2);
  hand.drops_relu = hand.quantized && one_in(random, 3);
  hand.folds = !one_in(random, 4);
  hand.shuffles = one_in(random, 2);
  hand.weight_noise = one_in(random, 3) ? 0.1F : 0;
  return hand;
}

}  // namespace visq::testing
