// The page of `visqerror report` in a browser: what it shows, how it answers to hands, that it keeps nobody out and stays fluid.
#include <nlohmann/json.hpp>

#include "support/models/long_network.h"
#include "support/results/json_schema.h"
#include "support/runs/browser.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using ::testing::HasSubstr;

std::string written_page(std::vector<std::string> arguments, const TemporaryFolder& folder) {
  arguments.insert(arguments.end(), {"-d", kData, "--quiet", "-o", folder / "page.html"});
  const ProcessResult run = run_tool(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return read_text(folder / "page.html");
}

/// What scripts of the tests have in common.
constexpr const char* kHands = R"js(
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  const click = (target) => target.dispatchEvent(new MouseEvent("click", { bubbles: true, view: window }));
  const type = (target, text) => { target.value = text; target.dispatchEvent(new Event("input")); };
  const rows = (section) => all(section + " tbody tr:not(.gap)");
  const names = () => rows("#maps").map((row) => row.cells[0].textContent);
  const nodes = () => all("#reference .node");
  const view = views[0];
  const nodeOf = (name) => nodes().find((each) => each.querySelector("title").textContent.endsWith(" " + name));
)js";

constexpr const char* kTour = R"js(
  const sqnr = () => rows("#maps").map((row) => Number(row.cells[1].textContent.replace("∞", "Infinity")));
  expect(document.title.startsWith("fp32.tflite → int8.tflite"), "title: " + document.title);
  expect(nodes().length === 13, "nodes: " + nodes().length);
  expect(sqnr().every((value, i, list) => i === 0 || list[i - 1] <= value), "not worst first: " + sqnr());
  expect(document.documentElement.scrollWidth <= innerWidth, "wider than the window");
  expect(one("main section:not([hidden]) h2").textContent === "At a glance", "the answer is not first");

  click(nodeOf("spatial/Relu6").querySelector(".face"));
  expect(nodeOf("spatial/Relu6").classList.contains("selected"), "the node is not highlighted");
  expect(one("#maps tr.selected td.name")?.textContent === "spatial", "the row is not highlighted");
  expect(one("#panel h3").textContent === "spatial", "the panel shows " + one("#panel").textContent);
  for (const words of ["spatial/Relu6", "MSE", "scale", "accumulated", "created here", "inherited", "Weights", "MACs"]) {
    expect(one("#panel").textContent.includes(words), "the panel lacks " + words);
  }
  expect(one("#panel .copyable code").textContent === "spatial/Relu6" && one("#panel .copyable button") !== null, "no button that copies the whole name");
  expect(all("#panel .histogram svg .before").length === 2, "histograms: " + all("#panel .histogram").length);
  expect(all("#panel svg .median").length === 2, "box plots: " + all("#panel svg .median").length);
  expect(all("#curves line.chosen:not([display])").length >= 3, "curves do not mark the selected node");

  const world = one("#reference .world");
  const before = world.getAttribute("transform");
  press(rows("#maps").find((each) => each.cells[0].textContent === "logits"), "Enter");
  expect(one("#panel h3").textContent === "logits", "Enter on a row does nothing");
  expect(all("#reference .node.selected").length === 1 && nodeOf("logits/MatMul").classList.contains("selected"), "the row's node is not highlighted");
  expect(world.getAttribute("transform") !== before, "the row's node is not centred");
  press(view.svg, "ArrowUp");
  expect(!nodeOf("logits/MatMul").classList.contains("selected") && all("#reference .node.selected").length === 1, "the arrow keys do not walk");
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

  const fills = () => all(".node .face").map((rect) => rect.getAttribute("fill")).join();
  const painted = fills();
  one("#metric").value = String([...one("#metric").options].findIndex((option) => option.text === "MSE"));
  one("#metric").dispatchEvent(new Event("change"));
  expect(fills() !== painted, "another metric, the same colours");
  expect(one("#legend").textContent.startsWith("MSE"), "legend: " + one("#legend").textContent);
  const original = fills();
  one("#palette").value = "safe";
  one("#palette").dispatchEvent(new Event("change"));
  expect(fills() !== original && !fills().includes("#800026"), "another palette, the same colours");

  const scale = () => Number(/scale\((.*)\)/.exec(world.getAttribute("transform"))[1]);
  const small = scale();
  view.svg.dispatchEvent(new WheelEvent("wheel", { deltaY: -200, bubbles: true, cancelable: true, view: window }));
  expect(scale() > small, "the wheel does not zoom");
  expect(!one("#reference .minimap").hidden, "no small map of a picture that is larger than the window");
  press(view.svg, "0");
  expect(one("#reference .minimap").hidden, "a small map of a picture that is all in sight");

  const back = () => getComputedStyle(document.body).backgroundColor;
  const light = back();
  click(one("#theme"));
  click(one("#theme"));
  expect(document.documentElement.dataset.theme === "dark" && back() !== light, "no dark mode: " + back());

  expect(rows("#sensitivity").length > 10, "sensitivity: " + rows("#sensitivity").length);
  expect(all("#curves .chart svg").length === 5, "curves: " + all("#curves .chart svg").length);
  expect(all("#distributions .card").length === 2 * 5, "distributions: " + all("#distributions .card").length);
  expect(rows("#weights").length > 5, "weights: " + rows("#weights").length);
  expect(rows("#operators").length === 11, "operators: " + rows("#operators").length);
  expect(one("#about code").textContent.startsWith("visqerror report fp32.tflite int8.tflite -d data.h5"), "command: " + one("#about code").textContent);
)js";

