// Which data a float model was made for: what its answers and its channels say, against closed forms.
#include "diagnosis/whole/natural_data.h"

#include <gtest/gtest.h>

#include <cmath>

#include "twin_network.h"

namespace visq::testing {
namespace {

using diagnosis::DataEvidence;
using diagnosis::Liveliness;
using diagnosis::NaturalData;

constexpr std::int64_t kClasses = 4;

diagnosis::PreProcessing divided(float by) {
  return {"divided", [by](diagnosis::InputValues& input) {
            for (float& value : input.values) value /= by;
          }};
}

/// x, its RELU times a hundred, and the softmax of that: sure of a record with a 1 in it, undecided where all is near 0.
struct Decided : TwinNetwork {
  Decided() {
    const int x = map("x", {1, kClasses}, {-1, 1}), z = map("z", {1, kClasses}, {0, 100}), y = map("y", {1, kClasses}, {0, 255.0F / 256});
    std::vector<float> diagonal(kClasses * kClasses, 0);
    for (std::size_t i = 0; i < diagonal.size(); i += kClasses + 1) diagonal[i] = 100;
    const int w = weights("w", kClasses, kClasses, diagonal);
    fp32_op("FULLY_CONNECTED", {x, w, -1}, z).attributes.set("fused_activation_function", std::string("RELU"));
    int8_op("FULLY_CONNECTED", {x, w, -1}, z).attributes.set("fused_activation_function", std::string("RELU"));
    fp32_op("SOFTMAX", {z}, y).attributes.set("beta", 1.0);
    int8_op("SOFTMAX", {z}, y).attributes.set("beta", 1.0);
    finish(x, y);
  }
  DataEvidence weigh(const std::vector<Array>& records, float divisor) const {
    MemorySource data(records);
    RunRequest request;
    request.records = {0, static_cast<std::int64_t>(records.size())};
    const auto subject = diagnosis::Subject::create(reference, quantized).value();
    return diagnosis::weigh_data(*subject, data, request, divided(divisor)).value();
  }
  /// A 1 in turn, else less than 0.
  static std::vector<Array> in_turn(std::size_t count) {
    std::vector<Array> records;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> values(kClasses, -1);
      values[i % kClasses] = 1;
      records.push_back(float_array({1, kClasses}, values));
    }
    return records;
  }
};

TEST(NaturalData, SureAndDifferentAnswersTellAllRecordsApart) {
  const DataEvidence evidence = Decided().weigh(Decided::in_turn(16), 1e6F);
  ASSERT_TRUE(evidence.given.told_apart && evidence.changed.told_apart);
  EXPECT_NEAR(*evidence.given.told_apart, 1, 1e-6) << "ln 4 of ln 4";
  EXPECT_NEAR(*evidence.changed.told_apart, 0, 1e-6) << "always a quarter each";
  ASSERT_TRUE(evidence.given.idle);
  EXPECT_EQ(*evidence.given.idle, 0) << "each channel fires for a quarter of the records";
  EXPECT_EQ(evidence.verdict(), NaturalData::kAsGiven);
  EXPECT_NE(evidence.conclusion().find("calibrate again"), std::string::npos) << evidence.conclusion();
}

TEST(NaturalData, TheSameAnswersTellNothing) {
  std::vector<Array> records;
  for (int i = 0; i < 16; ++i) records.push_back(float_array({1, kClasses}, {1, -1, -1, -1}));
  const DataEvidence evidence = Decided().weigh(records, 1);
  EXPECT_NEAR(evidence.given.told_apart.value(), 0, 1e-6);
  EXPECT_EQ(evidence.given.idle.value(), 1) << "one channel always fires, three never do";
  EXPECT_EQ(evidence.verdict(), NaturalData::kOpen);
  EXPECT_EQ(evidence.conclusion(), "");
}

TEST(NaturalData, AFewRecordsSayNothing) { EXPECT_FALSE(Decided().weigh(Decided::in_turn(4), 1).given.told_apart); }

TEST(NaturalData, WhatSpeaksClearlyDecidesAndContradictionsDoNot) {
  const auto verdict = [](Liveliness given, Liveliness changed) { return DataEvidence{"changed", given, changed}.verdict(); };
  EXPECT_EQ(verdict({0.80, 0.1, 100}, {0.59, 0.0, 0.4}), NaturalData::kOpen) << "larger inputs make any answer surer";
  EXPECT_EQ(verdict({0.59, 0.0, 0.4}, {0.80, 0.1, 100}), NaturalData::kOpen);
  EXPECT_EQ(verdict({0.9, 0.0, 1}, {0.27, 0.0, 0.4}), NaturalData::kAsGiven) << "but not where the others tell nothing";
  EXPECT_EQ(verdict({0.8, 0.0, 0.4}, {0.5, 0.0, 100}), NaturalData::kAsGiven);
  EXPECT_EQ(verdict({0.8, 0.05}, {0.5, 0.05}), NaturalData::kAsGiven);
  EXPECT_EQ(verdict({0.5, 0.05}, {0.8, 0.05}), NaturalData::kChanged);
  EXPECT_EQ(verdict({0.8, 0.05}, {0.7, 0.05}), NaturalData::kOpen);
  EXPECT_EQ(verdict({0.8, 0.9}, {0.5, 0.1}), NaturalData::kOpen);
  EXPECT_EQ(verdict({std::nullopt, 0.9}, {std::nullopt, 0.1}), NaturalData::kChanged);
  EXPECT_EQ(verdict({}, {}), NaturalData::kOpen);
  const DataEvidence wrong{"divided by 255", {0.5, 0.05}, {0.8, 0.05}};
  EXPECT_NE(wrong.conclusion().find("correct the pre-processing of the evaluation data"), std::string::npos);
  EXPECT_NE(wrong.words().find("divided by 255"), std::string::npos);
}

}  // namespace
}  // namespace visq::testing
