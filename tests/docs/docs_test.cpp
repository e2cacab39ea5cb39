// The documentation is true: every command has a guide, links lead somewhere, commands run and say what is printed below them, and formulas
// are those of the sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <sstream>

#include "support/runs/help_text.h"
#include "support/runs/process.h"
#include "visq/metrics.h"

namespace visq::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kSource = VISQ_SOURCE_DIR;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "SECURITY.md", "SKILL.md", "examples/digits/README.md",
                           "examples/cases/README.md", "examples/decoder/README.md"}) {
    if (fs::exists(kSource / name)) found.push_back(kSource / name);
  }
  for (const auto& file : fs::recursive_directory_iterator(kSource / "docs")) {
    if (file.path().extension() == ".md") found.push_back(file.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The part of the page that is prose.
std::string without_code(const fs::path& page) {
  std::string text;
  bool code = false;
  for (const std::string& line : lines_of(read_text(page.string()))) {
    if (line.starts_with("```")) code = !code;
    if (!code && !line.starts_with("    ")) text += line + "\n";
  }
  return text;
}

/// The anchor that a heading gets: lower case, spaces to hyphens, no punctuation.
std::string anchor(const std::string& heading) {
  std::string slug;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') slug += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_') slug += static_cast<char>(std::tolower(byte));
  }
  return slug;
}

bool has_heading(const fs::path& page, const std::string& wanted) {
  for (const std::string& line : lines_of(without_code(page))) {
    const auto text = line.find_first_not_of('#');
    if (line.starts_with('#') && text != std::string::npos && anchor(line.substr(text + 1)) == wanted) return true;
  }
  return false;
}

TEST(Documentation, LinksLeadSomewhere) {
  const std::regex link(R"(\]\(([^)\s]*)\))");
  int followed = 0;
  for (const fs::path& page : pages()) {
    const std::string text = without_code(page);
    for (std::sregex_iterator found(text.begin(), text.end(), link), end; found != end; ++found) {
      const std::string target = (*found)[1];
      if (target.find("://") != std::string::npos) continue;
      const std::string file = target.substr(0, target.find('#'));
      const fs::path path = file.empty() ? page : page.parent_path() / file;
      EXPECT_TRUE(fs::exists(path)) << page << ": " << target;
      if (target.size() > file.size() && fs::exists(path)) {
        EXPECT_TRUE(has_heading(path, target.substr(file.size() + 1))) << page << ": " << target;
      }
      ++followed;
    }
  }
  EXPECT_GE(followed, 40);
}

/// `diff` and `merge` stand in pages about their use; an alias is documented where its command is.
TEST(Documentation, HasAGuideForEveryCommand) {
  const std::string overview = run_tool({"--help"}).out;
  for (const std::string& command : command_names()) {
    const std::regex alias("\n  " + command + " +another name of (\\w+)\n");
    std::smatch match;
    const std::string name = std::regex_search(overview, match, alias) ? match[1].str() : command;
    const auto names_it = [&](const char* page) {
      return read_text((kSource / "docs" / page).string()).find("visqerror " + name) != std::string::npos;
    };
    const bool in_shared = names_it("continuous_integration.md") || names_it("clusters.md");
    EXPECT_TRUE(fs::exists(kSource / "docs/commands" / (name + ".md")) || fs::exists(kSource / "docs" / (name + ".md")) || in_shared)
        << command;
  }
}

TEST(Documentation, MetricsAreThoseOfTheSources) {
  const std::string page = read_text((kSource / "docs/metrics.md").string());
  std::size_t place = 0;
  for (const MetricInfo& metric : all_metrics()) {
    const std::string name(metric.name);
    std::string head;
    for (const std::string& line : lines_of(read_text((kSource / "src/metrics/defs" / (name + ".cpp")).string()))) {
      if (!line.starts_with("// ")) break;
      head += line.substr(3) + "\n";
    }
    EXPECT_THAT(head, HasSubstr(metric.better == Direction::kHigherIsBetter ? "higher is better" : "lower is better"));
    const auto section = page.find("\n## " + name + "\n" + head);
    ASSERT_NE(section, std::string::npos) << "docs/metrics.md, section " << name << ": should read\n" << head;
    EXPECT_GT(section, place) << name << ": in the order of all_metrics()";
    place = section;
  }
}

