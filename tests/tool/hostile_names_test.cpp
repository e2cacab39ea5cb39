// Names are data: a pair of models whose names are markup, quotes, line ends, terminal sequences, formulas, paths, rubbish and a megabyte
// goes through every command. Whatever comes out is sound in its own language, stays in its folder, and cannot steer a terminal.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/models/renamed_model.h"
#include "support/results/xml_fault.h"
#include "support/runs/browser.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

namespace fs = std::filesystem;

/// One beginning for every name, so that none of the example's stays harmless; the rest of the name keeps it unique.
const std::vector<std::string>& beginnings() {
  static const std::vector<std::string> list = {"<script>alert(1)</script>",
                                                "\"';--&amp;\"",
                                                "two\nlines\r\n,\t",
                                                "\x1b[31mred\x1b]0;title\x07",
                                                "\xff\xfe\xc0\xaf\xed\xa0\x80",
                                                "=cmd()|'/C calc'!A0,",
                                                "../../../../escaped/",
                                                std::string("nul\0byte", 8),
                                                "\xc2\x9b"
                                                "2J\xe2\x80\xae",
                                                "@SUM(A1)",
                                                "/absolute/",
                                                "-1+2",
                                                "]]></title></svg>",
                                                "a:b=c;d|e#1",
                                                "\\N{}%s%n{}{0}"};
  return list;
}

/// New names by old ones, the same for both models; the first map's is a megabyte long.
class Renaming {
 public:
  std::string operator()(const std::string& name) {
    auto& renamed = names_[name];
    if (!renamed.empty()) return renamed;
    renamed = beginnings()[names_.size() % beginnings().size()] + name;
    if (name == "stem/Relu") renamed += std::string(1 << 20, 'x');
    return renamed;
  }

 private:
  std::map<std::string, std::string> names_;
};

/// The first of `text`'s bytes that may move a terminal's cursor, or no valid UTF-8 (C1 controls are two bytes of it); empty: none.
std::string unprintable(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if ((byte < 0x20 && byte != '\n') || byte == 0x7F || c1) return "byte " + std::to_string(byte) + " at " + std::to_string(i);
  }
  if (nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::ignore) !=
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {
    return "bytes that are not UTF-8";
  }
  return "";
}

/// Cells of a CSV text as RFC 4180 has them; empty, with a failure, where a quote stays open or rows differ in length.
std::vector<std::string> csv_cells(const std::string& text, const std::string& path) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  std::size_t columns = 0, row_start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"')
        cells.back() += text[++i];
      else
        quoted = !quoted;
    } else if (!quoted && c == ',') {
      cells.emplace_back();
    } else if (!quoted && c == '\n') {
      if (columns == 0) columns = cells.size();
      EXPECT_EQ(cells.size() - row_start, columns) << path << ", byte " << i;
      row_start = cells.size();
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  EXPECT_FALSE(quoted) << path;
  return cells;
}

bool is_number(const std::string& cell) {
  char* end = nullptr;
  std::strtod(cell.c_str(), &end);
  return end == cell.c_str() + cell.size();
}

void expect_harmless_csv(const std::string& text, const std::string& path) {
  for (const std::string& cell : csv_cells(text, path)) {
    const bool starts_formula = !cell.empty() && std::string_view("=+-@\t\r\n").find(cell[0]) != std::string_view::npos;
    EXPECT_FALSE(starts_formula && cell != "-" && !is_number(cell)) << path << ": " << cell.substr(0, 100);
  }
}

void expect_sound_dot(const std::string& path) {
  if (run_process({"dot", "-V"}).exit_code != 0) return;  // no Graphviz here
  const ProcessResult drawn = run_process({"dot", "-Tcanon", path});
  EXPECT_EQ(drawn.exit_code, 0) << path << ": " << drawn.err.substr(0, 300);
}

/// Markdown without what stands in code: no markup is left that a name could have brought, and rows have the cells of their table's head.
void expect_harmless_markdown(const std::string& text, const std::string& path) {
  std::string bare;
  for (std::size_t at = 0; at < text.size();) {
    const bool ticks = text[at] == '`', element = text.compare(at, 6, "<code>") == 0;
    if (!ticks && !element) {
      bare += text[at++];
      continue;
    }
    const std::string_view end = ticks ? "`" : "</code>";
    const std::size_t begin = at + (ticks ? 1 : 6), stop = text.find(end, begin);
    ASSERT_NE(stop, std::string::npos) << path;
    const std::string inside = text.substr(begin, stop - begin);
    EXPECT_EQ(inside.find_first_of(ticks ? "<|\n" : "<|\n`*_[]@"), std::string::npos) << path << ": " << inside;
    at = stop + end.size();
  }
  EXPECT_EQ(bare.find_first_of("<>[]`\\"), std::string::npos) << path;
  std::istringstream lines(bare);
  long columns = 0;
  for (std::string line; std::getline(lines, line);) {
    const long bars = std::count(line.begin(), line.end(), '|');
    EXPECT_TRUE(columns == 0 || bars == 0 || bars == columns) << path << ": " << line;
    columns = bars;
  }
}