TEST(ReportPage, PageWorksInABrowser) {
  if (!have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  const TemporaryFolder folder;
  const std::string page = written_page({"report", kFp32, kInt8}, folder);
  EXPECT_EQ(faults_of_page(page, std::string(kHands) + kTour), "");
  EXPECT_EQ(faults_of_page(page,
                           "expect(document.documentElement.scrollWidth <= innerWidth, 'wider than a phone: ' + "
                           "document.documentElement.scrollWidth + ' > ' + innerWidth);",
                           "500,800"),
            "");
}

/// The first screen, both models in step, the address, files, another size of the window.
constexpr const char* kSecondTour = R"js(
  expect(one("#glance .verdict strong").textContent.includes("Broken"), "verdict: " + one("#glance .verdict").textContent);
  expect(one("#glance .tiles").textContent.includes("43.2 kB → 18.9 kB"), "sizes: " + one("#glance .tiles").textContent);
  expect(one("#glance .tiles").textContent.includes("100 % → 20.31 %"), "accuracy: " + one("#glance .tiles").textContent);
  expect(all("#glance .area").length === 2 && all("#glance .named").length >= 2, "the picture along the network lacks areas or names");
  expect(one("#glance .next code").textContent.startsWith("visqerror recommend fp32.tflite int8_miscalibrated.tflite -d data.h5"), "next: " + one("#glance .next").textContent);
  const finding = one("#findings details.error");
  expect(finding !== null && !finding.open && finding.querySelector("summary .gain").textContent.startsWith("+"), "findings are not folded to headlines with gains");
  click(one("#glance p.worst button"));
  expect(one(".node.selected") !== null, "the worst does not lead to its node");

  one("#view").value = "both";
  one("#view").dispatchEvent(new Event("change"));
  expect(!one("#twin").hidden && all("#twin .node").length >= 12, "no second picture");
  click(nodeOf("hidden/MatMul").querySelector(".face"));
  expect(one("#twin .node.selected title")?.textContent === "FULLY_CONNECTED hidden/MatMul", "the other picture does not follow");
  const twin = all("#twin .node").find((each) => each.querySelector("title").textContent.endsWith(" stem/Relu"));
  click(twin.querySelector(".face"));
  expect(one("#reference .node.selected title")?.textContent.endsWith(" stem/Relu"), "the first picture does not follow");
  expect(location.hash.includes("map=stem%2FRelu") && location.hash.includes("view=both"), "address: " + location.hash);
  press(document.body, "Escape");
  location.hash = "#map=logits%2FMatMul&metric=mse&view=differences";
  recall();
  expect(one("#panel h3").textContent === "logits" && one("#legend").textContent.includes("same operator"), "the address is not followed");

  const inSight = (stage) => {
    const frame = one(stage + " .picture").getBoundingClientRect();
    return all(stage + " .node .face").some((face) => { const box = face.getBoundingClientRect(); return box.right > frame.left && box.left < frame.right && box.bottom > frame.top && box.top < frame.bottom; });
  };
  for (const width of ["420px", "1200px"]) {
    one("main").style.maxWidth = width;
    for (const each of views) each.resized();
    expect(inSight("#reference") && inSight("#twin"), "a picture is empty at " + width);
  }
  const drawn = new DOMParser().parseFromString(svgOf(view), "image/svg+xml");
  expect(drawn.querySelectorAll(".node").length === 13 && drawn.querySelector("parsererror") === null, "the SVG lacks nodes");
  expect((await pngOf(view)).size > 5000, "no PNG");
  const table = csvOf([{ label: "a,b", value: (row) => row[0] }, { label: "n", value: (row) => row[1] }], [["=1+1", 2.5], ['say "x"', "inf"]]);
  expect(table === '"a,b",n\r\n\'=1+1,2.5\r\n"say ""x""",inf\r\n', "CSV: " + table);
  const heads = all("#maps th").length;
  click(all("#maps .chooser input").find((box) => !box.checked) ?? all("#maps .chooser input").at(-1));
  expect(all("#maps th").length !== heads, "columns are not by choice");
)js";

