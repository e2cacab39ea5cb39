// Ranges that are wrong together: one finding, one repair, judged on records that it was not fitted to; and no repair from wrong data.
#include "diagnosis/recalibration.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "diagnosis/measured_pair.h"
#include "diagnosis/recommend/doubts.h"
#include "visq/recommend.h"

namespace visq::diagnosis {
namespace {

std::string bundled(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

/// The bundled data, each value changed.
class ChangedData final : public RecordSource {
 public:
  ChangedData(const Model& model, std::function<float(float)> change)
      : data_(open_data(bundled("data.h5"), model).value()), change_(std::move(change)) {}
  std::int64_t count() const override { return data_->count(); }
  std::string description() const override { return "changed"; }
  Result<Record> read(std::int64_t index) override {
    Record record = data_->read(index).value();
    for (float& value : record.inputs[0].values<float>()) value = change_(value);
    return record;
  }

 private:
  std::unique_ptr<RecordSource> data_;
  std::function<float(float)> change_;
};

class WrongCalibration : public ::testing::Test {
 protected:
  WrongCalibration()
      : fp32_(std::make_shared<const Model>(load_model(bundled("fp32.tflite")).value())),
        int8_(std::make_shared<const Model>(load_model(bundled("int8.tflite")).value())),
        subject_(Subject::create(fp32_, int8_).value()),
        data_(open_data(bundled("data.h5"), *fp32_).value()) {}

  /// The int8 model with all ranges multiplied, biases in the new scales.
  std::shared_ptr<const Model> with_all_ranges(double factor) const {
    Repair plant(*subject_);
    for (const int map : subject_->q().feature_maps()) {
      const auto range = analysis::representable_range(int8_->main().tensors[static_cast<std::size_t>(map)]);
      if (!range || has_fixed_grid(*subject_, map)) continue;
      plant.regrid({map}, activation_grid(DType::kInt8, {range->low * factor, range->high * factor}));
    }
    return edited(*int8_, plant.finish());
  }

  DiagnoseResult diagnose_with(const std::shared_ptr<const Model>& quantized) const {
    DiagnoseOptions options;
    options.records = {0, 32};
    return diagnose(fp32_, quantized, *data_, options).value();
  }

  RecommendResult recommend_with(RecordSource& data, const std::vector<std::int64_t>& labels = {}) const {
    RecommendOptions options;
    options.records = {0, 16};
    options.labels = labels;
    if (!labels.empty()) options.labelled = &data, options.labelled_records = {0, 64};
    return recommend(fp32_, with_all_ranges(255), data, options).value();
  }

  std::shared_ptr<const Model> fp32_, int8_;
  std::unique_ptr<Subject> subject_;
  std::unique_ptr<RecordSource> data_;
};

TEST_F(WrongCalibration, AllRangesTooWideAreOneFinding) {
  const DiagnoseResult result = diagnose_with(with_all_ranges(40));
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].cause, "CALIBRATION");
  EXPECT_EQ(result.findings[0].severity, Severity::kError);
  EXPECT_EQ(result.findings[0].tensor, -1) << "the model as a whole";
  EXPECT_LT(result.output_sqnr.at(0), 20);
  EXPECT_GT(result.output_sqnr.at(0) + result.findings[0].gain_db, 30) << "though only 16 records say what the ranges are";
  for (const Finding& finding : result.findings) EXPECT_EQ(finding.cause.find("ACT_"), std::string::npos) << finding.text;
}

TEST_F(WrongCalibration, AllRangesTooNarrowAreOneFinding) {
  const DiagnoseResult result = diagnose_with(with_all_ranges(0.2));
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].cause, "CALIBRATION");
  const auto& evidence = result.findings[0].evidence;
  const auto narrow = std::find_if(evidence.begin(), evidence.end(), [](const auto& each) { return each.first == "too_narrow"; });
  ASSERT_NE(narrow, evidence.end());
  EXPECT_GE(narrow->second, 3);
}

TEST_F(WrongCalibration, ASoundModelIsNotCalibratedAgain) {
  for (const Finding& finding : diagnose_with(int8_).findings) EXPECT_NE(finding.cause, "CALIBRATION") << finding.text;
}

