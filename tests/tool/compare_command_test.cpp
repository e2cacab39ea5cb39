// `visqerror compare` on the bundled example: what it says, what it writes, how it ends.
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "support/results/json_schema.h"
#include "support/runs/data_files.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Result JSON of a run without warnings.
Json result_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "-"});
  const ProcessResult run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  return Json::parse(run.out);
}

/// What must not depend on how the models are stored or who runs them.
Json numbers_of(const Json& result) {
  Json numbers;
  for (const Json& node : result["nodes"]) numbers.push_back({node["name"], node["op"], node["shape"], node["metrics"], node["verdict"]});
  return numbers;
}

TEST(Compare, PrintsASummaryAndWritesNothing) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"compare", kFp32, kInt8, "-d", kData}, {.folder = folder.path().string()});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("SQNR"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.back(), '\n');
  EXPECT_THAT(folder.content(), ::testing::IsEmpty());
  EXPECT_EQ(run_tool({kFp32, kInt8, "-d", kData}).out, run.out) << "two models without a command are compared";
}

TEST(Compare, JsonHoldsEveryNodeAndSaneErrors) {
  const Json result = result_of({"compare", kFp32, kInt8, "-d", kData});
  EXPECT_EQ(schema_violation("compare.schema.json", result), "");
  EXPECT_EQ(result["schema"], "visq.compare/1");
  EXPECT_EQ(result["models"]["quantized"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(result["data"]["records"], Json({0, 64}));
  EXPECT_EQ(result["modes"], Json({"fp32", "fake-quant"}));
  EXPECT_EQ(result["nodes"].size(), 12U) << "11 operators and the input";
  for (const Json& node : result["nodes"]) {
    const double sqnr = node["metrics"]["sqnr"];
    EXPECT_GT(sqnr, 20) << node["name"];
    EXPECT_LT(sqnr, 70) << node["name"];
    EXPECT_LE(node["metrics"]["cosine"].get<double>(), 1);
  }
  EXPECT_EQ(result["outputs"].size(), 1U);
}

TEST(Compare, PairsAreWhatTheUserSays) {
  const Json result = result_of(
      {"compare", kFp32, kInt8, "-d", kData, "--records", "2", "--pair", "hidden/MatMul=hidden/MatMul", "--no-pair", "pointwise/BiasAdd"});
  EXPECT_EQ(schema_violation("compare.schema.json", result), "");
  for (const Json& node : result["nodes"]) {
    EXPECT_NE(node["name"], "pointwise/BiasAdd");
    EXPECT_EQ(node["paired_by"], node["name"] == "hidden/MatMul" ? "user" : "name");
  }
  EXPECT_EQ(result["match"]["by_user"], 1);
  EXPECT_EQ(result["match"]["unpaired"].size(), 2U) << "of both models";
  EXPECT_EQ(result["match"]["unpaired"][0]["reason"], "left without partner on demand");
}

TEST(Compare, PairsThatCannotBeAreRefused) {
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--pair", "hidden/MatMul"}), 2,
               "--pair hidden/MatMul: give a map of each model, as in --pair conv1=conv1_int8");
  expect_error(run_tool({"check", kFp32, kInt8, "--no-pair", "hidden/MatMulx"}), 2,
               "--no-pair hidden/MatMulx: no feature map of " + kFp32 + " or " + kInt8 + " is called so; did you mean 'hidden/MatMul'?");
  expect_error(run_tool({"check", kInt8, "--no-pair", "x"}), 2, "--pair and --no-pair: two models are needed");
}

TEST(Compare, MoreBitsGiveLessError) {
  const Json int8 = result_of({"compare", kFp32, kInt8, "-d", kData});
  const Json int16 = result_of({"compare", kFp32, example("int16x8.tflite"), "-d", kData});
  const auto output_sqnr = [](const Json& result) { return result["outputs"][0]["metrics"]["sqnr"].get<double>(); };
  EXPECT_GT(output_sqnr(int16), output_sqnr(int8) + 5);
}

TEST(Compare, CircleGivesTheSameNumbers) {
  for (const std::string quantized : {"int8", "int16x8"}) {
    const Json tflite = result_of({"compare", kFp32, example(quantized + ".tflite"), "-d", kData});
    const Json circle = result_of({"compare", example("fp32.circle"), example(quantized + ".circle"), "-d", kData});
    EXPECT_EQ(numbers_of(circle), numbers_of(tflite)) << quantized;
  }
}

TEST(Compare, OneModelIsComparedWithItsOwnIntegerExecution) {
  const ProcessResult run = run_tool({"compare", kInt8, "-d", kData, "--records", "4", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(schema_violation("compare.schema.json", json), "");
  EXPECT_EQ(json["modes"], Json({"fake-quant", "integer"}));
  EXPECT_EQ(json["models"]["reference"], json["models"]["quantized"]);
  EXPECT_EQ(json["nodes"][0]["metrics"]["mse"], 0);                                                    // the input is rounded alike
  for (const Json& node : json["nodes"]) EXPECT_GT(node["metrics"]["cosine"], 0.999) << node["name"];  // steps apart, no more

  const ProcessResult plain = run_tool({"compare", kFp32, "-d", kData});
  expect_error(plain, 3, kFp32 + ": holds no quantized tensor, so there is no integer execution to compare it with");
}

TEST(Compare, NumbersDoNotDependOnThreads) {
  const Json one = result_of({"compare", kFp32, kInt8, "-d", kData, "--threads", "1"});
  for (const char* threads : {"2", "3", "8"}) {
    EXPECT_EQ(numbers_of(result_of({"compare", kFp32, kInt8, "-d", kData, "--threads", threads})), numbers_of(one)) << threads;
  }
}

TEST(Compare, NoByteOfAnyFileDependsOnThreads) {
  const TemporaryFolder folder;
  const auto files = [&](const std::string& threads) {
    const ProcessResult run = run_tool(
        {"compare",        kFp32,       kInt8,   "-d",      kData,   "--quiet", "--per-record", "--per-channel", "--origin", "-o",
         folder / threads, "--threads", threads, "--write", "junit", "--write", "sarif",        "--write",       "markdown", "--write",
         "model-explorer"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    std::map<std::string, std::string> contents;
    for (const auto& entry : std::filesystem::directory_iterator(folder / threads)) {
      contents[entry.path().filename().string()] = read_text(entry.path().string());
    }
    return contents;
  };
  const auto one = files("1");
  EXPECT_GE(one.size(), 30U);
  for (const std::string threads : {"2", "3", "8"}) EXPECT_TRUE(files(threads) == one) << threads;
}

TEST(Compare, ModelWithItselfHasNoError) {
  const ProcessResult run = run_tool({"compare", kFp32, kFp32, "-d", kData, "--records", "2", "--metrics", "mse,sqnr", "--json", "-"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "visqerror: warning: " + kFp32 + ": holds no quantized tensor\n");
  const Json result = Json::parse(run.out);
  for (const Json& node : result["nodes"]) {
    EXPECT_EQ(node["metrics"]["mse"], 0);
    EXPECT_TRUE(node["metrics"]["sqnr"].is_null());
    EXPECT_EQ(node["state"]["sqnr"], "inf");
  }
}

TEST(Compare, PicksMetricsNodesAndOperators) {
  const Json result = result_of({"compare", kFp32, kInt8, "-d", kData, "--metrics", "mse,sqnr", "--ops", "CONV_2D", "--ops", "SOFTMAX"});
  EXPECT_EQ(result["nodes"].size(), 4U);
  EXPECT_EQ(result["nodes"][0]["metrics"].size(), 2U);
  const Json one = result_of({"compare", kFp32, kInt8, "-d", kData, "--nodes", "*logits*"});
  ASSERT_EQ(one["nodes"].size(), 1U);
  EXPECT_EQ(one["nodes"][0]["op"], "FULLY_CONNECTED");
}

TEST(Compare, RecordsAreClampedWithAWarning) {
  EXPECT_EQ(result_of({"compare", kFp32, kInt8, "-d", kData, "--records", "3:7"})["data"]["records"], Json({3, 7}));
  const ProcessResult partly = run_tool({"compare", kFp32, kInt8, "-d", kData, "--records", "60:99", "--json", "-"});
  EXPECT_EQ(partly.exit_code, 0);
  EXPECT_EQ(partly.err, "visqerror: warning: " + kData + ": holds 64 records, using 60:64\n");
  EXPECT_EQ(Json::parse(partly.out)["data"]["records"], Json({60, 64}));
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--records", "64:99"}), 3,
               kData + ": records 64:99 are outside its 64 records");
}

TEST(Compare, WithoutDataSaysThatTheRecordIsRandom) {
  const ProcessResult run = run_tool({"compare", kFp32, kInt8, "--seed", "5", "--json", "-"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "visqerror: warning: no --data: one random record (seed 5), which says little about real inputs\n");
  EXPECT_EQ(run_tool({"compare", kFp32, kInt8, "--seed", "5", "--json", "-", "--quiet"}).err, "");
  EXPECT_THAT(run_tool({"compare", kFp32, kInt8, "--seed", "5"}).out, ::testing::HasSubstr("\nNext: "));
  EXPECT_THAT(run_tool({"compare", kFp32, kInt8, "--seed", "5", "--quiet"}).out, ::testing::Not(::testing::HasSubstr("Next: ")));
  EXPECT_EQ(run_tool({"compare", kFp32, kInt8, "--seed", "5", "--json", "-"}).out, run.out) << "the same seed, the same record";
  EXPECT_NE(run_tool({"compare", kFp32, kInt8, "--seed", "6", "--json", "-"}).out, run.out);
}

TEST(Compare, WritesTheDocumentedFiles) {
  const TemporaryFolder folder;
  const ProcessResult run =
      run_tool({"compare", kFp32, kInt8, "-d", kData, "--metrics", "mse,sqnr", "-o", folder / "new/out", "--json", folder / "r.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(folder.content(),
              ::testing::ElementsAre("new", "new/out", "new/out/anomalies.txt", "new/out/compare_per_layer_out.csv",
                                     "new/out/compare_per_layer_out.txt", "new/out/fp32.mse.visq.json", "new/out/fp32.mse.visq.json.dot",
                                     "new/out/fp32.sqnr.visq.json", "new/out/fp32.sqnr.visq.json.dot", "new/out/match.txt",
                                     "new/out/result.json", "r.json"));
  EXPECT_EQ(read_text(folder / "new/out/result.json"), read_text(folder / "r.json"));
  const Json visq = Json::parse(read_text(folder / "new/out/fp32.mse.visq.json"));
  EXPECT_EQ(visq["meta"]["metric"], "MSE");
  EXPECT_TRUE(fs::exists(folder.path() / "new/out" / visq["meta"]["model"].get<std::string>()))
      << "the model is found from the file's folder";
}

TEST(Compare, LeavesNoFilesOfMetricsThatAreNotAskedForAnyMore) {
  const TemporaryFolder folder;
  const std::string out = folder / "out/";
  const auto compare = [&](const std::string& metrics) {
    const ProcessResult run =
        run_tool({"compare", kFp32, kInt8, "-d", kData, "--records", "1", "--quiet", "--metrics", metrics, "-o", out});
    EXPECT_EQ(run.exit_code, 0) << run.err;
  };
  const auto exists = [&](const std::string& name) { return std::filesystem::exists(out + name); };
  compare("mse,cosine,psnr,sqnr");
  const std::string of_another_model = read_text(out + "fp32.mse.visq.json");
  write_text(out + "other.mse.visq.json", of_another_model);
  write_text(out + "fp32.psnr.visq.json", "my own notes");
  write_text(out + "fp32.notes.visq.json", of_another_model);
  compare("sqnr");
  EXPECT_TRUE(exists("fp32.sqnr.visq.json"));
  EXPECT_TRUE(exists("fp32.sqnr.visq.json.dot"));
  for (const char* gone : {"fp32.mse.visq.json", "fp32.mse.visq.json.dot", "fp32.cosine.visq.json", "fp32.psnr.visq.json.dot"}) {
    EXPECT_FALSE(exists(gone)) << gone;
  }
  for (const char* kept : {"other.mse.visq.json", "fp32.psnr.visq.json", "fp32.notes.visq.json"}) EXPECT_TRUE(exists(kept)) << kept;
}

TEST(Compare, ConditionsDecideTheExitCode) {
  const auto run = [](const std::vector<std::string>& conditions) {
    std::vector<std::string> arguments{"compare", kFp32, kInt8, "-d", kData, "--json", "-"};
    arguments.insert(arguments.end(), conditions.begin(), conditions.end());
    return run_tool(arguments);
  };
  EXPECT_EQ(run({"--min", "sqnr=10", "--max", "mse=1", "--min", "any:cosine=0.9"}).exit_code, 0);
  const ProcessResult output = run({"--min", "sqnr=1000"});
  EXPECT_EQ(output.exit_code, 1);
  EXPECT_EQ(output.err.rfind("visqerror: --min sqnr=1000 does not hold: sqnr of Identity is ", 0), 0U) << output.err;
  const ProcessResult any = run({"--max", "any:mse=0"});
  EXPECT_EQ(any.exit_code, 1);
  EXPECT_EQ(std::count(any.err.begin(), any.err.end(), '\n'), 12) << "one line per node";
  const ProcessResult node = run({"--max", "node:*hidden*:mse=0"});
  EXPECT_EQ(std::count(node.err.begin(), node.err.end(), '\n'), 1);
  const ProcessResult none = run({"--max", "node:nobody:mse=1"});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_EQ(none.err, "visqerror: --max node:nobody:mse=1 does not hold: no compared feature map to look at\n");
}

TEST(Compare, KeepsValuesPerRecordAndChannelOnDemand) {
  const Json result = result_of(
      {"compare", kFp32, kInt8, "-d", kData, "--records", "3", "--per-record", "--per-channel", "--metrics", "mse", "--ops", "CONV_2D"});
  EXPECT_EQ(result["nodes"][0]["per_record"].size(), 3U);
  EXPECT_EQ(result["nodes"][0]["per_channel"].size(), 16U);
}

TEST(Compare, TellsWhereErrorsComeFrom) {
  const Json plain = result_of({"compare", kFp32, kInt8, "-d", kData});
  const Json result = result_of({"compare", kFp32, kInt8, "-d", kData, "--origin"});
  EXPECT_EQ(schema_violation("compare.schema.json", result), "");
  ASSERT_EQ(result["nodes"].size(), plain["nodes"].size());
  for (std::size_t i = 0; i < plain["nodes"].size(); ++i) {
    EXPECT_FALSE(plain["nodes"][i].contains("origin"));
    EXPECT_EQ(result["nodes"][i]["metrics"], plain["nodes"][i]["metrics"]);
    const Json& origin = result["nodes"][i]["origin"];
    EXPECT_GT(origin["created"].get<double>(), 0);
    EXPECT_NEAR(origin["accumulated"].get<double>(), std::sqrt(result["nodes"][i]["metrics"]["mse"].get<double>()), 1e-9);
  }
}

TEST(Compare, OriginIsRefusedWhereNothingCanBeRunAgain) {
  expect_error_containing(run_tool({"compare", kInt8, "-d", kData, "--origin"}), 2, "--origin: goes with fp32 and fake-quant");
  expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", kData, "--mode", "integer", "--origin"}), 2, "--origin");
}

TEST(Compare, ClosedPipeEndsWithZero) { EXPECT_EQ(run_tool({"compare", kFp32, kInt8, "-d", kData}, {.close_stdout = true}).exit_code, 0); }

TEST(Compare, ASignalEndsItWithoutPartialOutput) {
  const TemporaryFolder folder;
  // 100,000 records of zeros: long enough for a signal to come in the middle.
  write_text(folder / "zeros.npy", npy("<f4", make_array(DType::kFloat32, {100000, 1, 8, 8, 1})));
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    const ProcessResult run =
        run_tool({"compare", kFp32, kInt8, "-d", folder / "zeros.npy", "--verbose", "-o", folder / "out"}, {.signal_after_start = signal});
    EXPECT_EQ(run.exit_code, code);
    EXPECT_NE(run.err.find("visqerror: interrupted, nothing written\n"), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(folder.content(), ::testing::ElementsAre("zeros.npy"));
  }
}

}  // namespace
}  // namespace visq::testing
