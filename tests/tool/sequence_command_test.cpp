// --feed-back, --state and --sequence-length, on a network of speech frames whose state goes from output to input.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

const std::string kFolder = std::string(VISQ_SHARED_DIR) + "/models/dtln_1/";
const std::string kFloat = kFolder + "fp32.tflite", kQuantized = kFolder + "int8.tflite", kFrames = kFolder + "data.h5";
const std::string kLink = "StatefulPartitionedCall:1=serving_default_input_3:0";

class SequenceCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFloat)) GTEST_SKIP() << "no shared models beside the project";
  }
};

Json json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
  const ProcessResult run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.exit_code == 0 ? Json::parse(run.out) : Json();
}

TEST_F(SequenceCommand, DependsOnWhatWasBeforeAndNotOnThreads) {
  const auto compare = [](const std::string& records, const std::vector<std::string>& more) {
    std::vector<std::string> words{"compare", kFloat, kQuantized, "-d", kFrames, "--records", records, "--feed-back", kLink};
    words.insert(words.end(), more.begin(), more.end());
    return json_of(words);
  };
  const Json one = compare("0:6", {"--per-record"});
  EXPECT_EQ(one, compare("0:6", {"--per-record", "--threads", "3"}));
  const auto record = [](const Json& result, std::size_t index) {
    for (const Json& node : result["nodes"]) {
      if (node["name"] == "StatefulPartitionedCall:0") return node["per_record"][index];
    }
    return Json();
  };
  const Json cut = compare("0:6", {"--per-record", "--sequence-length", "3"});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(record(one, i), record(cut, i)) << i;
  EXPECT_NE(record(one, 3)["metrics"], record(cut, 3)["metrics"]);
  EXPECT_EQ(record(compare("3:6", {"--per-record"}), 0)["metrics"], record(cut, 3)["metrics"]) << "A:B starts afresh at A";
}

TEST_F(SequenceCommand, BadcaseSavesAFrameThatStandsAlone) {
  const TemporaryFolder folder;
  const Json bad =
      json_of({"badcase", kFloat, kQuantized, "-d", kFrames, "--records", "8", "--feed-back", kLink, "--save", folder / "worst.h5"});
  std::set<int> records;
  for (const Json& each : bad["cases"]) records.insert(each["record"].get<int>());
  ASSERT_FALSE(records.empty());
  EXPECT_GT(*records.rbegin(), 0) << "the first record would show nothing";
  // Each frame alone, with the state that stands in the file, gives what the sequence gave.
  ASSERT_EQ(run_tool({"run", kFloat, "-d", folder / "worst.h5", "-o", folder / "alone.h5", "--quiet"}).exit_code, 0);
  ASSERT_EQ(
      run_tool({"run", kFloat, "-d", kFrames, "--records", "8", "--feed-back", kLink, "-o", folder / "whole.h5", "--quiet"}).exit_code, 0);
  const std::string output = "StatefulPartitionedCall:0";
  const auto alone = values_of(folder / "alone.h5", output), whole = values_of(folder / "whole.h5", output);
  ASSERT_EQ(alone.size(), records.size());
  std::size_t i = 0;
  for (const int record : records) EXPECT_EQ(alone[i++], whole[static_cast<std::size_t>(record)]) << record;
}

TEST_F(SequenceCommand, StateIsTheFirstRecordsStart) {
  const TemporaryFolder folder;
  // The data's own first state, given as --state, makes the first record what it is without --feed-back.
  const Json plain = json_of({"compare", kFloat, kQuantized, "-d", kFrames, "--records", "2:3"});
  ASSERT_EQ(run_tool({"badcase", kFloat, kQuantized, "-d", kFrames, "--records", "2:3", "--save", folder / "state.h5"}).exit_code, 0);
  const Json given =
      json_of({"compare", kFloat, kQuantized, "-d", kFrames, "--records", "2:3", "--feed-back", kLink, "--state", folder / "state.h5"});
  EXPECT_EQ(given["outputs"], plain["outputs"]);
}

