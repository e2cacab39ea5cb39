// Results read back: as they were written, and what is missing in them.
#include "visq/report/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/results/report_results.h"
#include "support/runs/process.h"
#include "visq/report.h"

namespace visq::report {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

CompareResult part_result() {
  CompareResult result = testing::complete_result();
  result.sequence = {{"out=in"}, "state.npy", 8};
  result.reference_mode = Mode::kFakeQuant;
  result.quantized_mode = Mode::kInteger;
  result.post = PostProcess::kSoftmax;
  result.sums = RecordSums{{{"conv*"}, {}}, true, false, false, 2.5, {"one", std::string("\0two", 4)}, {}};
  result.sums->pairs = {{1, 2, PairedBy::kUser, 0, false}, {3, 4, PairedBy::kMaps, 0.25, true}};
  return result;
}

class ResultFile : public ::testing::Test {
 protected:
  /// Where the result lies once `edit` has been at it.
  template <class Edit>
  std::string file(Edit edit) {
    Json document = Json::parse(result_json(part_result()));
    edit(document);
    testing::write_text(folder_ / "result.json", document.dump());
    return folder_ / "result.json";
  }
  std::string file() {
    return file([](Json&) {});
  }

  testing::TemporaryFolder folder_;
};

void expect_same(const PairIdentity& a, const PairIdentity& b) {
  EXPECT_EQ(a.reference.path, b.reference.path);
  EXPECT_EQ(a.reference.sha256.hex(), b.reference.sha256.hex());
  EXPECT_EQ(a.quantized.path, b.quantized.path);
  EXPECT_EQ(a.quantized.sha256.hex(), b.quantized.sha256.hex());
  EXPECT_EQ(a.data, b.data);
  EXPECT_EQ(a.records.first, b.records.first);
  EXPECT_EQ(a.records.last, b.records.last);
  EXPECT_EQ(a.sequence, b.sequence);
  EXPECT_EQ(a.reference_mode, b.reference_mode);
  EXPECT_EQ(a.quantized_mode, b.quantized_mode);
  EXPECT_EQ(a.post, b.post);
}

TEST_F(ResultFile, SaysWhatItIsOfAsItWasWritten) {
  const auto result = read_result(file());
  ASSERT_TRUE(result) << result.error().message;
  expect_same(*result, part_result());
  EXPECT_EQ(result->nodes.size(), part_result().maps.size());
}

TEST_F(ResultFile, GivesAPartItsSums) {
  const auto part = read_part(file());
  ASSERT_TRUE(part) << part.error().message;
  expect_same(*part, part_result());
  EXPECT_FALSE(part->badcase);
  EXPECT_EQ(part->sums.nodes, part_result().sums->nodes);
  EXPECT_EQ(part->sums.records, part_result().sums->records);
  EXPECT_EQ(part->sums.max_scale, 2.5);
  EXPECT_EQ(part->sums.pairs, part_result().sums->pairs);
  EXPECT_TRUE(part->sums.modes_given);
}

TEST_F(ResultFile, LeavesOpenWhatItDoesNotSayButIsNoPartThen) {
  const std::vector<std::pair<std::function<void(Json&)>, std::string>> gaps{
      {[](Json& json) { json.erase("models"); }, "'models.reference.file' is not a string"},
      {[](Json& json) { json["models"]["quantized"].erase("sha256"); }, "'models.quantized.sha256' is not a string"},
      {[](Json& json) { json["data"]["file"] = 7; }, "'data.file' is not a string"},
      {[](Json& json) {
         json["data"]["records"] = {4, 2};
       },
       "'data.records' is no range"},
      {[](Json& json) {
         json["data"]["records"] = {0, 1e300};
       },
       "'data.records' is no range"},
      {[](Json& json) { json["data"]["sequence"]["feed_back"] = {1}; }, "'data.sequence.feed_back' holds what is not a string"},
      {[](Json& json) { json["modes"] = 7; }, "'modes' are not two modes"},
      {[](Json& json) {
         json["modes"] = {"fp32", "int3"};
       },
       "'modes' are not two modes"}};
  for (const auto& [edit, fault] : gaps) {
    const std::string path = file(edit);
    EXPECT_TRUE(read_result(path)) << fault;
    const auto part = read_part(path);
    ASSERT_FALSE(part) << fault;
    EXPECT_EQ(part.error().message, path + ": " + fault);
  }
}

TEST_F(ResultFile, IsNoPartWithoutSums) {
  const auto part = read_part(file([](Json& json) { json.erase("sums"); }));
  ASSERT_FALSE(part);
  EXPECT_THAT(part.error().message, HasSubstr("holds no sums of its records"));
}

}  // namespace
}  // namespace visq::report