/// The page draws itself without a fault, nothing in it was run, and it holds no element that its own script does not make.
void expect_harmless_page(const std::string& page, const std::string& path) {
  if (!have_browser()) return;
  EXPECT_EQ(faults_of_page(page, R"js(
    for (const each of document.querySelectorAll("img, iframe, object, embed, base, form, svg script, svg foreignObject"))
      fault("element: " + each.outerHTML.slice(0, 200));
    for (const each of document.querySelectorAll("a")) {
      const url = new URL(each.href, location);
      if (!["http:", "https:", "file:"].includes(url.protocol)) fault("link: " + url);
    }
    for (const each of document.querySelectorAll("*"))
      for (const name of each.getAttributeNames())
        if (name.startsWith("on")) fault("attribute: " + name);
  )js"),
            "")
      << path;
}

void expect_sound(const fs::path& path) {
  const std::string ending = path.extension().string(), text = read_text(path.string());
  SCOPED_TRACE(path.filename().string().substr(0, 100));
  EXPECT_EQ(unprintable(path.filename().string()), "");
  if (ending == ".json" || ending == ".sarif") {
    EXPECT_TRUE(nlohmann::json::accept(text));
  } else if (ending == ".svg" || ending == ".xml") {
    EXPECT_EQ(xml_fault(text), "");
  } else if (ending == ".csv") {
    expect_harmless_csv(text, path.string());
  } else if (ending == ".dot") {
    expect_sound_dot(path.string());
  } else if (ending == ".md") {
    expect_harmless_markdown(text, path.string());
  } else if (ending == ".html") {
    expect_harmless_page(text, path.string());
  }
  if (ending == ".svg" || ending == ".html" || ending == ".xml" || ending == ".md") {
    EXPECT_EQ(text.find("<script>alert"), std::string::npos);
  }
  if (ending != ".csv" && ending != ".h5" && ending != ".tflite" && path.filename().string().find("tfevents") == std::string::npos) {
    EXPECT_EQ(unprintable(text), "");
  }
}

class HostileNames : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "a/b/c");
    Renaming rename;
    for (const char* name : {"fp32.tflite", "int8.tflite"}) {
      write_text(folder_ / name, rename_all(read_text(example(name)), std::ref(rename)));
    }
    image_ = rename("image"), stem_ = rename("spatial/Relu6");
    before_ = folder_.content();
  }

  /// Runs a command with its results in a folder three levels down, and looks at all that comes out.
  ProcessResult run(std::vector<std::string> words, int exit_code = 0) {
    const ProcessResult result = run_tool(words, {.folder = folder_ / "a/b"});
    EXPECT_EQ(result.exit_code, exit_code) << result.err.substr(0, 1000);
    EXPECT_EQ(unprintable(result.err), "");
    EXPECT_LT(result.err.size(), 100000U) << "a message that nobody can read";
    EXPECT_EQ(unprintable(result.out), "");
    for (const std::string& name : folder_.content()) {
      const bool ours = name.starts_with("a/b/c/") || std::find(before_.begin(), before_.end(), name) != before_.end();
      EXPECT_TRUE(ours) << name.substr(0, 200) << " lies outside the output folder";
      const bool fresh = name.starts_with("a/b/c/") && fs::is_regular_file(folder_ / name) && sound_.insert(name).second;
      if (fresh) expect_sound(folder_.path() / name);
    }
    return result;
  }

  ProcessResult pair(const std::string& command, std::vector<std::string> more = {}, int exit_code = 0) {
    std::vector<std::string> words{command, folder_ / "fp32.tflite", folder_ / "int8.tflite", "-d", kData, "--records", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, exit_code);
  }

  TemporaryFolder folder_;
  std::string image_, stem_;
  std::vector<std::string> before_;
  std::set<std::string> sound_;  ///< files of earlier runs, looked at already
};

TEST_F(HostileNames, Compare) {
  pair("compare");
  pair("compare", {"-o", "c/out", "--origin", "--per-record", "--per-channel", "--verbose"});
  EXPECT_TRUE(nlohmann::json::accept(pair("compare", {"--json", "-"}).out));
  run({"-f", folder_ / "fp32.tflite", "-q", folder_ / "int8.tflite", "-d", kData, "--mse_output", "c/legacy.json", "--dump_dot_graph"});
}

TEST_F(HostileNames, DotOfAResult) {
  pair("compare", {"-o", "c/out"});
  run({"dot", "c/out/fp32.mse.visq.json"});
  run({"dot", "c/out/fp32.mse.visq.json", "-o", "c/again.dot"});
}

