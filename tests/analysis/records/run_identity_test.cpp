// Every result says what it is of, without the tool's help.
#include "analysis/records/run_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "visq/accumulate.h"
#include "visq/badcase.h"
#include "visq/check.h"
#include "visq/compare.h"
#include "visq/diagnose.h"
#include "visq/distribution.h"
#include "visq/extract.h"
#include "visq/partial.h"
#include "visq/profile.h"
#include "visq/recommend.h"
#include "visq/report.h"
#include "visq/sensitivity.h"

namespace visq {
namespace {

using ::testing::HasSubstr;

const std::string kExample = std::string(VISQ_SOURCE_DIR) + "/examples/digits/";

class ResultIdentity : public ::testing::Test {
 protected:
  ResultIdentity()
      : reference_(std::make_shared<const Model>(load_model(kExample + "fp32.tflite").value())),
        quantized_(std::make_shared<const Model>(load_model(kExample + "int8.tflite").value())),
        data_(open_data(kExample + "data.h5", *reference_).value()) {}

  template <class Options>
  Options options() const {
    Options options;
    options.records = {1, 2};
    options.threads = 1;
    return options;
  }

  template <class Found>
  void expect_run(const Result<Found>& found) const {
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->data, data_->description());
    EXPECT_EQ(found->records.first, 1);
    EXPECT_EQ(found->records.last, 2);
    EXPECT_FALSE(found->interrupted);
  }

  template <class Found>
  void expect_pair(const Result<Found>& found) const {
    ASSERT_NO_FATAL_FAILURE(expect_run(found));
    EXPECT_EQ(found->reference.path, kExample + "fp32.tflite");
    EXPECT_EQ(found->reference.sha256.hex(), file_sha256(kExample + "fp32.tflite").value());
    EXPECT_EQ(found->quantized.sha256.hex(), file_sha256(kExample + "int8.tflite").value());
    EXPECT_EQ(&found->quantized.sha256.hex(), &quantized_->checksum.hex()) << "computed once per model";
  }

  std::shared_ptr<const Model> reference_, quantized_;
  std::unique_ptr<RecordSource> data_;
};

TEST_F(ResultIdentity, StandsInEveryResultOfAPair) {
  expect_pair(compare(reference_, quantized_, *data_, options<CompareOptions>()));
  expect_pair(badcase(reference_, quantized_, *data_, options<BadcaseOptions>()));
  expect_pair(distribution(reference_, quantized_, *data_, options<DistributionOptions>()));
  expect_pair(sensitivity(reference_, quantized_, *data_, options<SensitivityOptions>()));
  expect_pair(accumulate(reference_, quantized_, *data_, options<AccumulateOptions>()));
  expect_pair(partial(reference_, quantized_, *data_, options<PartialOptions>()));
  expect_pair(diagnose(reference_, quantized_, *data_, options<DiagnoseOptions>()));
  expect_pair(recommend(reference_, quantized_, *data_, options<RecommendOptions>()));
}

TEST_F(ResultIdentity, StandsInResultsOfSingleModels) {
  auto profiled = options<ProfileOptions>();
  profiled.modes = {Mode::kFp32, Mode::kFakeQuant};
  const auto profiles = profile(reference_, quantized_, *data_, profiled);
  ASSERT_NO_FATAL_FAILURE(expect_run(profiles));
  EXPECT_EQ(profiles->models[1].model.sha256.hex(), quantized_->checksum.hex());

  auto wanted = options<ExtractOptions>();
  wanted.node = tensor_names(reference_->main())[static_cast<std::size_t>(reference_->main().outputs[0])];
  const auto part = extract(reference_, quantized_, *data_, wanted);
  ASSERT_NO_FATAL_FAILURE(expect_run(part));
  EXPECT_EQ(part->reference.model.sha256.hex(), reference_->checksum.hex());

  const auto checked = check(reference_, quantized_);
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->model.sha256.hex(), quantized_->checksum.hex());
  EXPECT_EQ(checked->reference->sha256.hex(), reference_->checksum.hex());
}

TEST_F(ResultIdentity, IsInTheJsonOfALibraryUser) {
  const auto result = compare(reference_, quantized_, *data_, options<CompareOptions>());
  ASSERT_TRUE(result);
  EXPECT_THAT(result_json(*result), HasSubstr(file_sha256(kExample + "int8.tflite").value()));
}

TEST_F(ResultIdentity, TellsModesSequencesAndWhetherTheRunWasStopped) {
  auto request = options<CompareOptions>();
  request.quantized_mode = Mode::kInteger;
  request.sequence.length = 4;
  request.post = PostProcess::kSoftmax;
  const std::atomic<bool> stop = true;
  request.stop = &stop;
  const auto result = compare(reference_, quantized_, *data_, request);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->quantized_mode, Mode::kInteger);
  EXPECT_EQ(result->sequence.length, 4);
  EXPECT_EQ(result->post, PostProcess::kSoftmax);
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(result->records.last, 1);
}

TEST(RunIdentity, OfAFileInAModelsPlaceHasAChecksumOfAFolderNone) {
  EXPECT_EQ(analysis::file_identity(kExample + "data.h5").sha256.hex(), file_sha256(kExample + "data.h5").value());
  EXPECT_EQ(analysis::file_identity(kExample).sha256.hex(), "");
}

TEST(RunIdentity, OfAModelMadeInMemoryHasNoChecksum) {
  Model model;
  model.path = "made";
  EXPECT_EQ(identity(model).sha256.hex(), "");
  EXPECT_EQ(identity(model).path, "made");
}

}  // namespace
}  // namespace visq