/// Each alone wins little while the other is there.
TEST_F(WrongCalibration, TwoWrongRangesAreWorthMoreTogether) {
  Repair plant(*subject_);
  int planted = 0;
  for (const int map : subject_->q().feature_maps()) {
    const auto range = analysis::representable_range(int8_->main().tensors[static_cast<std::size_t>(map)]);
    const int maker = subject_->q().maker(map);
    if (!range || maker < 0 || subject_->bias_of(maker) == nullptr || has_fixed_grid(*subject_, map) || planted == 2) continue;
    plant.regrid(subject_->tied(map), activation_grid(DType::kInt8, {range->low * 60, range->high * 60}));
    ++planted;
  }
  ASSERT_EQ(planted, 2);
  const DiagnoseResult result = diagnose_with(edited(*int8_, plant.finish()));
  ASSERT_GE(result.findings.size(), 2U);
  ASSERT_TRUE(result.together);
  EXPECT_GE(result.together->causes.size(), 2U);
  EXPECT_EQ(result.together->causes[0], result.findings[0].cause);
  EXPECT_GT(result.together->gain_db, result.findings[0].gain_db + 1);
  EXPECT_GT(result.together->sqnr, 30) << "what the sound model has, nearly";
  EXPECT_FALSE(diagnose_with(int8_).together) << "a sound model needs nothing";
}

/// Codes that were rounded to large steps are not what the new ones are made of.
TEST_F(WrongCalibration, BiasesAreRoundedFromTheReferences) {
  DiagnoseOptions options;
  options.records = {0, 8};
  const auto coarse = with_all_ranges(255);
  const auto pair = MeasuredPair::create(fp32_, coarse, *data_, options).value();
  const Symptoms symptoms(pair->subject(), pair->values(), pair->shares());
  const auto fixed = edited(*coarse, recalibrate(symptoms).edit);
  std::size_t compared = 0;
  for (const PairedConstant& bias : pair->subject().constants()) {
    const auto at = static_cast<std::size_t>(bias.tensor);
    const TensorInfo &now = fixed->main().tensors[at], &wanted = fp32_->main().tensors[static_cast<std::size_t>(bias.reference)];
    if (!bias.bias || now.data.size() != wanted.data.size()) continue;
    for (std::size_t c = 0; c * sizeof(float) < wanted.data.size(); ++c, ++compared) {
      std::int32_t code = 0;
      float value = 0;
      std::memcpy(&code, now.data.data() + c * sizeof code, sizeof code);
      std::memcpy(&value, wanted.data.data() + c * sizeof value, sizeof value);
      const auto& scales = now.quantization.scale;
      const float step = scales[scales.size() > 1 ? c : 0];
      EXPECT_NEAR(static_cast<float>(code) * step, value, 0.51F * step) << now.name << " " << c;
    }
  }
  EXPECT_GT(compared, 0U);
}

/// Where a range was next to nothing, converters enlarge the steps of the weights behind it until the bias fits.
TEST_F(WrongCalibration, WeightsThatANarrowRangeMadeCoarseAreTakenAnew) {
  DiagnoseOptions options;
  options.records = {0, 16};
  Repair plant(*subject_);
  const auto weight = std::find_if(subject_->constants().begin(), subject_->constants().end(), [&](const PairedConstant& each) {
    const TensorInfo& tensor = int8_->main().tensors[static_cast<std::size_t>(each.tensor)];
    return !each.bias && tensor.quantization.per_channel() && tensor.dtype == DType::kInt8;
  });
  ASSERT_NE(weight, subject_->constants().end());
  std::vector<double> coarse;
  const auto index = static_cast<std::size_t>(weight->tensor);
  for (const float scale : int8_->main().tensors[index].quantization.scale) coarse.push_back(20 * static_cast<double>(scale));
  ASSERT_TRUE(plant.reweight(*weight, coarse));
  const auto spoilt = edited(*int8_, plant.finish());
  const auto pair = MeasuredPair::create(fp32_, spoilt, *data_, options).value();
  const Symptoms symptoms(pair->subject(), pair->values(), pair->shares());
  const auto fixed = edited(*spoilt, recalibrate(symptoms).edit);
  const auto &now = fixed->main().tensors[index].quantization.scale, &sound = int8_->main().tensors[index].quantization.scale;
  ASSERT_EQ(now.size(), sound.size());
  for (std::size_t c = 0; c < now.size(); ++c) EXPECT_NEAR(now[c], sound[c], 0.02F * sound[c]) << c;
}