TEST_F(HostileNames, RunAndComparisonOfItsDumps) {
  for (const std::string name : {"fp32", "int8"})
    run({"run", folder_ / (name + ".tflite"), "-d", kData, "--records", "2", "-o", "c/" + name + ".h5"});
  run({"compare", "c/fp32.h5", "c/int8.h5", "-o", "c/out"});
}

TEST_F(HostileNames, InspectAndCheck) {
  run({"inspect", folder_ / "int8.tflite", "--tensors", "--json", "c/inspect.json"});
  run({"inspect", folder_ / "int8.tflite"});
  run({"check", folder_ / "int8.tflite", "-o", "c/one"});
  run({"check", folder_ / "fp32.tflite", folder_ / "int8.tflite", "-o", "c/two", "--json", "c/two.json"});
}

TEST_F(HostileNames, Badcase) { pair("badcase", {"-o", "c/out", "--save", "c/worst.h5", "--json", "c/badcase.json"}); }

TEST_F(HostileNames, Profile) { pair("profile", {"-o", "c/out", "--per-channel", "--time", "--write", "tensorboard=c/board"}); }

TEST_F(HostileNames, Distribution) { pair("distribution", {"-o", "c/out", "--all", "--json", "c/distribution.json"}); }

TEST_F(HostileNames, Sensitivity) {
  pair("sensitivity",
       {"-o", "c/out", "--types", "all", "--top", "30", "--write", "mpq", "--write", "denylist", "--write", "aeq", "--write", "inc"});
}

TEST_F(HostileNames, Accumulate) {
  pair("accumulate", {"-o", "c/out"});
  pair("accumulate", {"-o", "c/one", "--keep-float", stem_});
}

TEST_F(HostileNames, Partial) {
  pair("sensitivity", {"-o", "c/out"});
  pair("partial", {"-o", "c/partial", "--from", "c/out/sensitivity.json"});
}

TEST_F(HostileNames, Diagnose) { pair("diagnose", {"-o", "c/out"}); }

TEST_F(HostileNames, Recommend) {
  pair("recommend", {"-o", "c/out", "--write", "mpq", "--write", "denylist", "--write-model", "c/fixed.tflite"});
}

TEST_F(HostileNames, Extract) { pair("extract", {"--nodes", stem_, "-o", "c/out"}); }

/// Every format of results, with conditions that fail: their lines quote names as well.
const std::vector<std::string> kAllFormats = {"--write",  "junit",   "--write", "sarif",   "--write",
                                              "markdown", "--write", "html",    "--write", "model-explorer"};

TEST_F(HostileNames, AllFormats) {
  std::vector<std::string> more = {"-o", "c/out", "--max", "any:mse=1e-12", "--min", "node:" + stem_ + ":sqnr=1000"};
  more.insert(more.end(), kAllFormats.begin(), kAllFormats.end());
  pair("compare", more, 1);
  const std::vector<std::string> reviews = {"--write", "junit", "--write", "sarif", "--write", "markdown"};
  more = {"-o", "c/diagnosis"};
  more.insert(more.end(), reviews.begin(), reviews.end());
  pair("diagnose", more);
  std::vector<std::string> check = {"check", folder_ / "fp32.tflite", folder_ / "int8.tflite", "-o", "c/check"};
  check.insert(check.end(), reviews.begin(), reviews.end());
  run(check);
}

TEST_F(HostileNames, DiffAndMerge) {
  for (const std::string part : {"0:1", "1:2"}) {
    run({"compare", folder_ / "fp32.tflite", folder_ / "int8.tflite", "-d", kData, "--records", part, "--per-record", "-o",
         "c/" + part.substr(0, 1)});
  }
  run({"diff", "c/0/result.json", "c/1/result.json", "-o", "c/diff"}, 1);
  run({"diff", "c/0/result.json", "c/1/result.json", "--json", "-"}, 1);
  std::vector<std::string> merge = {"merge", "c/0/result.json", "c/1/result.json", "-o", "c/merged"};
  merge.insert(merge.end(), kAllFormats.begin(), kAllFormats.end());
  run(merge);
}

TEST_F(HostileNames, Report) {
  pair("report", {"-o", "c/report", "--top", "2", "--json", "c/report.json"});
  pair("compare", {"-o", "c/out"});
  run({"report", "c/out/fp32.mse.visq.json", "-o", "c/drawn.html"});
}

TEST_F(HostileNames, Messages) {
  run({"compare", folder_ / "fp32.tflite", folder_ / "int8.tflite", "-d", kData, "--nodes", "\x1b[31m\xff"}, 2);
  run({"run", folder_ / "\x1b[31m", "-o", "c/x.h5"}, 3);
}

}  // namespace
}  // namespace visq::testing
