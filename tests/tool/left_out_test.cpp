// What a build may leave out (VISQ_WITH_D3, VISQ_WITH_GRAPHVIZ, VISQ_WITH_JPEG, VISQ_WITH_PNG, VISQ_WITH_XNNPACK): --version says so, and
// what needs it fails with one line before anything is run.
#include "tool/tool_support.h"
#include "visq/full_report.h"

namespace visq::testing {
namespace {

using ::testing::HasSubstr;

TEST(LeftOut, VersionSaysWhatIsNotThere) {
  const std::string version = run_tool({"--version"}).out;
  const std::pair<bool, std::string> libraries[] = {{VISQ_BUILT_WITH_D3 != 0, "d3"},
                                                    {VISQ_BUILT_WITH_GRAPHVIZ != 0, "Graphviz"},
                                                    {VISQ_BUILT_WITH_XNNPACK != 0, "XNNPACK"},
                                                    {VISQ_BUILT_WITH_JPEG != 0, "libjpeg"},
                                                    {VISQ_BUILT_WITH_PNG != 0, "libpng"}};
  for (const auto& [there, library] : libraries) {
    EXPECT_THAT(version, HasSubstr("\n" + library));
    EXPECT_EQ(version.find("\n" + library + " is not in this build") == std::string::npos, there) << version;
  }
}

TEST(LeftOut, WithoutD3ThereAreNoPages) {
  if (can_make_pages().ok()) GTEST_SKIP() << "d3 is in this build";
  const TemporaryFolder folder;
  const std::string message = "the HTML page: this visqerror was built without d3 (VISQ_WITH_D3), which draws it";
  expect_error(run_tool({"report", kFp32, kInt8, "-d", kData, "-o", folder / "out"}), 4, message);
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--write", "html=" + folder / "page.html"}), 4, message);
  EXPECT_TRUE(folder.content().empty());
  EXPECT_EQ(run_tool({"report", kFp32, kInt8, "-d", kData, "--records", "2", "--quick", "--quiet", "--json", "-"}).exit_code, 0);
}

TEST(LeftOut, PicturesOfAKindThatIsNotThereAreNamed) {
  const std::pair<bool, std::string> kinds[] = {{VISQ_BUILT_WITH_JPEG != 0, "photo.jpg"}, {VISQ_BUILT_WITH_PNG != 0, "plain.png"}};
  for (const auto& [there, name] : kinds) {
    const std::string file = std::string(VISQ_SOURCE_DIR) + "/tests/data/pictures/" + name;
    const ProcessResult run = run_tool({"compare", kFp32, kInt8, "-d", file, "--resize", "input"});
    const std::string kind = name.ends_with("jpg") ? "JPEG" : "PNG";
    if (there) {
      EXPECT_EQ(run.exit_code, 0) << run.err;
    } else {
      expect_error(run, 4, file + ": this visqerror was built without " + kind + " (VISQ_WITH_" + kind + "), which reads it");
    }
  }
}

}  // namespace
}  // namespace visq::testing