const char* kMiscalibrated = "int8_miscalibrated.tflite";

TEST(ReportPage, AnswersFirstAndShowsBothModels) {
  if (!have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  const TemporaryFolder folder;
  const std::string page = written_page({"report", kFp32, example(kMiscalibrated), "--labels", example("labels.npy")}, folder);
  for (const char* size : {"1400,900", "420,900"}) EXPECT_EQ(faults_of_page(page, std::string(kHands) + kSecondTour, size), "") << size;
}

/// What axe-core calls serious or critical, in both themes and at both widths.
TEST(ReportPage, KeepsNobodyOut) {
  if (!have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  const std::string axe = axe_script();
  if (axe.empty()) GTEST_SKIP() << "no axe-core on this machine (npm install -g axe-core)";
  const TemporaryFolder folder;
  const std::string page = written_page({"report", kFp32, example(kMiscalibrated), kInt8, "--labels", example("labels.npy")}, folder);
  for (const char* theme : {"light", "dark"}) {
    for (const char* size : {"1400,900", "420,900"}) {
      const std::string look = axe + "\ndocument.documentElement.dataset.theme = '" + theme + R"js(';
        byId("view").value = "both";
        arrangeStages();
        select(3, false);
        document.querySelectorAll("details").forEach((each) => (each.open = true));
        const found = await axe.run(document, { resultTypes: ["violations"] });
        for (const { id, impact, nodes } of found.violations) {
          if (impact === "serious" || impact === "critical") fault(`${id} (${impact}): ` + nodes.slice(0, 4).map((node) => node.target.join(" ") + " " + node.failureSummary).join(" | "));
        })js";
      EXPECT_EQ(faults_of_page(page, look, size), "") << theme << " " << size;
    }
  }
}

/// Several quantizations on one page.
TEST(ReportPage, ComparesRecipes) {
  const TemporaryFolder folder;
  const std::string page = written_page({"report", kFp32, kInt8, example("int16x8.tflite"), "--quick"}, folder);
  EXPECT_THAT(page, HasSubstr("visqerror report fp32.tflite int8.tflite int16x8.tflite -d data.h5 --quick"));
  const ProcessResult run = run_tool({"report", kFp32, kInt8, example("int16x8.tflite"), "-d", kData, "--quick", "--quiet", "--json", "-"});
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(schema_violation("report.schema.json", json), "");
  ASSERT_EQ(json["others"].size(), 1U);
  EXPECT_GT(json["others"][0]["outputs"][0]["metrics"]["sqnr"], json["compare"]["outputs"][0]["metrics"]["sqnr"]);
  expect_error_containing(run_tool({"report", kFp32, kInt8, folder / "none.tflite", "-d", kData, "--quick", "-o", folder / "x"}), 3,
                          "none.tflite");
  if (!have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  EXPECT_EQ(faults_of_page(page, std::string(kHands) + R"js(
    const table = one("#recipes tbody").textContent;
    expect(table.includes("int8.tflite") && table.includes("int16x8.tflite"), "recipes: " + table);
    expect(all("#recipes figure circle").length >= 2, "no picture of size and error");
    expect(all("#recipes figure").length === 2 && one("#recipes .tools input") !== null, "no curve or no table by node");
  )js"),
            "");
}

/// A pair with thousands of operators, and one record for it.
struct LongPair {
  LongPair(const TemporaryFolder& folder, int blocks, bool scoped) : fp32(folder / "long.tflite"), int8(folder / "long8.tflite") {
    write_text(fp32, long_network(blocks, false, scoped));
    write_text(int8, long_network(blocks, true, scoped));
  }
  std::string fp32, int8;
};

/// Groups open and close, and what they hold comes and goes with them; then everything at once.
constexpr const char* kGroups = R"js(
  const closed = nodes().length;
  expect(closed < 200, "a picture of " + closed + " boxes at first");
  const group = nodes().find((each) => each.classList.contains("group"));
  const member = group.dataset.member;
  expect(view.layout.groups.some((_, index) => view.layout.alike(index).length >= 70), "repeated blocks are not recognised");
  click(group.querySelector(".face"));
  expect(nodes().length > closed && all(`.frame[data-member="${member}"]`).length === 1, "the group does not open");
  click(one(`.frame[data-member="${member}"] .head`));
  expect(nodes().length === closed && all(`.frame[data-member="${member}"]`).length === 0, "the group does not close");

  const last = rows("#maps").find((row) => row.dataset.map);
  click(last);
  const selected = one(".node.selected");
  expect(selected !== null && !selected.classList.contains("group"), "a row does not open the groups around its node");
  expect(one("#maps tr.selected") !== null, "the row is not highlighted");

  expect(rows("#maps").length < 300, "rows out of sight are elements too: " + rows("#maps").length);
  const frame = one("#maps .scroll");
  frame.scrollTop = frame.scrollHeight;
  frame.dispatchEvent(new Event("scroll"));
  expect(rows("#maps").at(-1).getBoundingClientRect().bottom <= frame.getBoundingClientRect().bottom + 30, "the table has no end");

  click(one("#open-all"));
  expect(all("#reference .group").length === 0, "not everything is open");
  const { scene } = view;
  const boxes = scene.boxes.map(extent);
  const meet = boxes.filter((a, i) => boxes.some((b, j) => j > i && a[0] < b[2] - 1 && b[0] < a[2] - 1 && a[1] < b[3] - 1 && b[1] < a[3] - 1));
  expect(meet.length === 0, meet.length + " boxes overlap");
  expect(scene.frames.every((frame) => scene.boxes.filter(({ member }) => view.layout.nodesIn(groupAt(frame.member)).includes(member)).every((box) => within(extent(box), extent(frame)))), "a node lies outside of its group");
  click(one("#close-all"));
  expect(nodes().length <= closed, "not everything is closed: " + nodes().length);
)js";

/// Times of what a user waits for; generous limits, for machines that do other things at the same time.
constexpr const char* kTimes = R"js(
  const clock = (limit, what, work, tries = 3) => {
    let took = Infinity;
    for (let i = 0; i < tries && took >= limit; ++i) {
      const start = performance.now();
      work();
      view.svg.getBoundingClientRect();
      took = performance.now() - start;
    }
    expect(took < limit, what + " takes " + took.toFixed() + " ms");
  };
  expect(performance.now() < 8000, "opening takes " + performance.now().toFixed() + " ms");
  clock(3000, "opening all groups", () => click(one("#open-all")), 1);
  clock(3000, "thirty moves", () => { for (let i = 0; i < 30; ++i) view.picture.call(view.zoomer.translateBy, 7, -11); });
  clock(3000, "sorting", () => click(all("#maps th button")[0]));
  clock(3000, "another metric", () => { one("#metric").value = "5"; one("#metric").dispatchEvent(new Event("change")); });
  clock(3000, "search", () => type(one("#search"), "tanh"));
)js";

