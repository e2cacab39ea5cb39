// Parts that two converters write with other operators: a normalization as one operator, or as six.
#include <gtest/gtest.h>

#include <cmath>

#include "quant/pairing.h"
#include "support/models/small_model.h"

namespace visq::quant {
namespace {

using visq::testing::SmallModel;

constexpr std::int64_t kSize = 8;

std::vector<float> wave(double speed, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(std::sin(speed * static_cast<double>(i + 1)));
  return values;
}

std::vector<float> gamma() {
  std::vector<float> values = wave(2, kSize);
  for (float& value : values) value = 1 + value / 2;
  return values;
}

/// Two layers with something between them; where the second layer's weights took the factors of a normalization, they are `scaled`.
template <class Between>
std::shared_ptr<const Model> layers(const std::string& prefix, bool scaled, Between between) {
  SmallModel m(prefix + ".tflite");
  std::vector<float> weights = wave(0.7, kSize * kSize);
  const int x = m.map(prefix + "x", {1, kSize}), first = m.map(prefix + "first", {1, kSize}), last = m.map(prefix + "last", {1, kSize});
  m.op("FULLY_CONNECTED", {x, m.constant(prefix + "w1", {kSize, kSize}, wave(0.3, kSize * kSize)), -1}, {first});
  const int normalized = between(m, first);
  if (scaled) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= gamma()[i % kSize];
  }
  m.op("FULLY_CONNECTED", {normalized, m.constant(prefix + "w2", {kSize, kSize}, weights), -1}, {last});
  return m.finish({x}, {last});
}

int fused(SmallModel& m, int input) {
  const int map = m.map("fused", {1, kSize});
  m.op("RMS_NORM", {input, m.constant("gamma", {kSize}, gamma())}, {map});
  return map;
}

int root_of_mean_square(SmallModel& m, int input) {
  const int square = m.map("square", {1, kSize}), mean = m.map("mean", {1, 1}), more = m.map("more", {1, 1}), root = m.map("root", {1, 1});
  const int map = m.map("normalized", {1, kSize});
  m.op("MUL", {input, input}, {square});
  m.op("MEAN", {square}, {mean});
  m.op("ADD", {mean, m.constant("epsilon", {1}, {1e-6F})}, {more});
  m.op("RSQRT", {more}, {root});
  m.op("MUL", {input, root}, {map});
  return map;
}

int decomposed(SmallModel& m, int input) {
  const int plain = root_of_mean_square(m, input), map = m.map("weighted", {1, kSize});
  m.op("MUL", {plain, m.constant("weight", {kSize}, gamma())}, {map});
  return map;
}

std::string partner_of(const Model& r, const Model& q, const Pairing& pairing, const std::string& name) {
  for (const TensorMatch& match : pairing.matches) {
    if (r.main().tensors[static_cast<std::size_t>(match.reference)].name != name) continue;
    return q.main().tensors[static_cast<std::size_t>(match.quantized)].name + (match.sure ? "" : "?");
  }
  return "";
}

TEST(Blocks, OneOperatorIsSixOfTheOther) {
  const auto r = layers("r", false, decomposed), q = layers("q", false, fused);
  const Pairing pairing = pair_models(*r, *q, {0}).front().pairing;
  EXPECT_EQ(partner_of(*r, *q, pairing, "weighted"), "fused?") << "their values have the last word";
  EXPECT_EQ(partner_of(*r, *q, pairing, "rlast"), "qlast");
}

/// The maps differ by the factors, so that no number about them would mean anything.
TEST(Blocks, FactorsThatWentElsewhereKeepMapsApart) {
  const auto r = layers("r", true, root_of_mean_square), q = layers("q", false, fused);
  const Pairing pairing = pair_models(*r, *q, {0}).front().pairing;
  EXPECT_EQ(partner_of(*r, *q, pairing, "normalized"), "");
  EXPECT_EQ(partner_of(*r, *q, pairing, "rlast"), "qlast");
  int explained = 0;
  for (const UnpairedTensor& tensor : pairing.unpaired) {
    explained += tensor.reason.ends_with(tensor.in_reference ? "before 'qlast' stand there RMS_NORM"
                                                             : "before 'rlast' stand there MUL, MEAN, ADD, RSQRT");
  }
  EXPECT_EQ(explained, 6);
}

TEST(Blocks, HalvesOfFactorsAreOthers) {
  const auto halved = [](SmallModel& m, int input) {
    const int plain = root_of_mean_square(m, input), map = m.map("weighted", {1, kSize});
    std::vector<float> half = gamma();
    for (float& value : half) value /= 2;
    m.op("MUL", {plain, m.constant("weight", {kSize}, half)}, {map});
    return map;
  };
  const auto r = layers("r", false, halved), q = layers("q", false, fused);
  EXPECT_EQ(partner_of(*r, *q, pair_models(*r, *q, {0}).front().pairing, "weighted"), "");
}

/// A decoder layer of Llama as TICO writes it: float with its norms and attention taken apart, and by its quantization wrappers, where the
/// norms are one operator each and the heads stand side by side (made by tests/converters/tico_maps.py, random weights).
TEST(Blocks, OfTicosWrappersPairWithItsFloatModel) {
  const std::string folder = std::string(VISQ_SOURCE_DIR) + "/tests/converters/data/llama_layer_";
  const auto r = load_model(folder + "float.circle"), q = load_model(folder + "uint8.circle");
  ASSERT_TRUE(r.ok() && q.ok());
  const Pairing pairing = pair_models(*r, *q, {0}).front().pairing;
  int layers = 0, attentions = 0;
  for (const TensorMatch& match : pairing.matches) {
    const std::string& name = r->main().tensors[static_cast<std::size_t>(match.reference)].name;
    layers += name.find("Linear::") != std::string::npos;
    attentions += name.find("LlamaAttention::reshape_default_15") != std::string::npos;
  }
  EXPECT_EQ(layers, 7);
  EXPECT_EQ(attentions, 1) << "what the heads give together";
  for (const UnpairedTensor& tensor : pairing.unpaired) EXPECT_NE(tensor.reason.find("stand there"), std::string::npos) << tensor.reason;
}

}  // namespace
}  // namespace visq::quant
