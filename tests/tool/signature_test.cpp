// Models with several signatures: which one runs, what is said of the others, and where the results of each go.
#include <nlohmann/json.hpp>

#include "support/models/model_builder.h"
#include "support/runs/data_files.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// Signature `first` negates four values, `second` takes the absolute values of two; subgraphs are in the other order.
std::string two_signatures(const std::string& first, const std::string& second) {
  return build_model("tflite", R"({version: 3, operator_codes: [{builtin_code: NEG}, {builtin_code: ABS}], buffers: [{}], subgraphs: [
    {inputs: [0], outputs: [1], tensors: [{name: "a", shape: [1, 2]}, {name: "b", shape: [1, 2]}],
     operators: [{opcode_index: 1, inputs: [0], outputs: [1]}]},
    {inputs: [0], outputs: [1], tensors: [{name: "c", shape: [1, 4]}, {name: "d", shape: [1, 4]}],
     operators: [{opcode_index: 0, inputs: [0], outputs: [1]}]}],
    signature_defs: [
      {signature_key: ")" + first +
                                   R"(", subgraph_index: 1, inputs: [{name: "tokens", tensor_index: 0}],
       outputs: [{name: "cache", tensor_index: 1}]},
      {signature_key: ")" + second +
                                   R"(", subgraph_index: 0, inputs: [{name: "token", tensor_index: 0}],
       outputs: [{name: "logits", tensor_index: 1}]}]})");
}

class Signatures : public ::testing::Test {
 protected:
  Signatures() {
    write_text(model_, two_signatures("prefill", "decode"));
    write_text(renamed_, two_signatures("begin", "go_on"));
  }
  const TemporaryFolder folder_;
  const std::string model_ = folder_ / "m.tflite", renamed_ = folder_ / "r.tflite";
};

TEST_F(Signatures, TheOneThatIsNamedRuns) {
  const ProcessResult run = run_tool({"run", model_, "--signature", "prefill", "-o", folder_ / "maps.h5"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(values_of(folder_ / "maps.h5", "d").size(), 1U);
}

TEST_F(Signatures, WithoutANameTheFirstRunsAndTheOthersAreTold) {
  const ProcessResult run = run_tool({"run", model_, "-o", folder_ / "maps.h5"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("m.tflite: signature 'prefill' of 'prefill', 'decode'; --signature NAME runs another"));
  EXPECT_EQ(values_of(folder_ / "maps.h5", "d").size(), 1U);
}

TEST_F(Signatures, AnUnknownOneIsRefusedWithThoseThatThereAre) {
  expect_error(run_tool({"run", model_, "--signature", "serve", "-o", folder_ / "maps.h5"}), 3,
               model_ + ": has no signature 'serve'; it has 'prefill', 'decode'");
  expect_error(run_tool({"run", kFp32, "--signature", "decode", "-o", folder_ / "maps.h5"}), 3,
               kFp32 + ": has no signature 'decode'; it has none");
}

TEST_F(Signatures, CompareGoesThroughAllThatBothHave) {
  const ProcessResult run = run_tool({"compare", model_, model_, "-o", folder_ / "out", "--json", folder_ / "result.json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Signature prefill\n"));
  EXPECT_THAT(run.out, HasSubstr("\nSignature decode\n"));
  for (const auto& [signature, op] : {std::pair{"prefill", "NEG"}, {"decode", "ABS"}}) {
    const Json json = Json::parse(read_text(folder_ / "out" + "/" + signature + "/result.json"));
    EXPECT_EQ(json["models"]["quantized"]["signature"], signature);
    EXPECT_EQ(json["nodes"][1]["op"], op);
    EXPECT_THAT(json["match"]["unpaired"], ::testing::IsEmpty());
    EXPECT_EQ(Json::parse(read_text(folder_ / ("result." + std::string(signature) + ".json")))["nodes"][1]["op"], op);
  }
}

TEST_F(Signatures, OneIsLeftOutWhereTheDataDoNotFit) {
  write_text(folder_ / "data.npy", npy("<f4", make_array(DType::kFloat32, {3, 4})));
  const ProcessResult run = run_tool({"compare", model_, model_, "-d", folder_ / "data.npy", "--json", folder_ / "result.json"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("signature 'decode' was left out: "));
  EXPECT_THAT(folder_.content(), ::testing::Contains("result.prefill.json"));
}

TEST_F(Signatures, NamesThatDifferAreJoined) {
  expect_error(run_tool({"diagnose", model_, renamed_}), 2,
               model_ + " has the signatures 'prefill', 'decode', " + renamed_ +
                   " has 'begin', 'go_on': none of the same name; --signature A=B says which belong together");
  const ProcessResult run = run_tool({"compare", model_, renamed_, "--signature", "decode=go_on", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["models"]["reference"]["signature"], "decode");
  EXPECT_EQ(json["models"]["quantized"]["signature"], "go_on");
  EXPECT_EQ(json["nodes"][1]["op"], "ABS");
}

TEST_F(Signatures, ItsNamesOfInputsAndOutputsAreUnderstood) {
  std::filesystem::create_directories(folder_ / "data/tokens");
  write_text(folder_ / "data/tokens/0.npy", npy("<f4", make_array(DType::kFloat32, {1, 4})));
  const ProcessResult run = run_tool(
      {"run", model_, "--signature", "prefill", "-d", folder_ / "data", "--nodes", "cache", "--json", "-", "-o", folder_ / "maps.h5"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(values_of(folder_ / "maps.h5", "d").size(), 1U);
}

TEST_F(Signatures, InspectListsThemWithTheirNames) {
  const ProcessResult run = run_tool({"inspect", model_});
  EXPECT_THAT(run.out,
              HasSubstr("  signature     prefill (subgraph 1): tokens -> cache\n  signature     decode (subgraph 0): token -> logits\n"));
}

TEST_F(Signatures, ReportHasASectionForEach) {
  const ProcessResult run =
      run_tool({"report", model_, model_, "--quick", "--quiet", "-o", folder_ / "page.html", "--json", folder_ / "page.json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(folder_.content(), ::testing::IsSupersetOf({"page.html", "page.decode.json", "page.prefill.json"}));
  const std::string page = read_text(folder_ / "page.html");
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(open) + open.size();
  const Json sections = Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0]["models"]["reference"]["signature"], "prefill");
  EXPECT_EQ(sections[1]["models"]["quantized"]["signature"], "decode");
  EXPECT_EQ(sections[1]["maps"][1]["op"], "ABS");
}

TEST_F(Signatures, ThoseThatOnlyOneModelHasAreSaid) {
  write_text(folder_ / "other.tflite", two_signatures("prefill", "go_on"));
  const ProcessResult run = run_tool({"compare", model_, folder_ / "other.tflite"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("m.tflite: the signature 'decode' is not compared: "));
  EXPECT_THAT(run.err, HasSubstr("other.tflite: the signature 'go_on' is not compared: "));
  EXPECT_THAT(run.out, ::testing::Not(HasSubstr("ABS")));
}

}  // namespace
}  // namespace visq::testing
