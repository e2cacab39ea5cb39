// Causes that lie in what comes into the network: units, offsets, and sizes that a logarithm reads.
#include <gtest/gtest.h>

#include <array>

#include "twin_network.h"

namespace visq::testing {
namespace {

constexpr int kRecords = 12;

/// Records of normal values, times `units`.
template <std::size_t kWidth>
std::vector<Array> in_units(const std::array<float, kWidth>& units) {
  std::vector<Array> records;
  for (unsigned i = 0; i < kRecords; ++i) {
    std::vector<float> values = normal_values(kWidth, 70 + i);
    for (std::size_t c = 0; c < kWidth; ++c) values[c] *= units[c];
    records.push_back(float_array({1, static_cast<std::int64_t>(kWidth)}, values));
  }
  return records;
}

/// Six sensors from 0.02 to 2000: it does not help to divide the largest alone, the next one is still many times the others.
TEST(InputCauses, EveryInputInUnitsOfItsOwn) {
  constexpr std::array<float, 6> kUnits{2000, 1, 0.02F, 60, 1, 400};
  TwinNetwork twin;
  const int x = twin.map("x", {1, 6}, {-6000, 6000}), y = twin.map("y", {1, 4}, {-16, 16});
  std::vector<float> values = normal_values(24, 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= kUnits[i % 6];
  const int w = twin.weights("w", 4, 6, values);
  twin.op("FULLY_CONNECTED", {x, w, -1}, y);
  twin.finish(x, y);
  const Finding first = twin.diagnose_on(in_units(kUnits)).findings.at(0);
  EXPECT_EQ(first.cause, "INPUT_SCALES") << first.text;
  EXPECT_EQ(evidence_of(first, "lost_channels"), 4) << "all but 2000 and 400, whose step is 47";
  EXPECT_GT(first.gain_db, 25) << "normalized to one size, 8 bits hold some 35 dB";
  EXPECT_NE(first.fix.find("of 6 channels in all"), std::string::npos) << first.fix;
}

/// Power from e^-9 to 1, of which the network takes the logarithm itself.
TEST(InputCauses, LogarithmInsideTheNetwork) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {0, 1}), y = twin.map("y", {1, 8}, {-10, 0});
  twin.op("LOG", {x}, y);
  twin.finish(x, y);
  std::vector<Array> records;
  for (unsigned i = 0; i < kRecords; ++i) {
    std::vector<float> values(8);
    for (unsigned k = 0; k < 8; ++k) values[k] = std::exp(-9 * static_cast<float>((k * kRecords + i) % 96) / 96);
    records.push_back(float_array({1, 8}, values));
  }
  const Finding finding = finding_of(twin.diagnose_on(records), "COARSE_INPUT");
  EXPECT_EQ(finding.name, "y");
  // Below five steps of 1/255 is what lies below ln(5/255) = -3.93 of -9 … 0; below half a step, below -6.23.
  EXPECT_NEAR(evidence_of(finding, "coarse_share"), (9 - 3.93) / 9, 0.02);
  EXPECT_NEAR(evidence_of(finding, "zero_share"), (9 - 6.23) / 9, 0.02);
  EXPECT_GT(finding.gain_db, 10);
  EXPECT_NE(finding.fix.find("before"), std::string::npos);
}

TEST(InputCauses, ALogarithmOfLikeSizesIsFine) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {0, 4}), y = twin.map("y", {1, 8}, {-0.7F, 1.4F});
  twin.op("LOG", {x}, y);
  twin.finish(x, y);
  std::vector<Array> records;
  for (unsigned i = 0; i < kRecords; ++i) {
    std::vector<float> values = normal_values(8, i);
    for (float& value : values) value = 2 + std::clamp(value, -1.5F, 1.5F);
    records.push_back(float_array({1, 8}, values));
  }
  EXPECT_EQ(finding_of(twin.diagnose_on(records), "COARSE_INPUT").cause, "");
}

/// A cube at the end: a fifth of its values is below five steps, which the logarithm of the result would show.
TEST(InputCauses, CubeAtTheEnd) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {0, 10}), square = twin.map("square", {1, 8}, {0, 100}), y = twin.map("y", {1, 8}, {0, 1000});
  for (auto* op : {&twin.fp32_op("MUL", {x, x}, square), &twin.int8_op("MUL", {x, x}, square), &twin.fp32_op("MUL", {square, x}, y),
                   &twin.int8_op("MUL", {square, x}, y)})
    op->attributes.set("fused_activation_function", std::string("NONE"));
  twin.finish(x, y);
  std::vector<Array> records;
  for (unsigned i = 0; i < kRecords; ++i) {
    std::vector<float> values(8);
    for (unsigned k = 0; k < 8; ++k) values[k] = static_cast<float>((k * kRecords + i) % 96 + 1) * 10 / 96;
    records.push_back(float_array({1, 8}, values));
  }
  const DiagnoseResult result = twin.diagnose_on(records);
  const Finding finding = finding_of(result, "COARSE_OUTPUT");
  EXPECT_EQ(finding.name, "y");
  // Five steps of 1000/255 are 19.6: below that is x below 2.70 of 0 … 10.
  EXPECT_NEAR(evidence_of(finding, "coarse_share"), 0.27, 0.02);
  EXPECT_NE(finding.fix.find("root"), std::string::npos) << finding.fix;
}

}  // namespace
}  // namespace visq::testing
