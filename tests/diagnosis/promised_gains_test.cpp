// What a finding says of its fix is what the fix gives, held against arithmetic of its own; and where that cannot be known, it says so.
#include <gtest/gtest.h>

#include "twin_network.h"

namespace visq::testing {
namespace {

constexpr unsigned kRecords = 12;

/// Records of eight values each, by number of record and value.
template <class Value>
std::vector<Array> records_by(Value value) {
  std::vector<Array> records;
  for (unsigned record = 0; record < kRecords; ++record) {
    std::vector<float> values(8);
    for (unsigned i = 0; i < values.size(); ++i) values[i] = value(record, i);
    records.push_back(float_array({1, 8}, values));
  }
  return records;
}

/// dB that are left of records after rounding to the smallest int8 grid that holds [low, high].
double left_after_rounding(const std::vector<Array>& records, double low, double high) {
  const double step = (high - low) / 255;
  double signal = 0, noise = 0;
  for (const Array& record : records) {
    for (const float value : record.values<float>()) {
      const auto f = static_cast<double>(value);
      signal += f * f, noise += std::pow(f - step * std::round(f / step), 2);
    }
  }
  return 10 * std::log10(signal / noise);
}

/// A network of one operator, which spreads or squashes its input.
DiagnoseResult of_one(const std::string& type, TwinNetwork::Range input, TwinNetwork::Range output, const std::vector<Array>& records) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, input), y = twin.map("y", {1, 8}, output);
  twin.op(type, {x}, y);
  twin.finish(x, y);
  return twin.diagnose_on(records);
}

TEST(PromisedGains, OfANetworkThatEndsBeforeExp) {
  const auto records = records_by([](unsigned record, unsigned i) { return static_cast<float>((i * 12 + record) % 96) * 10 / 96; });
  const DiagnoseResult result = of_one("EXP", {0, 10}, {0, 22026}, records);
  const Finding& first = result.findings.at(0);
  ASSERT_EQ(first.cause, "COARSE_OUTPUT");
  EXPECT_FALSE(first.stands_in);
  EXPECT_EQ(first.fix.find("take EXP out of the network"), 0U) << first.fix;
  EXPECT_NEAR(first.gain_db, left_after_rounding(records, 0, 10) - result.output_sqnr.at(0), 0.1);
}

/// Shares of a thousandth behind a sigmoid of steps of 1/256.
TEST(PromisedGains, OfANetworkThatEndsBeforeLogistic) {
  const auto records = records_by([](unsigned record, unsigned i) { return -9 + static_cast<float>((i * 12 + record) % 96) * 5.2F / 96; });
  const DiagnoseResult result = of_one("LOGISTIC", {-9, 0}, {0, 255.0F / 256}, records);
  const Finding& first = result.findings.at(0);
  ASSERT_EQ(first.cause, "COARSE_OUTPUT");
  EXPECT_FALSE(first.stands_in);
  EXPECT_NEAR(first.gain_db, left_after_rounding(records, -9, 0) - result.output_sqnr.at(0), 0.1);
}

/// 1/sqrt of what is hardly ever near zero: cut off, it has finer steps, and what it multiplies is small where it is cut.
TEST(PromisedGains, OfANormalizationThatIsCutOff) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {0, 4}), r = twin.map("r", {1, 8}, {0, 8}), y = twin.map("y", {1, 8}, {0, 2});
  twin.op("RSQRT", {x}, r);
  twin.op("MUL", {x, r}, y);
  twin.finish(x, y);
  const auto records = records_by([](unsigned record, unsigned i) {
    return record == 4 && i == 2 ? 4.0F / 255 : 2.5F + static_cast<float>((record * 8 + i) * 37 % 96) / 64;
  });
  const Finding finding = finding_of(twin.diagnose_on(records), "VANISHING_VARIANCE");
  ASSERT_EQ(finding.name, "r");
  EXPECT_NE(finding.fix.find("cut its range off"), std::string::npos) << finding.fix;
  EXPECT_NE(finding.fix.find("epsilon"), std::string::npos) << finding.fix;
  EXPECT_FALSE(finding.stands_in);
  EXPECT_EQ(finding.mode, Mode::kInteger);
  EXPECT_GT(finding.gain_db, 3);
}

/// What classes become by the repair is told beside the decibels.
TEST(PromisedGains, InDecisions) {
  TwinNetwork twin;
  const int x = twin.map("x", {1, 8}, {-1000, 1000}), y = twin.map("y", {1, 8}, {0, 255.0F / 256});
  twin.op("SOFTMAX", {x}, y);
  twin.finish(x, y);
  const auto records = records_by([](unsigned record, unsigned i) { return static_cast<float>((record * 5 + i * 3) % 8) / 2; });
  const DiagnoseResult result = twin.diagnose_on(records);
  ASSERT_EQ(result.damage.decisions, kRecords);
  ASSERT_GT(result.damage.changed, kRecords / 2) << "values up to 3.5, in steps of 7.8";
  const Finding finding = finding_of(result, "ACT_OUTLIER");
  EXPECT_EQ(finding.decisions, kRecords);
  EXPECT_EQ(finding.changed, 0) << finding.fix;
  EXPECT_FALSE(finding.stands_in);
}

}  // namespace
}  // namespace visq::testing
