// Causes that lie in the network's structure, on the smallest networks that have them; what each repair wins is held against the same
// network quantized as the fix says.
#include <gtest/gtest.h>

#include "model/model_edit.h"
#include "twin_network.h"

namespace visq::testing {
namespace {

constexpr int kRecords = 12;

/// Records of `width` normal values, changed by `change`.
template <class Change>
std::vector<Array> records_of(std::int64_t width, Change change) {
  std::vector<Array> records;
  for (unsigned i = 0; i < kRecords; ++i) {
    std::vector<float> values = normal_values(static_cast<std::size_t>(width), 50 + i);
    change(values, i);
    records.push_back(float_array({1, width}, values));
  }
  return records;
}

void set_pool(Operator& op, std::int64_t size) {
  op.attributes.set("padding", std::string("VALID"));
  for (const char* side : {"stride_w", "stride_h", "filter_width", "filter_height"}) op.attributes.set(side, size);
  op.attributes.set("fused_activation_function", std::string("NONE"));
}

/// One pixel in 64 holds a peak, so that the mean is small: the pool's output must keep the peaks' scale.
TEST(StructuralCauses, MeanOfSparseFeaturesOnTheScaleOfTheirPeaks) {
  constexpr std::int64_t kSide = 8, kChannels = 4;
  TwinNetwork twin;
  const int x = twin.map("x", {1, kSide, kSide, kChannels}, {0, 40}), y = twin.map("y", {1, 1, 1, kChannels}, {0, 40});
  set_pool(twin.fp32_op("AVERAGE_POOL_2D", {x}, y), kSide);
  set_pool(twin.int8_op("AVERAGE_POOL_2D", {x}, y), kSide);
  twin.finish(x, y);
  std::vector<Array> records;
  for (unsigned i = 0; i < kRecords; ++i) {
    std::vector<float> values(kSide * kSide * kChannels, 0);
    for (unsigned c = 0; c < kChannels; ++c)
      values[(i * 4 + c * 3) * static_cast<unsigned>(kChannels) + c] = 15 + 25 * static_cast<float>((i + c) % kRecords) / kRecords;
    records.push_back(float_array({1, kSide, kSide, kChannels}, values));
  }
  const Finding finding = finding_of(twin.diagnose_on(records), "SHARED_SCALE");
  EXPECT_EQ(finding.name, "y");
  EXPECT_NEAR(evidence_of(finding, "range_over_need"), 64 * 40 / (15 + 25.0 * 11 / 12), 0.1) << "one of 64 values is not zero";
  // A grid of its own is 64 / 1.05 times finer; the input's rounding, a 64th of it behind the pool, is left.
  EXPECT_GT(finding.gain_db, 20);
  EXPECT_NE(finding.fix.find("MEAN"), std::string::npos);
}

/// Four scores, two of which a bias masks.
TEST(StructuralCauses, MaskBesideScores) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 4}, {-4, 4}), z = twin.map("z", {1, 4}, {-10000, 10}), y = twin.map("y", {1, 4}, {0, 255.0F / 256});
  const int w = twin.weights("w", 4, 4, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2});
  const int b = twin.bias("b", {0, 0, -10000, -10000}, x, w);
  twin.op("FULLY_CONNECTED", {x, w, b}, z);
  twin.fp32_op("SOFTMAX", {z}, y).attributes.set("beta", 1.0);
  twin.int8_op("SOFTMAX", {z}, y).attributes.set("beta", 1.0);
  twin.finish(x, y);
  const DiagnoseResult result = twin.diagnose_on(records_of(4, [](auto&, unsigned) {}));
  const Finding& first = result.findings.at(0);
  EXPECT_EQ(first.cause, "MASKED_VALUES") << first.text;
  EXPECT_EQ(first.name, "z");
  EXPECT_NEAR(evidence_of(first, "masked_share"), 0.5, 1e-9);
  EXPECT_GT(first.gain_db, 20);
  EXPECT_EQ(first.mode, Mode::kInteger) << "a range can be written into the file";
}

