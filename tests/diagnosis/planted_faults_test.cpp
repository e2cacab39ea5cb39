// Faults planted into the bundled example, one at a time: diagnose names the tensor and the cause first, and repairing wins the loss back.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "analysis/facts/layer_values.h"
#include "diagnosis/repair.h"
#include "diagnosis/subject.h"
#include "model/model_edit.h"
#include "visq/data.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {
namespace {

std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

class PlantedFault : public ::testing::Test {
 protected:
  PlantedFault()
      : fp32_(std::make_shared<const Model>(load_model(example("fp32.tflite")).value())),
        int8_(std::make_shared<const Model>(load_model(example("int8.tflite")).value())),
        subject_(Subject::create(fp32_, int8_).value()) {}

  DiagnoseResult diagnose_with(const ModelEdit& fault) const {
    const auto data = open_data(example("data.h5"), *fp32_).value();
    DiagnoseOptions options;
    options.records = {0, 16};
    return diagnose(fp32_, edited(*int8_, fault), *data, options).value();
  }

  const TensorInfo& tensor(int index) const { return int8_->main().tensors[static_cast<std::size_t>(index)]; }
  const Operator& op(std::size_t node) const { return int8_->main().operators[node]; }
  int output(std::size_t node) const { return op(node).outputs[0]; }

  /// The range of a feature map (and of those tied to it), changed; everything that depends on it follows.
  ModelEdit with_range(int map, const std::function<analysis::RealBounds(analysis::RealBounds)>& change) const {
    const auto now = *analysis::representable_range(tensor(map));
    Repair plant(*subject_);
    plant.regrid(subject_->tied(map), activation_grid(tensor(map).dtype, change(now)));
    return plant.finish();
  }

  /// New bytes of a constant of one-byte codes.
  ModelEdit with_codes(int constant, const std::function<int(std::size_t, int)>& change) const {
    std::vector<std::byte> codes(tensor(constant).data.begin(), tensor(constant).data.end());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const int code = static_cast<std::int8_t>(codes[i]);
      codes[i] = static_cast<std::byte>(std::clamp(change(i, code), -127, 127));
    }
    ModelEdit edit;
    edit[constant].data = codes;
    return edit;
  }

  void expect_first(const DiagnoseResult& result, int map, const std::string& cause, double least_gain) const {
    ASSERT_FALSE(result.findings.empty());
    const Finding& first = result.findings.front();
    EXPECT_EQ(first.cause, cause) << first.text;
    EXPECT_EQ(first.name, tensor(map).name);
    EXPECT_EQ(first.severity, Severity::kError);
    EXPECT_GE(first.gain_db, least_gain);
    const double clean = diagnose_with({}).output_sqnr.at(0);
    EXPECT_NEAR(result.output_sqnr.at(0) + first.gain_db, clean, 2) << "repairing wins back what was lost";
  }

  std::shared_ptr<const Model> fp32_, int8_;
  std::unique_ptr<Subject> subject_;
};

TEST_F(PlantedFault, CleanModelHasNoErrorAndNoRemark) {
  const DiagnoseResult result = diagnose_with({});
  for (const Finding& finding : result.findings) EXPECT_LT(finding.severity, Severity::kError) << finding.cause << " " << finding.text;
  EXPECT_TRUE(result.remarks.empty());
  EXPECT_EQ(result.quantized_mode, Mode::kInteger);
  EXPECT_EQ(result.losses.size(), 12U);
}

TEST_F(PlantedFault, RangeTooSmall) {
  const int map = output(3);
  expect_first(diagnose_with(with_range(map,
                                        [](auto range) {
                                          return analysis::RealBounds{range.low, range.high / 3};
                                        })),
               map, "ACT_CLIP", 3);
}

