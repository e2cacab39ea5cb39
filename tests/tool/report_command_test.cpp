// `visqerror report` on the bundled example: what it writes, and that the page works in a browser.
#include <filesystem>
#include <fstream>

#include "support/browser.h"
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
  EXPECT_THAT(page, HasSubstr("\"diagnosis\":null,\"sensitivity\":null,\"weights\":[]"));
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
  EXPECT_THAT(read_text(folder / "page.html"), HasSubstr("\"missing\":[\"sensitivity: "));
}

constexpr const char* kTour = R"js(
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const click = (target) => target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const type = (target, text) => { target.value = text; target.dispatchEvent(new Event("input")); };
  const names = () => all("#maps tbody tr").filter((row) => !row.hidden).map((row) => row.cells[1].textContent);
  const mse = () => all("#maps tbody tr").map((row) => Number(row.cells[5].textContent));

  expect(document.title.startsWith("fp32.tflite → int8.tflite"), "title: " + document.title);
  expect(all(".node").length === 13, "nodes: " + all(".node").length);
  expect(mse().every((value, i, list) => i === 0 || list[i - 1] >= value), "not worst first: " + mse());
  expect(document.documentElement.scrollWidth <= innerWidth, "wider than the window");

  const node = all(".node").find((each) => each.textContent.includes("spatial/Relu6"));
  click(node);
  expect(node.classList.contains("selected"), "the node is not highlighted");
  expect(one("#maps tr.selected td.name")?.textContent === "spatial/Relu6", "the row is not highlighted");
  expect(one("#panel h3").textContent === "spatial/Relu6", "the panel shows " + one("#panel").textContent);
  expect(one("#panel").textContent.includes("MSE") && one("#panel").textContent.includes("scale"), "the panel lacks numbers");

  const world = one("#picture > g");
  const before = world.getAttribute("transform");
  const row = all("#maps tbody tr").find((each) => each.cells[1].textContent === "logits/MatMul");
  press(row, "Enter");
  expect(one("#panel h3").textContent === "logits/MatMul", "Enter on a row does nothing");
  expect(all(".node.selected").length === 1 && one(".node.selected").textContent.includes("logits/MatMul"), "the row's node is not highlighted");
  expect(world.getAttribute("transform") !== before, "the row's node is not centred");
  press(document.body, "Escape");
  expect(one(".selected") === null, "Escape does not deselect");

  const head = (label) => all("#maps th button").find((each) => each.textContent === label);
  click(head("Name"));
  const up = names();
  expect(up.every((name, i) => i === 0 || up[i - 1].localeCompare(name, "en", { numeric: true }) <= 0), "not sorted by name: " + up);
  expect(head("Name").parentElement.getAttribute("aria-sort") === "ascending", "aria-sort");
  click(head("Name"));
  expect(names().join() === [...up].reverse().join(), "not reversed");

  type(one("#maps input"), "CONV_2D");
  expect(names().length === 4, "filter: " + names());
  type(one("#maps input"), "");
  expect(names().length === 12, "filter is not taken back: " + names());
  expect(all("#maps tr[tabindex='0']").length === 1, "one row, and only one, is a stop of Tab");

  press(document.body, "/");
  expect(document.activeElement === one("#search"), "/ does not search");
  type(one("#search"), "conv_2d");
  expect(all(".node.hit").length === 4, "hits: " + all(".node.hit").length);
  press(one("#search"), "Enter");
  expect(one(".node.selected.hit") !== null, "Enter does not go to a hit");

  const fills = () => all(".node rect").map((rect) => rect.getAttribute("fill")).join();
  const painted = fills();
  one("#metric").value = String([...one("#metric").options].findIndex((option) => option.text === "SQNR"));
  one("#metric").dispatchEvent(new Event("change"));
  expect(fills() !== painted, "another metric, the same colours");
  expect(one("#legend").textContent.startsWith("SQNR"), "legend: " + one("#legend").textContent);

  const scale = () => Number(/scale\((.*)\)/.exec(world.getAttribute("transform"))[1]);
  const small = scale();
  one("#picture").dispatchEvent(new WheelEvent("wheel", { deltaY: -200, bubbles: true, cancelable: true }));
  expect(scale() > small, "the wheel does not zoom");
  press(one("#picture"), "0");
  expect(all("#sensitivity tbody tr").length > 10, "sensitivity: " + all("#sensitivity tbody tr").length);
  expect(all("#curves img").length === 4 && all("#curves img").every((image) => image.complete && image.naturalWidth > 100), "curves");
  expect(all("#weights tbody tr").length > 5, "weights: " + all("#weights tbody tr").length);
)js";

TEST(ReportCommand, PageWorksInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  const TemporaryFolder folder;
  const std::string page = page_after({"report", kFp32, kInt8}, folder);
  EXPECT_EQ(faults_of_page(page, kTour), "");
  EXPECT_EQ(faults_of_page(page,
                           "expect(document.documentElement.scrollWidth <= innerWidth, 'wider than a phone: ' + "
                           "document.documentElement.scrollWidth + ' > ' + innerWidth);",
                           "500,800"),
            "");
}

}  // namespace
}  // namespace visq::testing