/// Both softmaxes read scores to which one constant adds the mask: only with both repaired is anything won, and that is written as a
/// constant of -30.
TEST(StructuralCauses, OneMaskBeforeTwoSoftmaxes) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 4}, {-4, 4}), mask = twin.weights("mask", 1, 4, {0, 0, -10000, -10000});
  const int z1 = twin.map("z1", {1, 4}, {-10000, 10}), z2 = twin.map("z2", {1, 4}, {-10000, 10});
  const int p1 = twin.map("p1", {1, 4}, {0, 255.0F / 256}), p2 = twin.map("p2", {1, 4}, {0, 255.0F / 256});
  const int half = twin.map("half", {1, 4}, {-2, 2}), y = twin.map("y", {1, 4}, {0, 2});
  const int w = twin.weights("w", 4, 4, {0.5, 0, 0, 0, 0, -0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5});
  twin.op("FULLY_CONNECTED", {x, w, -1}, half);
  twin.op("ADD", {x, mask}, z1);
  twin.op("ADD", {half, mask}, z2);
  for (const auto& [in, out] : {std::pair(z1, p1), std::pair(z2, p2)}) {
    twin.fp32_op("SOFTMAX", {in}, out).attributes.set("beta", 1.0);
    twin.int8_op("SOFTMAX", {in}, out).attributes.set("beta", 1.0);
  }
  twin.op("ADD", {p1, p2}, y);
  twin.finish(x, y);
  const Finding first = twin.diagnose_on(records_of(4, [](auto&, unsigned) {})).findings.at(0);
  EXPECT_EQ(first.cause, "MASKED_VALUES") << first.text;
  EXPECT_EQ(evidence_of(first, "maps"), 2);
  EXPECT_EQ(first.mode, Mode::kInteger) << "the constant can be written into the file";
  EXPECT_NE(first.fix.find("mask with -30"), std::string::npos) << first.fix;
  EXPECT_GT(first.gain_db, 20) << "both are right again";
}

TEST(StructuralCauses, ScoresWithoutAMaskAreNotCut) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 4}, {-4, 4}), y = twin.map("y", {1, 4}, {0, 255.0F / 256});
  twin.fp32_op("SOFTMAX", {x}, y).attributes.set("beta", 1.0);
  twin.int8_op("SOFTMAX", {x}, y).attributes.set("beta", 1.0);
  twin.finish(x, y);
  EXPECT_EQ(finding_of(twin.diagnose_on(records_of(4, [](auto&, unsigned) {})), "MASKED_VALUES").cause, "");
}

/// Scores from 10 down to -200, of which the softmax feels the largest alone.
TEST(StructuralCauses, ScoresThatReachFarDown) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {-200, 10}), y = twin.map("y", {1, 8}, {0, 255.0F / 256});
  twin.op("SOFTMAX", {x}, y);
  twin.finish(x, y);
  const auto scores = [](std::vector<float>& values, unsigned record) {
    for (unsigned i = 0; i < values.size(); ++i) values[i] = 10 - static_cast<float>((i * kRecords + record) * 29 % 96) * 210 / 95;
    values[record % 8] = 8 + static_cast<float>(record) / 6;
    values[(record + 3) % 8] = 8.3F + static_cast<float>(record % 5) / 4;
  };
  const Finding finding = finding_of(twin.diagnose_on(records_of(8, scores)), "SOFTMAX_TAIL");
  EXPECT_EQ(finding.name, "x");
  EXPECT_NE(finding.fix.find("cut its range off"), std::string::npos) << finding.fix;
  EXPECT_GT(finding.gain_db, 6) << "a quarter of the range has steps four times finer";
}

