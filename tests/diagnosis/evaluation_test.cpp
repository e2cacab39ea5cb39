// Data and labels that neither model was made for: the bundled example with its data or labels spoilt as users spoil them.
#include <gtest/gtest.h>

#include "core/as_size.h"
#include "diagnosis/whole/pre_processing.h"
#include "visq/data.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {
namespace {

constexpr std::int64_t kRecords = 64;

std::string digits_file(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

class Evaluation : public ::testing::Test {
 protected:
  Evaluation()
      : fp32_(std::make_shared<const Model>(load_model(digits_file("fp32.tflite")).value())),
        int8_(std::make_shared<const Model>(load_model(digits_file("int8.tflite")).value())),
        labels_(load_labels(digits_file("labels.npy")).value()),
        data_(open_data(digits_file("data.h5"), *fp32_).value()) {}

  /// The pair on data that `steps` have changed; judged by `labels`, unless there are none.
  DiagnoseResult with(const std::vector<const PreProcessing*>& steps, std::vector<std::int64_t> labels) {
    const auto spoilt = changed_records(*data_, *fp32_, *int8_, steps, {}).value();
    DiagnoseOptions options;
    options.records = {0, 12};
    if (!labels.empty()) options.scoring = {spoilt.get(), {0, kRecords}, std::move(labels), 0, "", {}};
    return diagnose(fp32_, int8_, *spoilt, options).value();
  }

  static const PreProcessing* change(const std::string& words) {
    for (const PreProcessing& each : usual_changes()) {
      if (each.words.starts_with(words)) return &each;
    }
    return nullptr;
  }

  static void expect_remark(const DiagnoseResult& result, const std::string& kind, const std::string& part) {
    ASSERT_FALSE(result.remarks.empty());
    EXPECT_EQ(result.remarks.front().kind, kind);
    EXPECT_NE(result.remarks.front().text.find(part), std::string::npos) << result.remarks.front().text;
  }

  std::shared_ptr<const Model> fp32_, int8_;
  std::vector<std::int64_t> labels_;
  std::unique_ptr<RecordSource> data_;
};

TEST_F(Evaluation, RightDataAndLabelsAreNoRemark) {
  const DiagnoseResult result = with({}, labels_);
  EXPECT_TRUE(result.remarks.empty());
  ASSERT_TRUE(result.accuracy.has_value());
  EXPECT_EQ(result.accuracy->records, kRecords);
  EXPECT_EQ(result.accuracy->reference.main, 1.0);  // the example's README says so of both
  EXPECT_EQ(result.accuracy->quantized.main, 1.0);
}

TEST_F(Evaluation, AWrongScaleIsFoundByLabels) {
  expect_remark(with({change("halved")}, labels_), "wrong data",
                "with the data times 2, less 1 ([0, 1] to [-1, 1]), the float model has 100.0 %");
  expect_remark(with({change("times 127.5")}, labels_), "wrong data", "with the data divided by 127.5, less 1");
}

TEST_F(Evaluation, AWrongScaleIsFoundByTheRangesOfCalibration) {
  expect_remark(with({change("multiplied by 255")}, {}), "wrong data", "the ranges of calibration fit these data divided by 255");
  expect_remark(with({change("multiplied by 255")}, {}), "wrong data", "cannot be seen without labels");
}

TEST_F(Evaluation, RowsAndColumnsExchanged) {
  expect_remark(with({change("turned, rows")}, labels_), "wrong data", "with the data turned, rows for columns");
}

TEST_F(Evaluation, LabelsThatCountFromOne) {
  std::vector<std::int64_t> labels = labels_;
  for (std::int64_t& label : labels) ++label;
  expect_remark(with({}, labels), "wrong labels", "labels count from 1 (--label-offset -1), the float model is right in 100.0 %");
}

TEST_F(Evaluation, LogitsAreJudgedWhereOnlyOneModelHasASoftmax) {
  Model logits = *int8_;
  Subgraph& graph = logits.subgraphs.front();
  graph.outputs = {graph.operators.back().inputs[0]};
  graph.operators.pop_back();
  int8_ = std::make_shared<const Model>(logits);
  const DiagnoseResult result = with({}, labels_);
  expect_remark(result, "ends differ", "only the float model ends with SOFTMAX");
  ASSERT_TRUE(result.accuracy.has_value());
  EXPECT_EQ(result.accuracy->quantized.main, 1.0);
}

TEST_F(Evaluation, LabelsWithoutSense) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < kRecords; ++i) labels.push_back(i * 7 % 10);
  expect_remark(with({}, labels), "both models wrong", "both models are near chance");
}

}  // namespace
}  // namespace visq::diagnosis