TEST(ReportPage, ThreeThousandOperatorsStayFluid) {
  if (!have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  const TemporaryFolder folder;
  for (const bool scoped : {true, false}) {
    const LongPair pair(folder, 750, scoped);
    const ProcessResult run = run_tool({"report", pair.fp32, pair.int8, "--quick", "--quiet", "-o", folder / "long.html"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const std::string page = read_text(folder / "long.html");
    EXPECT_EQ(faults_of_page(page, std::string(kHands) + kGroups), "") << scoped;
    EXPECT_EQ(faults_of_page(page, std::string(kHands) + kTimes), "") << scoped;
    EXPECT_LT(page.size(), 6'000'000U);
  }
}

TEST(ReportPage, DrawsAVisqFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool({"compare", kFp32, kInt8, "-d", kData, "--quiet", "-o", folder / "out"}).exit_code, 0);
  const std::string file = folder / "out/fp32.mse.visq.json";
  const ProcessResult run = run_tool({"report", file, "-o", folder / "page.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string page = read_text(folder / "page.html"),
                    whole = written_page({"report", kFp32, kInt8, "--quick", "--records", "64"}, folder);
  const auto bins = [](const std::string& text) {
    const std::size_t begin = text.find("\"bins\":");
    return text.substr(begin, text.find(']', begin) - begin);
  };
  EXPECT_EQ(bins(page), bins(whole)) << "other colours than those of the comparison itself";
  expect_error_containing(run_tool({"report", file, kInt8 + "x", "-o", folder / "x.html"}), 3, "x: ");
  if (!have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  EXPECT_EQ(faults_of_page(page, std::string(kHands) + R"js(
    expect(nodes().length === 13 && nodes().some((each) => each.querySelector(".face").getAttribute("fill") === "#800026"), "no colours");
    expect(names().length === 12, "rows: " + names().length);
    expect(one("#sensitivity").hidden && one("#curves").hidden && one("#pairing").hidden, "sections of which the file says nothing");
    expect(one("#about").textContent.includes("fp32.mse.visq.json"), "about: " + one("#about").textContent);
  )js"),
            "");
}

TEST(ReportPage, CompareWritesThePageToo) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tool({"compare", kFp32, kInt8, "-d", kData, "--quiet", "--write", "html=" + (folder / "c.html")}).exit_code, 0);
  const std::string page = read_text(folder / "c.html");
  EXPECT_THAT(page, HasSubstr("\"records\":64"));
  if (!have_browser()) GTEST_SKIP() << "no browser (chromium) on this machine";
  EXPECT_EQ(faults_of_page(page, std::string(kHands) + "expect(nodes().length === 13 && names().length === 12, 'page of compare');"), "");
}

}  // namespace
}  // namespace visq::testing