TEST(StructuralCauses, ExponentialAtTheEnd) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {0, 10}), y = twin.map("y", {1, 8}, {0, 22026});
  twin.op("EXP", {x}, y);
  twin.finish(x, y);
  const auto spread = [](std::vector<float>& values, unsigned record) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 12 + record) % 96) * 10 / 96;
  };
  const Finding first = twin.diagnose_on(records_of(8, spread)).findings.at(0);
  EXPECT_EQ(first.cause, "COARSE_OUTPUT") << first.text;
  // Values below five steps of 86.4 are those of x below ln 432 = 6.07, of 0 … 9.9.
  EXPECT_NEAR(evidence_of(first, "coarse_share"), 6.07 / 10, 0.02);
  EXPECT_NEAR(evidence_of(first, "zero_share"), std::log(43.2) / 10, 0.02);
  EXPECT_NE(first.fix.find("logarithm"), std::string::npos);
}

/// Eight channels, the first of which is a thousand times the others; its weights are a thousandth of theirs.
struct UnequalInputs : TwinNetwork {
  UnequalInputs() {
    const int x = map("x", {1, 8}, {-3500, 3500}), y = map("y", {1, 4}, {-12, 12});
    std::vector<float> values = normal_values(32, 3);
    for (std::size_t i = 0; i < values.size(); i += 8) values[i] *= 1e-3F;
    const int w = weights("w", 4, 8, values);
    op("FULLY_CONNECTED", {x, w, -1}, y);
    finish(x, y);
  }
  static std::vector<Array> records() {
    return records_of(8, [](std::vector<float>& values, unsigned) { values[0] *= 1000; });
  }
};

TEST(StructuralCauses, InputChannelsOfVeryDifferentScale) {
  const Finding first = UnequalInputs().diagnose_on(UnequalInputs::records()).findings.at(0);
  EXPECT_EQ(first.cause, "INPUT_SCALES") << first.text;
  EXPECT_EQ(evidence_of(first, "largest_channel"), 0);
  EXPECT_EQ(evidence_of(first, "lost_channels"), 7);
  EXPECT_EQ(evidence_of(first, "lost_weights"), 1);
  EXPECT_GT(first.gain_db, 25) << "8 bits of normalized data hold some 35 dB";
}

/// A large channel that lies beside zero as well: its mean goes, and takes with it what the rounding of its weights makes of it.
TEST(StructuralCauses, InputChannelsThatLieBesideZeroAreCentered) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {0, 110000}), y = twin.map("y", {1, 4}, {-12, 12});
  std::vector<float> values = normal_values(32, 3), shift(4, 0);
  for (std::size_t i = 0; i < values.size(); i += 8) values[i] *= 4e-4F, shift[i / 8] = -100000 * values[i];
  const int w = twin.weights("w", 4, 8, values);
  twin.op("FULLY_CONNECTED", {x, w, twin.bias("b", shift, x, w)}, y);
  twin.finish(x, y);
  const auto beside = [](std::vector<float>& all, unsigned) { all[0] = 100000 + 2500 * std::clamp(all[0], -3.0F, 3.0F); };
  const Finding finding = finding_of(twin.diagnose_on(records_of(8, beside)), "INPUT_SCALES");
  EXPECT_NE(finding.fix.find("take "), std::string::npos) << finding.fix;
  EXPECT_GT(finding.gain_db, 30) << "8 bits of normalized data hold some 35 dB; divided by its reach alone, a deviation had six steps";
}

TEST(StructuralCauses, ValuesFarFromZero) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 6}, {0, 300}), y = twin.map("y", {1, 3}, {-20, 20});
  const std::vector<float> values = normal_values(18, 5);
  const int w = twin.weights("w", 3, 6, values);
  std::vector<float> shift(3, 0);
  for (std::size_t i = 0; i < values.size(); ++i) shift[i / 6] -= 290 * std::round(values[i] * 1000) / 1000;
  const int b = twin.bias("b", shift, x, w);
  twin.op("FULLY_CONNECTED", {x, w, b}, y);
  twin.finish(x, y);
  const auto kelvin = [](std::vector<float>& all, unsigned) {
    for (float& value : all) value = 290 + 3 * std::clamp(value, -3.0F, 3.0F);
  };
  const Finding finding = finding_of(twin.diagnose_on(records_of(6, kelvin)), "FAR_FROM_ZERO");
  EXPECT_EQ(finding.name, "x");
  EXPECT_GT(evidence_of(finding, "range_over_span"), 15);
  EXPECT_TRUE(finding.tried);
}

