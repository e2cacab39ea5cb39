// `visqerror report` on the bundled example: what it writes, and what it refuses.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string page_after(std::vector<std::string> arguments, const TemporaryFolder& folder) {
  arguments.insert(arguments.end(), {"-d", kData, "--quiet", "-o", folder / "page.html"});
  const ProcessResult run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return read_text(folder / "page.html");
}

TEST(ReportCommand, WritesOneFileAndNamesTheNextCommand) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"report", kFp32, kInt8, "-d", kData, "-o", folder / "out"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("written to " + folder / "out/report.html" + "\n"));
  EXPECT_TRUE(run.out.ends_with("Next: visqerror recommend " + kFp32 + " " + kInt8 + " -d " + kData + "\n")) << run.out;
  EXPECT_THAT(run.err, HasSubstr("of 64 records are used"));
  EXPECT_EQ(folder.content(), (std::vector<std::string>{"out", "out/report.html"}));
}

TEST(ReportCommand, IsTheSamePageWithAnyThreadsAnyPlaceAndEitherName) {
  const TemporaryFolder folder, other;
  const std::string page = page_after({"report", kFp32, kInt8, "--threads", "1"}, folder);
  for (const std::string& path : {kFp32, kInt8}) {
    std::filesystem::copy_file(path, other.path() / std::filesystem::path(path).filename());
  }
  EXPECT_EQ(page_after({"runall", other / "fp32.tflite", other / "int8.tflite", "--threads", "3"}, other), page);
  EXPECT_THAT(page, Not(HasSubstr(folder.path().string())));
  EXPECT_THAT(page, Not(HasSubstr(VISQ_SOURCE_DIR)));
}

TEST(ReportCommand, QuickIsTheComparisonOnly) {
  const TemporaryFolder folder;
  const std::string page = page_after({"report", kFp32, kInt8, "--quick", "--title", "a <b> title"}, folder);
  EXPECT_THAT(
      page,
      HasSubstr("\"diagnosis\":null,\"sensitivity\":null,\"weights\":[],\"accumulation\":null,\"partial\":null,\"distributions\":null"));
  EXPECT_THAT(page, HasSubstr("\"title\":\"a \\u003cb> title\""));
}

TEST(ReportCommand, ReadsCircleToo) {
  const TemporaryFolder folder;
  EXPECT_THAT(page_after({"report", example("fp32.circle"), example("int8.circle")}, folder), HasSubstr("\"fp32.circle\""));
}

TEST(ReportCommand, RefusesWhatItCannotDo) {
  const TemporaryFolder folder;
  expect_error(run_tool({"report", kFp32, kInt8, "-d", kData}), 2, "report: no output; give -o DIR or -o FILE.html");
  expect_error_containing(run_tool({"report", kFp32, "-o", folder / "out"}), 2, "report");
  expect_error_containing(run_tool({"report", kFp32, folder / "none.tflite", "-d", kData, "-o", folder / "out"}), 3, "none.tflite");
  EXPECT_EQ(folder.content(), std::vector<std::string>{}) << "a run that failed left something behind";
}

TEST(ReportCommand, SaysWhatItCouldNotCompute) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"report", kFp32, kFp32, "-d", kData, "-o", folder / "page.html"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("visqerror: warning: sensitivity: "));
  EXPECT_THAT(read_text(folder / "page.html"), ::testing::ContainsRegex("\"missing\":\\[[^]]*\"sensitivity: "));
}