/// Words of a line; those that hold a digit count as one, since last digits differ from CPU to CPU.
std::string gist(const std::string& line) {
  std::istringstream words(line);
  std::string text;
  for (std::string word; words >> word;) {
    const bool number = std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    text += (text.empty() ? "" : " ") + (number ? "#" : word);
  }
  return text;
}

struct Block {
  std::string kind, text;
};

std::vector<Block> blocks_of(const fs::path& page) {
  std::vector<Block> blocks;
  bool inside = false;
  for (const std::string& line : lines_of(read_text(page.string()))) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), ""});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

class Guide : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* examples : {"examples/digits", "examples/cases"}) {
      for (const auto& file : fs::directory_iterator(kSource / examples)) {
        const fs::path copy = folder_.path() / file.path().filename();
        if (file.is_regular_file() && file.path().extension() != ".py" && !fs::exists(copy)) fs::copy(file.path(), copy);
      }
    }
    fs::copy(kSource / "examples/decoder", folder_.path() / "decoder");
    fs::create_directory(folder_.path() / "bin");
    fs::create_symlink(VISQ_BINARY, folder_.path() / "bin/visqerror");
  }

  const TemporaryFolder folder_;
};

class GuidePage : public Guide, public ::testing::WithParamInterface<std::string> {};

TEST_P(GuidePage, RunsAndSaysWhatItPrints) {
  std::string said;
  int run = 0;
  for (const Block& block : blocks_of(kSource / "docs" / (GetParam() + ".md"))) {
    if (block.kind == "sh") {
      const ProcessResult result = run_process({"bash", "-c", "set -euo pipefail; export PATH=$PWD/bin:$PATH; " + block.text + "\n"},
                                               {.folder = folder_.path().string()});
      EXPECT_EQ(result.exit_code, 0) << block.text << result.err;
      said = "\n";
      for (const std::string& line : lines_of(result.out + result.err)) said += gist(line) + "\n";
      ++run;
    } else if (block.kind == "text") {
      for (const std::string& line : lines_of(block.text)) {
        if (line == "…") continue;
        EXPECT_THAT(said, HasSubstr("\n" + gist(line) + "\n")) << line;
      }
    }
  }
  EXPECT_GE(run, 1);
}

/// The README's examples stand indented, each behind the command that says it.
TEST_F(Guide, ReadmeSaysWhatTheReaderGets) {
  std::string said;
  int run = 0;
  for (const std::string& line : lines_of(read_text((kSource / "README.md").string()))) {
    const std::string prompt = "    $ ";
    if (line.starts_with(prompt)) {
      const ProcessResult result =
          run_process({"bash", "-c", "export PATH=$PWD/bin:$PATH; " + line.substr(prompt.size())}, {.folder = folder_.path().string()});
      EXPECT_LE(result.exit_code, 1) << line << result.err;
      said = "\n";
      for (const std::string& each : lines_of(result.out + result.err)) said += gist(each) + "\n";
      ++run;
    } else if (line.starts_with("    ") && run > 0 && !said.empty()) {
      const std::string wanted = gist(line);
      if (wanted == "…") continue;
      EXPECT_THAT(said, HasSubstr("\n" + wanted + "\n")) << line;
    } else if (!line.empty()) {
      said.clear();
    }
  }
  EXPECT_GE(run, 4);
}

std::vector<std::string> guides() {
  std::vector<std::string> names{"three_errors", "device_dumps", "language_models", "../SKILL"};
  for (const auto& file : fs::directory_iterator(kSource / "docs/cases")) names.push_back("cases/" + file.path().stem().string());
  for (const auto& file : fs::directory_iterator(kSource / "docs/commands")) names.push_back("commands/" + file.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, GuidePage, ::testing::ValuesIn(guides()),
                         [](const auto& test) { return fs::path(test.param).stem().string(); });

}  // namespace
}  // namespace visq::testing
