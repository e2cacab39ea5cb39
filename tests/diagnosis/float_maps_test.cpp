// Models whose maps stay in float: weights of four bits, and values that accelerators in float16 cannot hold.
#include <gtest/gtest.h>

#include "model/model_edit.h"
#include "twin_network.h"

namespace visq::testing {
namespace {

constexpr std::int64_t kWidth = 8;
constexpr unsigned kRecords = 12;

/// Two layers; the quantized model holds the weights of the first in int8, one scale per row, and those of the second in float.
struct HalfQuantized : TwinNetwork {
  HalfQuantized() {
    SmallModel fp32("fp32.tflite"), stored("stored.tflite");
    for (SmallModel* model : {&fp32, &stored}) {
      for (const char* name : {"x", "h", "y"}) model->map(name, {1, kWidth});
    }
    weights_ = fp32.constant("w1", {kWidth, kWidth}, first_);
    const int second = fp32.constant("w2", {kWidth, kWidth}, second_);
    std::vector<std::int8_t> codes;
    std::vector<float> scale;
    for (std::size_t row = 0; row < kWidth; ++row) {
      float reach = 0;
      for (std::size_t i = 0; i < kWidth; ++i) reach = std::max(reach, std::fabs(first_[row * kWidth + i]));
      scale.push_back(reach / 7);
      for (std::size_t i = 0; i < kWidth; ++i)
        codes.push_back(static_cast<std::int8_t>(std::lround(first_[row * kWidth + i] / scale[row])));
    }
    stored.constant_int8("w1", {kWidth, kWidth}, codes, scale);
    stored.constant("w2", {kWidth, kWidth}, second_);
    for (SmallModel* model : {&fp32, &stored}) {
      model->op("FULLY_CONNECTED", {0, weights_, -1}, {1});
      model->op("FULLY_CONNECTED", {1, second, -1}, {2});
    }
    reference = fp32.finish({0}, {2});
    quantized = stored.finish({0}, {2});
    ModelEdit nibbles;
    nibbles[weights_].dtype = DType::kInt4;
    nibbles[weights_].data.emplace();
    for (std::size_t i = 0; i < codes.size(); i += 2) {
      nibbles[weights_].data->push_back(static_cast<std::byte>((codes[i] & 15) | (codes[i + 1] & 15) << 4));
    }
    quantized = edited(*quantized, nibbles);
  }
  static std::vector<Array> records(float unit) {
    std::vector<Array> records;
    for (unsigned i = 0; i < kRecords; ++i) {
      std::vector<float> values = normal_values(kWidth, 90 + i);
      for (float& value : values) value *= unit;
      records.push_back(float_array({1, kWidth}, values));
    }
    return records;
  }
  int weights_ = 0;
  std::vector<float> first_ = normal_values(kWidth * kWidth, 21), second_ = normal_values(kWidth * kWidth, 22);
};

/// Recipes for 8 bits take the second layer, too: what the fix gives is told with that.
TEST(FloatMaps, FourBitsBecomeEightInAllLayers) {
  const Finding finding = finding_of(HalfQuantized().diagnose_on(HalfQuantized::records(1)), "LOW_BITS");
  EXPECT_EQ(evidence_of(finding, "layers"), 1);
  EXPECT_NE(finding.fix.find("tried with the one that is in float now"), std::string::npos) << finding.fix;
  EXPECT_GT(finding.gain_db, 10);
  EXPECT_LT(finding.gain_db, 28) << "7 steps against 127 are 25 dB, and the second layer costs some of them";
}

TEST(FloatMaps, BeyondFloat16IsWorthKnowing) {
  const DiagnoseResult result = HalfQuantized().diagnose_on(HalfQuantized::records(1e5F));
  const Finding finding = finding_of(result, "FLOAT16_REACH");
  EXPECT_EQ(finding.name, "x");
  EXPECT_GT(evidence_of(finding, "reach"), 65504);
  EXPECT_EQ(finding.severity, Severity::kHint);
  EXPECT_NE(result.findings.front().cause, "FLOAT16_REACH") << "what costs something stands before it";
  EXPECT_EQ(finding_of(HalfQuantized().diagnose_on(HalfQuantized::records(1e3F)), "FLOAT16_REACH").cause, "");
}

}  // namespace
}  // namespace visq::testing