/// The layout is linked, not looked for: an empty folder of plugins changes nothing.
TEST(ReportCommand, DrawsItsGraphWithoutGraphvizPlugins) {
  const TemporaryFolder folder;
  const ProcessResult run = run_process({"env", "GVBINDIR=" + folder.path().string(), VISQ_BINARY, "report", kFp32, kInt8, "-d", kData,
                                         "--records", "1", "--quick", "-o", folder / "page.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, ::testing::Not(HasSubstr("shows no graph")));
  EXPECT_THAT(read_text(folder / "page.html"), ::testing::Not(HasSubstr("graph layout:")));
  EXPECT_THAT(read_text(folder / "page.html"), HasSubstr("\"edges\":[[0,0,1,"));
}

TEST(ReportCommand, LeavesOutWhatFindsNoTime) {
  const TemporaryFolder folder;
  const ProcessResult run =
      run_tool({"report", kFp32, kInt8, "-d", kData, "--records", "2", "--time-limit", "0.0000001", "-o", folder / "page.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("at most 0 s (--time-limit)"));
  const std::string page = read_text(folder / "page.html");
  for (const char* part : {"diagnose", "sensitivity", "distribution", "partial"}) {
    EXPECT_THAT(page, HasSubstr(std::string(part) + ": left out, there was no time for it"));
    EXPECT_THAT(run.err, HasSubstr(std::string(part) + ": left out, there was no time for it"));
  }
  expect_error(run_tool({"report", kFp32, kInt8, "--time-limit", "soon", "-o", folder / "x"}), 2,
               "--time-limit: 'soon' is no time, such as 90s, 2m or 1h");
}

TEST(ReportCommand, SaysAccuracyOfAllRecords) {
  const TemporaryFolder folder;
  const std::string page = page_after({"report", kFp32, kInt8, "--quick", "--labels", example("labels.npy"), "--post", "softmax"}, folder);
  EXPECT_THAT(page, HasSubstr("\"accuracy\":{\"output\":\"Identity\""));
  EXPECT_THAT(page, HasSubstr("\"records\":64,\"classes\":10"));
  EXPECT_THAT(page, HasSubstr("\"post\":\"softmax\""));
}

TEST(ReportCommand, DiagnosesWithTheLabels) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"report", kFp32, kInt8, "-d", kData, "--labels", example("labels.npy"), "--quiet", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["diagnose"]["accuracy"], json["compare"]["accuracy"]);
  EXPECT_EQ(json["diagnose"]["damage"]["records"], 64) << "damage is that of all records";
}

TEST(ReportCommand, TimesOperatorsWhereAsked) {
  const TemporaryFolder folder;
  EXPECT_THAT(page_after({"report", kFp32, kInt8, "--records", "2", "--time"}, folder), HasSubstr("\"runs\":"));
  EXPECT_THAT(page_after({"report", kFp32, kInt8, "--records", "2"}, folder), Not(HasSubstr("\"runs\":")));
  expect_error(run_tool({"report", kFp32, kInt8, "--quick", "--time", "-o", folder / "x"}), 2,
               "--time: goes without --quick, which is the comparison only");
}

TEST(ReportCommand, GivesTheNumbersAsJson) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"report", kFp32, kInt8, "-d", kData, "--records", "2", "--quiet", "--json", "-"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(schema_violation("report.schema.json", json), "");
  for (const char* part : {"compare", "diagnose", "sensitivity", "accumulate", "partial"}) {
    EXPECT_EQ(schema_violation(std::string(part) + ".schema.json", json[part]), "") << part;
  }
}

TEST(ReportCommand, OpensThePageInABrowser) {
  const TemporaryFolder folder;
  const std::string browser = folder / "browser";
  write_text(browser,
             "#!/bin/sh\necho \"$@\" > " + (folder / "seen.part") + "\nmv " + (folder / "seen.part") + " " + (folder / "seen") + "\n");
  std::filesystem::permissions(browser, std::filesystem::perms::owner_all);
  const auto show = [&](const std::string& environment) {
    return run_process({"env", environment, VISQ_BINARY, "report", kFp32, kInt8, "-d", kData, "--records", "1", "--quick",
                        "--view-in-browser", "-o", folder / "page.html"});
  };
  EXPECT_EQ(show("BROWSER=" + (folder / "none") + ":" + browser + " --new %s").exit_code, 0);
  for (int i = 0; i < 100 && !std::filesystem::exists(folder / "seen"); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(read_text(folder / "seen"), "--new " + (folder / "page.html") + "\n");
  const ProcessResult without = show("PATH=" + (folder / "out"));
  EXPECT_EQ(without.exit_code, 0) << without.err;
  EXPECT_THAT(without.err, HasSubstr("--view-in-browser: neither $BROWSER nor xdg-open is there to open"));
  expect_error(run_tool({"report", kFp32, kInt8, "--json", "-", "--view-in-browser"}), 2, "--view-in-browser: needs -o, the file to show");
}

}  // namespace
}  // namespace visq::testing