/// What a node is fed with in a sequence is what the whole model computes in it, and its distribution is that of these values.
TEST_F(SequenceCommand, ExtractAndDistributionSeeTheSequence) {
  const TemporaryFolder folder;
  const std::vector<std::string> sequence{"-d", kFrames, "--records", "4", "--feed-back", kLink, "--sequence-length", "2"};
  const auto with = [&](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), sequence.begin(), sequence.end());
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  };
  const std::string state = "StatefulPartitionedCall:1";
  ASSERT_EQ(with({"extract", kFloat, kQuantized}, {"--nodes", state, "-o", folder / "part", "--quiet"}).exit_code, 0);
  ASSERT_EQ(with({"run", kFloat}, {"-o", folder / "whole.h5", "--quiet"}).exit_code, 0);
  const auto part = values_of(folder / "part/reference.h5", state), whole = values_of(folder / "whole.h5", state);
  ASSERT_EQ(part.size(), 4U);
  EXPECT_EQ(part, whole);
  EXPECT_NE(whole[2], whole[0]);
  double largest = 0;
  for (const auto& record : whole) {
    std::vector<float> values(record.size() / sizeof(float));
    std::memcpy(values.data(), record.data(), record.size());
    for (const float value : values) largest = std::max(largest, std::fabs(static_cast<double>(value)));
  }
  const ProcessResult run = with({"distribution", kFloat, kQuantized}, {"--nodes", state, "--json", "-", "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out)["distributions"][0]["reference"]["max_abs"], largest);
}

/// The options that a result tells, as words of a command line.
std::vector<std::string> options_of(const Json& data) {
  std::vector<std::string> words{"-d", data["file"], "--records", data["records"][0].dump() + ":" + data["records"][1].dump()};
  for (const auto& link : data["sequence"]["feed_back"]) words.insert(words.end(), {"--feed-back", link});
  if (data["sequence"]["state"].is_string()) words.insert(words.end(), {"--state", data["sequence"]["state"]});
  if (data["sequence"]["length"].is_number()) words.insert(words.end(), {"--sequence-length", data["sequence"]["length"].dump()});
  return words;
}

/// Whoever has the result can run it again: every command tells the options of its sequences.
TEST_F(SequenceCommand, ResultsTellTheOptionsThatGiveThemAgain) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool({"badcase", kFloat, kQuantized, "-d", kFrames, "--records", "2:3", "--save", folder / "state.h5"}).exit_code, 0);
  const std::vector<std::string> sequence{
      "-d", kFrames, "--records", "5", "--feed-back", kLink, "--state", folder / "state.h5", "--sequence-length", "2"};
  const std::string state = "StatefulPartitionedCall:1";
  const std::vector<std::pair<std::string, std::vector<std::string>>> commands{
      {"compare", {kFloat, kQuantized}},
      {"badcase", {kFloat, kQuantized}},
      {"profile", {kFloat, kQuantized}},
      {"distribution", {kFloat, kQuantized, "--nodes", state}},
      {"extract", {kFloat, kQuantized, "--nodes", state, "-o", folder / "part"}},
      {"run", {kFloat, "-o", folder / "maps.h5"}}};
  for (const auto& [command, words] : commands) {
    SCOPED_TRACE(command);
    const auto with = [&, name = command, fixed = words](const std::vector<std::string>& options) {
      std::vector<std::string> all{name};
      all.insert(all.end(), fixed.begin(), fixed.end());
      all.insert(all.end(), options.begin(), options.end());
      return json_of(all);
    };
    const Json first = with(sequence);
    ASSERT_TRUE(first["data"].contains("sequence"));
    EXPECT_EQ(first["data"]["sequence"]["length"], 2);
    EXPECT_EQ(schema_violation(command + ".schema.json", first), "");
    EXPECT_EQ(with(options_of(first["data"])), first);
  }
}

/// Parts of sequences are joined where they begin with one, and only there.
TEST_F(SequenceCommand, MergesWholeSequencesOnly) {
  const TemporaryFolder folder;
  const auto part = [&](const std::string& records, const std::string& file) {
    return run_tool({"compare", kFloat, kQuantized, "-d", kFrames, "--records", records, "--feed-back", kLink, "--sequence-length", "2",
                     "--per-record", "--json", folder / file, "--quiet"})
        .exit_code;
  };
  ASSERT_EQ(part("0:4", "first.json"), 0);
  ASSERT_EQ(part("4:6", "second.json"), 0);
  ASSERT_EQ(part("0:3", "cut.json"), 0);
  ASSERT_EQ(part("3:6", "rest.json"), 0);
  ASSERT_EQ(part("0:6", "whole.json"), 0);
  ASSERT_EQ(run_tool({"merge", folder / "first.json", folder / "second.json", "--json", folder / "merged.json", "--quiet"}).exit_code, 0);
  EXPECT_EQ(read_text(folder / "merged.json"), read_text(folder / "whole.json"));
  expect_error(run_tool({"merge", folder / "cut.json", folder / "rest.json", "--quiet"}), 3,
               folder / "rest.json" + ": begins with record 3, in the middle of a sequence, which one run would have carried on");
}

