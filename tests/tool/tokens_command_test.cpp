// compare --tokens on the tiny decoder of examples/decoder: prompt, decode, caches of each model's own. What LiteRT says of the same tokens
// was computed by scripts/tokens_litert.py.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

const std::string kDecoder = std::string(VISQ_SOURCE_DIR) + "/examples/decoder/";
const std::string kFloat = kDecoder + "fp32.tflite", kQuantized = kDecoder + "int8.tflite", kTokens = kDecoder + "tokens.npy";

/// scripts/tokens_litert.py fp32.tflite tokens.npy 32
constexpr double kPerplexity = 3.3756181243306367;
const std::vector<int> kBest{9,  12, 1,  1,  10, 1, 11, 11, 4,  8,  12, 1,  1,  10, 1, 11, 11, 6, 1,  12, 1, 9,
                             10, 1,  11, 11, 8,  1, 12, 1,  10, 1,  9,  12, 1,  6,  1, 8,  11, 3, 5,  12, 1, 1,
                             10, 1,  11, 11, 5,  1, 12, 1,  1,  10, 1,  11, 11, 5,  1, 12, 1,  6, 10, 1};

ProcessResult tokens(std::vector<std::string> more, const std::string& file = kTokens) {
  std::vector<std::string> words{"compare", kFloat, kQuantized, "--tokens", file};
  words.insert(words.end(), more.begin(), more.end());
  return run_tool(words);
}

Json decoded(const std::string& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"-o", folder, "--quiet", "--metrics", "sqnr,kl"};
  words.insert(words.end(), more.begin(), more.end());
  const ProcessResult run = tokens(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  std::ifstream file(folder + "/decode/result.json");
  return file ? Json::parse(file) : Json();
}

TEST(Tokens, PromptAndDecodeAreOneSequenceThatLiteRtAgreesWith) {
  const TemporaryFolder folder;
  const Json result = decoded(folder / "out");
  ASSERT_TRUE(result.contains("tokens"));
  EXPECT_EQ(schema_violation("compare.schema.json", result), "");
  const Json& said = result["tokens"];
  EXPECT_EQ(said["count"], 64);
  EXPECT_EQ(said["vocabulary"], 16);
  EXPECT_NEAR(said["perplexity"]["reference"].get<double>(), kPerplexity, 1e-4 * kPerplexity);
  std::vector<int> best;
  for (const Json& token : said["list"]) best.push_back(token["reference"]["best"].get<int>());
  EXPECT_EQ(best, kBest);
  EXPECT_EQ(said["list"][0]["position"], 32);
  EXPECT_EQ(said["list"][32]["sequence"], 1);
  EXPECT_TRUE(said["list"][31]["next"].is_null());
  EXPECT_TRUE(said["list"][31]["reference"]["loss"].is_null());
  EXPECT_EQ(result["data"]["sequence"]["length"], 32);
  std::ifstream prefill(folder / "out/prefill_16/result.json");
  const Json before = Json::parse(prefill);
  EXPECT_FALSE(before.contains("tokens")) << "prefill has no logits";
  EXPECT_EQ(before["data"]["records"], Json({0, 4}));
}

/// The caches that prefill hands over are those that decode alone would have made.
TEST(Tokens, HowMuchOfThemIsPromptChangesNothingForTheRest) {
  const TemporaryFolder folder;
  const Json half = decoded(folder / "half"), alone = decoded(folder / "alone", {"--signature", "decode"});
  // One signature alone has no folder of its own.
  std::ifstream file(folder / "alone/result.json");
  const Json all = Json::parse(file);
  ASSERT_EQ(all["tokens"]["count"], 128);
  const auto loss = [](const Json& result, std::size_t i) { return result["tokens"]["list"][i]["quantized"]["loss"].get<double>(); };
  for (std::size_t i = 0; i < 31; ++i) EXPECT_NEAR(loss(half, i), loss(all, 32 + i), 1e-4) << i;
}

TEST(Tokens, RecordsCountSequences) {
  const TemporaryFolder folder;
  const Json both = decoded(folder / "both"), second = decoded(folder / "second", {"--records", "1:2"});
  ASSERT_EQ(second["tokens"]["count"], 32);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(second["tokens"]["list"][i], both["tokens"]["list"][32 + i]) << i;
}

