// merge: results of parts joined are, byte for byte, the result of one run over all; and parts that do not fit are refused.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class Merge : public ::testing::Test {
 protected:
  /// What a run over some records with these options writes, as a file of its own.
  std::string part(const std::string& command, const std::string& records, const Words& options) {
    const std::string path = folder_ / (command + std::to_string(++parts_) + ".json");
    const ProcessResult run =
        run_tool(Words{command, kFp32, kInt8, "-d", kData, "--records", records, "--quiet", "--json", path} + options);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return path;
  }
  ProcessResult merged(const Words& files) { return run_tool(Words{"merge", "--quiet", "--json", "-"} + files); }
  void expect_joined(const std::string& command, const Words& options) {
    const std::string whole = part(command, "1:16", options), middle = part(command, "4:10", options);
    const ProcessResult run = merged({middle, part(command, "10:16", options), part(command, "1:4", options)});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_TRUE(run.out == read_text(whole)) << "the bytes differ";
    EXPECT_EQ(schema_violation(command + ".schema.json", Json::parse(run.out)), "");
  }
  std::string edited(const std::string& path, const std::function<void(Json&)>& edit) {
    Json json = Json::parse(read_text(path));
    edit(json);
    write_text(folder_ / "edited.json", json.dump());
    return folder_ / "edited.json";
  }

  TemporaryFolder folder_;
  int parts_ = 0;
};

TEST_F(Merge, GivesWhatOneRunOfCompareGives) {
  expect_joined("compare", {"--per-record"});
  expect_joined("compare", {"--per-record", "--per-channel", "--metrics", "sqnr,atol", "--ops", "CONV_2D", "--max-scale", "0.01"});
  expect_joined("compare", {"--per-record", "--origin"});
  expect_joined("compare", {"--per-record", "--post", "softmax", "--mode", "integer", "--labels", example("labels.npy")});
}

TEST_F(Merge, GivesWhatOneRunOfBadcaseGives) {
  expect_joined("badcase", {"--per-record"});
  expect_joined("badcase", {"--per-record", "--metrics", "cosine,l1", "--nodes", "*", "--post", "softmax"});
}

TEST_F(Merge, ChunksOfAnySizeOnAnyThreadsGiveTheBitsOfOneRun) {
  const std::string whole = read_text(part("compare", "0:24", {"--per-record", "--threads", "1"}));
  for (const int chunk : {1, 2, 5, 7, 23}) {
    Words parts;
    for (int first = 0; first < 24; first += chunk) {
      const std::string threads = std::to_string(1 + first % 3);
      parts.push_back(part("compare", fmt::format("{}:{}", first, std::min(first + chunk, 24)), {"--per-record", "--threads", threads}));
    }
    const ProcessResult run = merged(parts);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(run.out == whole) << chunk << " records at a time";
  }
}

TEST_F(Merge, OfItsOwnResultsGoesOn) {
  const std::string a = part("compare", "0:2", {"--per-record"}), b = part("compare", "2:3", {"--per-record"});
  const std::string ab = folder_ / "ab.json", c = part("compare", "3:5", {"--per-record"});
  EXPECT_EQ(run_tool({"merge", a, b, "--quiet", "--json", ab}).exit_code, 0);
  EXPECT_EQ(merged({c, ab}).out, read_text(part("compare", "0:5", {"--per-record"})));
}

TEST_F(Merge, WritesWhatCompareWrites) {
  const Words both{part("compare", "0:2", {"--per-record"}), part("compare", "2:4", {"--per-record"})};
  const ProcessResult run = run_tool(Words{"merge", "-o", folder_ / "merged"} + both);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("4 records"));
  part("compare", "0:4", {"--per-record", "-o", folder_ / "whole"});
  for (const std::string name : {"fp32.mse.visq.json", "fp32.mse.visq.json.dot", "compare_per_layer_out.csv", "match.txt", "result.json"}) {
    EXPECT_TRUE(read_text(folder_ / ("merged/" + name)) == read_text(folder_ / ("whole/" + name))) << name;
  }
}

TEST_F(Merge, RefusesPartsThatDoNotFit) {
  const std::string a = part("compare", "0:2", {"--per-record"}), b = part("compare", "2:4", {"--per-record"});
  const auto refused = [&](const Words& files, const std::string& why) { expect_error_containing(merged(files), 3, why); };
  const std::string plain = part("compare", "4:5", {});
  refused({a, plain}, plain + ": holds no sums of its records; make it with --per-record");
  refused({a, part("compare", "1:3", {"--per-record"})}, ": records 0:2 and 1:3 overlap");
  refused({a, a}, ": records 0:2 and 0:2 overlap");
  refused({a, part("compare", "3:4", {"--per-record"})}, ": records 2:3 are missing between them");
  refused({a, part("compare", "2:4", {"--per-record", "--metrics", "mse"})}, ": are results of other metrics");
  refused({a, part("compare", "2:4", {"--per-record", "--origin"})}, ": are results of other --origin");
  refused({a, part("compare", "2:4", {"--per-record", "--mode", "integer"})}, ": are results of other modes");
  refused({a, part("badcase", "2:4", {"--per-record"})}, ": are results of other commands");
  refused({a, edited(b, [](Json& json) { json["data"]["file"] = "other.h5"; })}, ": are results of other data");
  refused({a, edited(b, [](Json& json) { json["models"]["quantized"]["sha256"] = "0"; })}, ": are results of other models");
  refused({a, kFp32}, "is not JSON");
}

TEST_F(Merge, RefusesFilesThatAreNotWhatTheySeem) {
  const std::string a = part("compare", "0:2", {"--per-record"});
  const auto refused = [&](const std::string& why, const std::function<void(Json&)>& edit) {
    expect_error_containing(merged({edited(a, edit)}), 3, why);
  };
  refused("has the sums of 1 records, not of 0:2", [](Json& json) { json["sums"]["records"].erase(0); });
  refused("'sums.records' holds what is no sums", [](Json& json) { json["sums"]["records"][0] = "??"; });
  refused("the sums of record 0 are not of these models", [](Json& json) { json["sums"]["records"][0] = ""; });
  refused("the sums of record 0 are not of these models", [](Json& json) {
    std::string text = json["sums"]["records"][0];
    json["sums"]["records"][0] = text.substr(0, text.size() / 8 * 4);
  });
  refused("edited.json: ", [](Json& json) { json["sums"]["metrics"][0] = "loss"; });
  refused("edited.json: ", [](Json& json) { json["modes"] = 7; });
  refused("is not the model that the results are of", [](Json& json) { json["models"]["reference"]["sha256"] = "0"; });
  refused("nothing.tflite", [](Json& json) { json["models"]["reference"]["file"] = "nothing.tflite"; });
}

}  // namespace
}  // namespace visq::testing