/// A bias of which int32 holds nothing: some converters store INT32_MIN whatever the sign.
TEST(StructuralCauses, BiasAtTheWrongEndOfInt32) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {-3, 3}), y = twin.map("y", {1, 4}, {-10, 10});
  std::vector<float> values = normal_values(32, 9);
  for (std::size_t i = 8; i < 16; ++i) values[i] *= 1e-12F;
  const int w = twin.weights("w", 4, 8, values);
  const int b = twin.bias("b", {0.1F, 5, -0.3F, 0.2F}, x, w, INT32_MIN);
  twin.op("FULLY_CONNECTED", {x, w, b}, y);
  twin.finish(x, y);
  const Finding first = twin.diagnose_on(records_of(8, [](auto&, unsigned) {})).findings.at(0);
  EXPECT_EQ(first.cause, "BIAS_OVERFLOW") << first.text;
  EXPECT_EQ(evidence_of(first, "first_channel"), 1);
  EXPECT_GT(first.gain_db, 10);
}

/// Two layers; the map between them has one channel 50 times the others, which the second layer's weights take back.
TEST(StructuralCauses, ChannelsOfOneMapThatDifferManyTimes) {
  constexpr std::int64_t kWidth = 8;
  TwinNetwork twin;
  const int x = twin.map("x", {1, kWidth}, {-4.5F, 4.5F}), h = twin.map("h", {1, kWidth}, {-450, 450}),
            y = twin.map("y", {1, 4}, {-60, 60});
  std::vector<float> first = normal_values(kWidth * kWidth, 1), second = normal_values(4 * kWidth, 2);
  for (std::size_t i = 0; i < kWidth; ++i) first[i] *= 50;
  for (std::size_t i = 0; i < second.size(); i += kWidth) second[i] /= 50;
  const int w1 = twin.weights("w1", kWidth, kWidth, first), w2 = twin.weights("w2", 4, kWidth, second);
  twin.op("FULLY_CONNECTED", {x, w1, -1}, h);
  twin.op("FULLY_CONNECTED", {h, w2, -1}, y);
  twin.finish(x, y);
  const Finding finding = finding_of(twin.diagnose_on(records_of(kWidth, [](auto&, unsigned) {})), "UNBALANCED_CHANNELS");
  EXPECT_EQ(finding.name, "h");
  EXPECT_EQ(evidence_of(finding, "channel"), 0);
  EXPECT_GT(evidence_of(finding, "output_share"), 0.5);
  EXPECT_GT(finding.gain_db, 5);
}

/// A normalization x / sqrt(x): one record's value is far smaller than the others'.
TEST(StructuralCauses, RootOfAVarianceNearZero) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {0, 4}), r = twin.map("r", {1, 8}, {0, 4.7F}), y = twin.map("y", {1, 8}, {0, 2});
  twin.op("RSQRT", {x}, r);
  twin.op("MUL", {x, r}, y);
  twin.finish(x, y);
  const auto positive = [](std::vector<float>& values, unsigned record) {
    for (float& value : values) value = 1 + std::fabs(value);
    if (record == 3) values[0] = 12.0F / 255;  // three steps
  };
  const Finding finding = finding_of(twin.diagnose_on(records_of(8, positive)), "VANISHING_VARIANCE");
  EXPECT_EQ(finding.name, "r");
  EXPECT_NEAR(evidence_of(finding, "least_variance"), 12.0 / 255, 1e-4);
  EXPECT_NE(finding.fix.find("epsilon"), std::string::npos);
  EXPECT_GT(finding.gain_db, 0.5) << "the output's own rounding stays";
}