/// The picture of a finding holds every value, and those outside of the marked range are those that are cut off.
TEST_F(PlantedFault, PictureShowsWhatIsCutOff) {
  const int map = output(3);
  const Finding first = diagnose_with(with_range(map, [](auto range) {
                          return analysis::RealBounds{range.low, range.high / 3};
                        })).findings.at(0);
  ASSERT_TRUE(first.values);
  const Histogram& histogram = first.values->histogram;
  EXPECT_NEAR(first.values->range_high, analysis::representable_range(tensor(map))->high / 3, 1e-6);  // scales are float32
  const double width = (histogram.high - histogram.low) / static_cast<double>(histogram.counts.size());
  double all = 0, outside = 0;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    all += histogram.counts[i];
    outside += histogram.low + width * static_cast<double>(i) >= first.values->range_high ? histogram.counts[i] : 0;
  }
  EXPECT_NEAR(all, 16.0 * static_cast<double>(tensor(map).shape.elements()), 0.5);
  const auto share = std::find_if(first.evidence.begin(), first.evidence.end(), [](const auto& e) { return e.first == "clipped_share"; });
  ASSERT_NE(share, first.evidence.end());
  EXPECT_LE(outside / all, share->second) << "but for one bar that the border cuts";
  EXPECT_GT(outside / all, share->second / 3);
}

TEST_F(PlantedFault, RangeTooLarge) {
  const int map = output(2);
  expect_first(diagnose_with(with_range(map,
                                        [](auto range) {
                                          return analysis::RealBounds{range.low * 40, range.high * 40};
                                        })),
               map, "ACT_OUTLIER", 3);
}

/// Behind this convolution stands an addition with RELU, which eats most of what is lost: no error, but the cause is named.
TEST_F(PlantedFault, NegativePartCutOff) {
  const int map = output(2);
  const Finding first = diagnose_with(with_range(map, [](auto range) { return analysis::RealBounds{0, range.high}; })).findings.at(0);
  EXPECT_EQ(first.cause, "NEGATIVE_CUT") << first.text;
  EXPECT_EQ(first.name, tensor(map).name);
}

TEST_F(PlantedFault, RangeBesideTheData) {
  const int map = output(2);
  const auto shifted = [](auto range) { return analysis::RealBounds{range.low - 0.6 * range.high, 0.4 * range.high}; };
  const Finding first = diagnose_with(with_range(map, shifted)).findings.at(0);
  EXPECT_EQ(first.cause, "WRONG_ZERO_POINT") << first.text;
  EXPECT_EQ(first.name, tensor(map).name);
}

TEST_F(PlantedFault, ReshapeUnderAnotherZeroPoint) {
  std::size_t reshape = 0;
  while (op(reshape).type != "RESHAPE") ++reshape;
  ModelEdit fault;
  fault[output(reshape)].quantization = tensor(output(reshape)).quantization;
  fault[output(reshape)].quantization->zero_point[0] += 15;
  const DiagnoseResult result = diagnose_with(fault);
  expect_first(result, output(reshape), "WRONG_ZERO_POINT", 3);
  EXPECT_EQ(result.findings.front().mode, Mode::kInteger) << "a simulation that keeps values would not see it";
}

TEST_F(PlantedFault, LastLayerWastesBits) {
  std::size_t softmax = 0;
  while (op(softmax).type != "SOFTMAX") ++softmax;
  const int logits = op(softmax).inputs[0];
  expect_first(diagnose_with(with_range(logits,
                                        [](auto range) {
                                          return analysis::RealBounds{range.low * 100, range.high * 100};
                                        })),
               logits, "LAST_LAYER", 3);
}

TEST_F(PlantedFault, DeadActivationScale) {
  const int map = output(3);
  ModelEdit fault;
  fault[map].quantization = tensor(map).quantization;
  fault[map].quantization->scale[0] = 1e-30F;
  expect_first(diagnose_with(fault), map, "DEAD_SCALE", 3);
}

TEST_F(PlantedFault, DeadWeightScale) {
  const int weights = op(2).inputs[1];
  ModelEdit fault;
  fault[weights].quantization = tensor(weights).quantization;
  for (float& scale : fault[weights].quantization->scale) scale = 1e30F;
  expect_first(diagnose_with(fault), output(2), "DEAD_SCALE", 3);
}