TEST(Tokens, AModelAgainstItselfHasNoError) {
  const ProcessResult run = run_tool({"compare", kFloat, kFloat, "--tokens", kTokens, "--prompt", "48", "--records", "1", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("16 tokens by logits, one of 16"));
  EXPECT_THAT(run.out, HasSubstr("the greedy token is the same in 100.00 %; KL divergence 0 nats in the mean"));
}

TEST(Tokens, WhatDoesNotGoTogetherIsSaid) {
  expect_error(tokens({"-d", kData}), 2, "--tokens: goes without --data");
  expect_error(tokens({"--sequence-length", "2"}), 2, "--tokens: goes without --sequence-length");
  expect_error(tokens({"--records", "worst:2"}), 2, "--records worst: with --tokens no record stands alone");
  expect_error(tokens({"--prompt", "65"}), 2, "--prompt: '65' is not a whole number from 0 to 64");
  expect_error(tokens({"--signature", "serve"}), 3, kFloat + ": has no signature 'serve'; it has 'decode', 'prefill_16'");
  expect_error(run_tool({"compare", kFp32, kInt8, "--tokens", kTokens}), 3,
               kFp32 + ": --tokens: no input is called 'tokens', only 'image'");
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--prompt", "3"}), 2, "--prompt: is of no use without --tokens");
}

Json asked(const std::string& command, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{command, kFloat, kQuantized, "--tokens", kTokens, "--json", "-"};
  words.insert(words.end(), more.begin(), more.end());
  const ProcessResult run = run_tool(words);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return run.exit_code == 0 ? Json::parse(run.out) : Json();
}

/// Calls of decode, each with the caches that the float model has there: what a record of a comparison of them gives is what the
/// sequence gives for a model without error of its own.
TEST(Tokens, OtherCommandsTakeCallsThatStandAlone) {
  for (const std::string command : {"diagnose", "recommend", "sensitivity", "partial", "accumulate"}) {
    const Json result = asked(command, {"--prompt", "48"});
    EXPECT_EQ(schema_violation(command + ".schema.json", result), "") << command;
    EXPECT_EQ(result["models"]["reference"]["signature"], "decode") << command;
  }
}

TEST(Tokens, AnOtherPromptOrSignatureIsTaken) {
  const ProcessResult run = run_tool({"diagnose", kFloat, kQuantized, "--tokens", kTokens, "--signature", "prefill_16"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("--tokens " + kTokens + " --signature prefill_16")) << "the next command asks of the same";
  const ProcessResult decode = run_tool({"diagnose", kFloat, kQuantized, "--tokens", kTokens, "--records", "1", "--prompt", "60"});
  EXPECT_EQ(decode.exit_code, 0) << decode.err;
}

TEST(Tokens, ReportHasASectionForEachStage) {
  const TemporaryFolder folder;
  const ProcessResult run =
      run_tool({"report", kFloat, kQuantized, "--tokens", kTokens, "--time-limit", "60s", "-o", folder / "page.html"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::ifstream file(folder / "page.html");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(open) + open.size();
  const Json sections = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0]["models"]["reference"]["signature"], "prefill_16");
  EXPECT_FALSE(sections[0].contains("tokens"));
  EXPECT_EQ(sections[1]["tokens"]["count"], 64);
  EXPECT_NEAR(sections[1]["tokens"]["perplexity"]["reference"].get<double>(), kPerplexity, 1e-4 * kPerplexity);
  EXPECT_FALSE(sections[1]["diagnosis"].is_null());
}

TEST(Tokens, OtherCommandsSayWhatDoesNotGoTogether) {
  expect_error(run_tool({"diagnose", kFloat, kQuantized, "--tokens", kTokens, "-d", kData}), 2, "--tokens: goes without --data");
  expect_error(run_tool({"sensitivity", kFp32, kInt8, "--prompt", "3"}), 2, "--prompt: is of no use without --tokens");
}

}  // namespace
}  // namespace visq::testing