/// A table of token vectors, the first of which is 30 times the others.
TEST(StructuralCauses, OneLargeRowOfATable) {
  constexpr std::int64_t kTokens = 16, kWidth = 8;
  TwinNetwork twin;
  std::vector<float> table = normal_values(kTokens * kWidth, 4);
  float reach = 0;
  for (std::size_t i = 0; i < kWidth; ++i) reach = std::max(reach, std::fabs(table[i] *= 30));
  const int y = twin.tokens_and_rows(kTokens, kWidth, table, reach);
  twin.finish(0, y);
  const Finding finding = finding_of(twin.diagnose_on_tokens(kTokens), "EMBEDDING_ROWS");
  EXPECT_EQ(evidence_of(finding, "row"), 0);
  EXPECT_GT(evidence_of(finding, "largest_over_median"), 15);
  EXPECT_GT(finding.gain_db, 5);
}

/// An unrolled recurrence whose first and second step share a bias, though their inputs have other scales.
TEST(StructuralCauses, BiasThatTwoStepsShare) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {-4.5F, 4.5F}), h = twin.map("h", {1, 8}, {-14, 14}), y = twin.map("y", {1, 8}, {-60, 60});
  const int w = twin.weights("w", 8, 8, normal_values(64, 6));
  const int b = twin.bias("b", normal_values(8, 7), x, w);
  twin.op("FULLY_CONNECTED", {x, w, b}, h);
  twin.op("FULLY_CONNECTED", {h, w, b}, y);
  twin.finish(x, y);
  const DiagnoseResult result = twin.diagnose_on(records_of(8, [](auto&, unsigned) {}));
  const bool named = finding_of(result, "FILE_DEFECT").name == "y" || finding_of(result, "BIAS_CORRUPT").name == "y";
  EXPECT_TRUE(named) << "kernels take the second step's bias four times as large";
}

/// Both of the first layers' maps are fine; nothing explains, and then nothing but the residue is left.
TEST(StructuralCauses, WhereNothingIsOddTheResidueSaysWhatWasRuledOut) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 16}, {-4.5F, 4.5F}), y = twin.map("y", {1, 16}, {-16, 16});
  const int w = twin.weights("w", 16, 16, normal_values(256, 8), 2);  // five steps for each row
  twin.op("FULLY_CONNECTED", {x, w, -1}, y);
  twin.finish(x, y);
  const DiagnoseResult result = twin.diagnose_on(records_of(16, [](auto&, unsigned) {}));
  ASSERT_FALSE(result.damage.harmless());
  ASSERT_FALSE(result.findings.empty());
  for (std::size_t i = 0; i + 1 < result.findings.size(); ++i) {
    const bool residue = result.findings[i].cause == "DEGRADED" || result.findings[i].cause == "ACCUMULATED";
    const bool cause = result.findings[i + 1].tried && result.findings[i + 1].gain_db >= 1 && result.findings[i + 1].cause != "DEGRADED";
    EXPECT_FALSE(residue && cause) << result.findings[i].cause << " stands before " << result.findings[i + 1].cause;
  }
}