TEST_F(PlantedFault, ShiftedWeightCodes) {
  expect_first(diagnose_with(with_codes(op(2).inputs[1], [](std::size_t, int code) { return code + 12; })), output(2), "WRONG_ZERO_POINT",
               3);
}

TEST_F(PlantedFault, WeightsOfAnotherNetwork) {
  const auto reversed = [](std::size_t i, int code) { return i % 3 == 0 ? -code : code; };
  expect_first(diagnose_with(with_codes(op(2).inputs[1], reversed)), output(2), "WRONG_WEIGHTS", 3);
}

/// A bias of 32 bits with new codes.
ModelEdit with_bias(const Model& model, int bias, const std::function<std::int32_t(std::size_t, std::int32_t)>& change) {
  const TensorInfo& info = model.main().tensors[static_cast<std::size_t>(bias)];
  std::vector<std::byte> bytes(info.data.begin(), info.data.end());
  for (std::size_t c = 0; c * sizeof(std::int32_t) < bytes.size(); ++c) {
    std::int32_t code = 0;
    std::memcpy(&code, bytes.data() + c * sizeof code, sizeof code);
    code = change(c, code);
    std::memcpy(bytes.data() + c * sizeof code, &code, sizeof code);
  }
  ModelEdit edit;
  edit[bias].data = bytes;
  return edit;
}

TEST_F(PlantedFault, BiasOfTheWrongScale) {
  const auto fault = with_bias(*int8_, op(0).inputs[2], [](std::size_t, std::int32_t code) { return code * 4; });
  expect_first(diagnose_with(fault), output(0), "BIAS_CORRUPT", 3);
}

TEST_F(PlantedFault, BiasCutOffBelowSixteenBits) {
  const auto wrap = [](std::size_t, std::int32_t code) { return static_cast<std::int32_t>(std::clamp(code, -300, 300)); };
  const DiagnoseResult result = diagnose_with(with_bias(*int8_, op(0).inputs[2], wrap));
  EXPECT_EQ(result.findings.front().cause, "BIAS_CORRUPT") << "300 is no limit of any type";
}

TEST_F(PlantedFault, TwoFaultsAreBothFound) {
  ModelEdit faults = with_range(output(2), [](auto range) { return analysis::RealBounds{range.low * 60, range.high * 60}; });
  add(faults, with_bias(*int8_, op(0).inputs[2], [](std::size_t, std::int32_t code) { return code * 4; }));
  const DiagnoseResult result = diagnose_with(faults);
  ASSERT_GE(result.findings.size(), 2U);
  EXPECT_EQ(result.findings[0].severity, Severity::kError);
  std::string all;
  for (const Finding& each : result.findings) all += each.cause + " " + each.fix + " " + std::to_string(each.gain_db) + "\n";
  EXPECT_EQ(result.findings[1].severity, Severity::kError) << all;
  EXPECT_NE(result.findings[0].cause, result.findings[1].cause);
}

TEST_F(PlantedFault, ForeignDataAreARemarkNotFiftyCauses) {
  const auto data = open_data(example("data.h5"), *fp32_).value();
  Record record = data->read(0).value();
  for (float& value : record.inputs[0].values<float>()) value = value * 255 - 100;
  class One final : public RecordSource {
   public:
    explicit One(Record record) : record_(std::move(record)) {}
    std::int64_t count() const override { return 1; }
    Result<Record> read(std::int64_t) override { return record_; }
    std::string description() const override { return "foreign"; }

   private:
    Record record_;
  } source(record);
  DiagnoseOptions options;
  options.records = {0, 1};
  const DiagnoseResult result = diagnose(fp32_, int8_, source, options).value();
  ASSERT_FALSE(result.remarks.empty());
  EXPECT_EQ(result.remarks.front().kind, "wrong data");
}

}  // namespace
}  // namespace visq::diagnosis