TEST_F(WrongCalibration, RepairsAreJudgedOnOtherRecords) {
  const auto judgement = [&](RecordRange records, RepairRecords repairs) {
    DiagnoseOptions options;
    options.records = records;
    options.repairs = repairs;
    return MeasuredPair::create(fp32_, int8_, *data_, options).value()->judgement();
  };
  EXPECT_EQ(judgement({0, 16}, {}).records, 16);
  EXPECT_EQ(judgement({0, 16}, {}).unseen, 8);
  EXPECT_EQ(judgement({3, 4}, {}).records, 1);
  EXPECT_EQ(judgement({3, 4}, {}).unseen, 0);
  EXPECT_EQ(judgement({0, 16}, {{16, 20}, {20, 50}}).records, 46);
  EXPECT_EQ(judgement({0, 16}, {{16, 20}, {20, 50}}).unseen, 38);
}

TEST_F(WrongCalibration, RangesAreThoseOfTheFittedRecords) {
  DiagnoseOptions options;
  options.records = {0, 2};  // the second judges
  const auto input = [&](const MeasuredPair& pair) -> const MapValues& { return pair.values().at(fp32_->main().inputs[0]); };
  const auto pair = MeasuredPair::create(fp32_, int8_, *data_, options).value();
  options.records = {0, 1};
  const auto first = MeasuredPair::create(fp32_, int8_, *data_, options).value();
  EXPECT_EQ(input(*pair).fitted.high, input(*first).fitted.high);
  options.records = {0, 2}, options.repairs = {{2, 10}, {10, 12}};
  const auto more = MeasuredPair::create(fp32_, int8_, *data_, options).value();
  EXPECT_GE(input(*more).fitted.high, input(*first).fitted.high);
  EXPECT_EQ(input(*more).sketch.count(), input(*pair).sketch.count()) << "causes are looked for in the same records";
}

TEST_F(WrongCalibration, DataInOtherUnitsRepairNothing) {
  const RecommendResult open = recommend_with(*data_);
  EXPECT_TRUE(open.repairs.empty());
  EXPECT_TRUE(open.repaired_model.empty());
  ASSERT_FALSE(open.remarks.empty());
  EXPECT_EQ(open.remarks[0].kind, "wrong data") << "the calibration or these: nobody can tell";
}

TEST_F(WrongCalibration, LabelsTellWhichDataAreWrong) {
  const auto labels = load_labels(bundled("labels.npy")).value();
  const RecommendResult right = recommend_with(*data_, labels);
  ASSERT_FALSE(right.repairs.empty()) << (right.remarks.empty() ? "" : right.remarks[0].text);
  EXPECT_EQ(right.repairs[0].finding.cause, "CALIBRATION");
  EXPECT_FALSE(right.repaired_model.empty());
  std::vector<std::int64_t> foreign(labels.rbegin(), labels.rend());
  const RecommendResult wrong = recommend_with(*data_, foreign);
  EXPECT_TRUE(wrong.repairs.empty());
  ASSERT_FALSE(wrong.remarks.empty());
  EXPECT_EQ(wrong.remarks[0].kind, "wrong data");
}

/// 0..1 where both models take other units: rescaled the float model is better, so the data are wrong, labels or not.
TEST_F(WrongCalibration, DataThatAreRightWhenRescaledAreWrong) {
  ChangedData scaled(*fp32_, [](float value) { return value * 100 + 7; });
  RecommendOptions options;
  options.records = {0, 16};
  options.labels = load_labels(bundled("labels.npy")).value();
  options.labelled = &scaled;
  options.labelled_records = {0, 64};
  const RecommendResult result = recommend(fp32_, int8_, scaled, options).value();
  EXPECT_TRUE(result.repairs.empty());
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_EQ(result.remarks[0].kind, "wrong data") << result.remarks[0].text;
}

TEST(LabelledScore, KnowsChance) {
  EXPECT_TRUE((LabelledScore{0.10, 0.10, 200}).near_chance());
  EXPECT_TRUE((LabelledScore{0.15, 0.10, 200}).near_chance());
  EXPECT_FALSE((LabelledScore{0.30, 0.10, 200}).near_chance());
  EXPECT_TRUE((LabelledScore{0.30, 0.10, 9}).near_chance()) << "a handful of records says little";
  EXPECT_TRUE((LabelledScore{0.9, 0.9, 200}).near_chance());
}

}  // namespace
}  // namespace visq::diagnosis
