// The public headers: the umbrella holds them all, they compile with it, none shows a type of a third party, and README's example uses
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "support/runs/process.h"
#include "visq/visq.h"

namespace visq::testing {
namespace {

namespace fs = std::filesystem;

const fs::path kInclude = fs::path(VISQ_SOURCE_DIR) / "include";

/// As they are included: "visq/model.h".
std::vector<std::string> public_headers() {
  std::vector<std::string> found;
  for (const auto& file : fs::recursive_directory_iterator(kInclude)) {
    if (file.is_regular_file()) found.push_back(fs::relative(file.path(), kInclude).string());
  }
  return found;
}

std::vector<std::string> includes_of(const std::string& header) {
  static const std::regex line("#include [\"<]([^\">]+)[\">]");
  const std::string text = read_text((kInclude / header).string());
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match) found.push_back((*match)[1]);
  return found;
}

TEST(PublicHeaders, AllStandInTheUmbrella) {
  std::vector<std::string> others = public_headers();
  ASSERT_GT(others.size(), 40U);
  std::erase(others, "visq/visq.h");
  EXPECT_THAT(includes_of("visq/visq.h"), ::testing::UnorderedElementsAreArray(others));
}

TEST(PublicHeaders, IncludeOnlyEachOtherAndTheStandardLibrary) {
  for (const std::string& header : public_headers()) {
    for (const std::string& included : includes_of(header)) {
      const bool standard = included.find_first_of("./") == std::string::npos;
      EXPECT_TRUE(standard || fs::exists(kInclude / included)) << header << " includes " << included;
    }
  }
}

TEST(PublicHeaders, TheReadmesExampleIsThatOfTheConsumer) {
  const std::string readme = read_text((fs::path(VISQ_SOURCE_DIR) / "README.md").string());
  const std::size_t begin = readme.find("```cpp\n") + 7, end = readme.find("```", begin);
  ASSERT_NE(end, std::string::npos);
  EXPECT_THAT(read_text((fs::path(VISQ_SOURCE_DIR) / "tests/consumer/main.cpp").string()),
              ::testing::HasSubstr(readme.substr(begin, end - begin)));
}

}  // namespace
}  // namespace visq::testing