TEST_F(SequenceCommand, SaysThatDataAreNotUsed) {
  const ProcessResult run = run_tool({"compare", kFloat, kQuantized, "-d", kFrames, "--records", "2", "--feed-back", kLink, "--json", "-"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("its values of 'serving_default_input_3:0' are not used: --feed-back gives them"));
}

TEST_F(SequenceCommand, ProfilesBothModels) {
  const Json profile = json_of({"profile", kFloat, kQuantized, "-d", kFrames, "--records", "3", "--feed-back", kLink});
  EXPECT_EQ(profile["models"].size(), 2U);
}

TEST(SequenceOptions, AreChecked) {
  const auto tried = [](std::vector<std::string> more) {
    std::vector<std::string> words{"compare", kFp32, kInt8, "-d", kData};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  };
  expect_error(tried({"--feed-back", "Identity"}), 2, "--feed-back: 'Identity' is neither OUTPUT=INPUT nor names with one *");
  expect_error(tried({"--feed-back", "=image"}), 2, "--feed-back: '=image' is neither OUTPUT=INPUT nor names with one *");
  expect_error(tried({"--feed-back", "a=b=image"}), 2, "--feed-back: " + kFp32 + " has no graph output 'a=b', only 'Identity'");
  expect_error(tried({"--feed-back", "Identity=pixels"}), 2, "--feed-back: " + kFp32 + " has no graph input 'pixels', only 'image'");
  expect_error(tried({"--feed-back", "Identity=image"}), 2, "--feed-back Identity=image: shape [1, 10], expected [1, 8, 8, 1]");
  expect_error(tried({"--state", kData}), 2, "--state: is of no use without --feed-back");
  expect_error(tried({"--sequence-length", "0"}), 2, "--sequence-length: '0' is not a whole number from 1 to 9223372036854775807");
  const ProcessResult idle = tried({"--sequence-length", "4", "--json", "-"});
  EXPECT_EQ(idle.exit_code, 0);
  EXPECT_THAT(idle.err, HasSubstr("--sequence-length changes nothing"));
}

/// A model with state of its own. Where every record starts afresh, one behind another is what it is alone.
class IndependentRecords : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << "no shared models beside the project";
  }
  Json of(const std::string& command, const std::string& records, const std::vector<std::string>& more) const {
    std::vector<std::string> words{command, folder_ + "fp32.tflite", folder_ + "quant.tflite", "-d", folder_ + "data.h5", "--records",
                                   records};
    words.insert(words.end(), more.begin(), more.end());
    return json_of(words);
  }

  std::string folder_ = std::string(VISQ_SHARED_DIR) + "/real_failures/cases/ok_lstm/";
};

TEST_F(IndependentRecords, AreRankedAsEachAlone) {
  const std::vector<std::string> afresh{"--sequence-length", "1"};
  const auto error = [](const Json& result) { return result["all_quantized"]["metrics"]["mse"].get<double>(); };
  const Json both = of("sensitivity", "0:2", afresh);
  EXPECT_NEAR(error(both), (error(of("sensitivity", "0:1", {})) + error(of("sensitivity", "1:2", {}))) / 2, 1e-12);
  EXPECT_NE(error(both), error(of("sensitivity", "0:2", {}))) << "else the state says nothing";
  EXPECT_EQ(schema_violation("sensitivity.schema.json", both), "");
}

TEST_F(IndependentRecords, AreJudgedAsEachAlone) {
  const auto sqnr = [](const Json& result) { return result["outputs"][0]["sqnr"].get<double>(); };
  const Json both = of("diagnose", "0:2", {"--sequence-length", "1"});
  const double first = sqnr(of("diagnose", "0:1", {})), second = sqnr(of("diagnose", "1:2", {}));
  EXPECT_GE(sqnr(both), std::min(first, second)) << "noise and signal of both, summed";
  EXPECT_LE(sqnr(both), std::max(first, second));
  EXPECT_NE(sqnr(both), sqnr(of("diagnose", "0:2", {}))) << "else the state says nothing";
  EXPECT_EQ(schema_violation("diagnose.schema.json", both), "");
  EXPECT_EQ(both["data"]["sequence"]["length"], 1);
  EXPECT_EQ(schema_violation("recommend.schema.json", of("recommend", "0:2", {"--sequence-length", "1"})), "");
}

}  // namespace
}  // namespace visq::testing