/// Boxes in pixels joined with scores: the error of all values together is small, and the scores are lost.
TEST(StructuralCauses, ScoresBesideBoxesInOneOutput) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {-4.5F, 4.5F}), boxes = twin.map("boxes", {1, 4}, {-600, 600});
  const int scores = twin.map("scores", {1, 4}, {-600, 600}), y = twin.map("y", {1, 8}, {-600, 600});
  std::vector<float> pixels = normal_values(32, 11), small = normal_values(32, 12);
  for (float& value : pixels) value *= 60;
  for (float& value : small) value *= 0.5F;
  const int w1 = twin.weights("w1", 4, 8, pixels), w2 = twin.weights("w2", 4, 8, small);
  twin.op("FULLY_CONNECTED", {x, w1, -1}, boxes);
  twin.op("FULLY_CONNECTED", {x, w2, -1}, scores);
  twin.fp32_op("CONCATENATION", {boxes, scores}, y).attributes.set("axis", std::int64_t{1});
  twin.int8_op("CONCATENATION", {boxes, scores}, y).attributes.set("axis", std::int64_t{1});
  twin.finish(x, y);
  const DiagnoseResult result = twin.diagnose_on(records_of(8, [](auto&, unsigned) {}));
  EXPECT_GT(result.output_sqnr.at(0), 30) << "the boxes rule it";
  EXPECT_LT(result.damage.sqnr, 5) << "a score's deviation is 1.4, a step 4.7";
  EXPECT_FALSE(result.damage.harmless());
  const Finding& first = result.findings.at(0);
  EXPECT_EQ(first.cause, "UNBALANCED_CONCAT") << first.text;
  EXPECT_GE(first.severity, Severity::kWarning);
  EXPECT_NE(first.fix.find("separate outputs"), std::string::npos) << first.fix;
}

/// A bias of 70000 in float16, whose largest number is 65504.
TEST(StructuralCauses, ConstantThatFloat16CannotHold) {
  SmallModel fp32("fp32.tflite"), fp16("fp16.tflite");
  const int x = fp32.map("x", {1, 2}), y = fp32.map("y", {1, 2});
  fp32.op("ADD", {x, fp32.constant("c", {2}, {70000, 1})}, {y});
  fp16.map("x", {1, 2}), fp16.map("y", {1, 2});
  const int c = fp16.constant("c", {2}, {0, 0}), wide = fp16.map("wide", {2});
  fp16.op("DEQUANTIZE", {c}, {wide});
  fp16.op("ADD", {x, wide}, {y});
  ModelEdit halves;
  halves[c].dtype = DType::kFloat16;
  halves[c].data = std::vector<std::byte>{std::byte{0xff}, std::byte{0x7b}, std::byte{0x00}, std::byte{0x3c}};  // 65504, 1
  TwinNetwork twin;
  twin.reference = fp32.finish({x}, {y});
  twin.quantized = edited(*fp16.finish({x}, {y}), halves);
  const Finding finding = finding_of(twin.diagnose_on(records_of(2, [](auto&, unsigned) {})), "FILE_DEFECT");
  EXPECT_EQ(finding.name, "y");
  EXPECT_NE(finding.text.find("65504"), std::string::npos) << finding.text;
  EXPECT_EQ(finding.severity, Severity::kWarning) << "the output is 4496 off";
  EXPECT_NE(finding.fix.find("outside"), std::string::npos) << finding.fix;
  EXPECT_FALSE(finding.tried);
}

TEST(OutputDamage, DecisionsDecideWhereThereAreEnough) {
  OutputDamage damage;
  damage.records = damage.decisions = 200;
  damage.changed = 6, damage.sqnr = 12;
  EXPECT_TRUE(damage.harmless());
  damage.changed = 7;
  EXPECT_FALSE(damage.harmless());
  damage.sqnr = 36;
  EXPECT_TRUE(damage.harmless()) << "near ties alone change by so small an error, and 7 is no more than chance";
  damage.changed = 11;
  EXPECT_FALSE(damage.harmless()) << "6 and two standard deviations are 10.8";
  damage.sqnr = 12;
  damage.decisions = 20, damage.changed = 0;
  EXPECT_FALSE(damage.harmless()) << "20 decisions say little, 12 dB says enough";
  damage.sqnr = 20;
  EXPECT_TRUE(damage.harmless());
  EXPECT_FALSE(OutputDamage().harmless()) << "nothing was measured";
}

}  // namespace
}  // namespace visq::testing
