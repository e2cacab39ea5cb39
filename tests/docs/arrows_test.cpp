// No folder includes from one that its CMake target has no arrow to, and no arrow leads back: arrows.txt is what CMake was told.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace visq::testing {
namespace {

namespace fs = std::filesystem;
using Arrows = std::map<std::string, std::set<std::string>>;  // a folder, and those that it may look into

Arrows declared_arrows() {
  Arrows arrows;
  std::ifstream file(VISQ_ARROWS);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string folder;
    words >> folder;
    auto& targets = arrows[folder];
    for (std::string word; words >> word;) targets.insert(word);
  }
  return arrows;
}

std::string room_of(const std::string& folder) { return folder.substr(0, folder.find('/')); }

std::set<std::string> reached(const Arrows& arrows, const std::string& from) {
  std::set<std::string> seen;
  std::function<void(const std::string&)> visit = [&](const std::string& folder) {
    for (const std::string& target : arrows.at(folder)) {
      if (seen.insert(target).second) visit(target);
    }
  };
  visit(from);
  return seen;
}

void check_includes(const fs::path& root, const fs::path& path, const Arrows& arrows) {
  static const std::regex kInclude("#include \"([^\"]+)/[^/\"]+\"");
  const std::string folder = path.parent_path().lexically_relative(root).generic_string();
  if (folder == "mpi" && !arrows.contains(folder)) return;  // built where it is asked for
  ASSERT_TRUE(arrows.contains(folder)) << path << ": CMake knows nothing of the folder";
  const auto allowed = reached(arrows, folder);
  std::ifstream file(path);
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (!std::regex_search(line, match, kInclude) || !arrows.contains(match[1])) continue;                 // of include/, or generated
    const std::string target = room_of(match[1]) == room_of(folder) ? match[1].str() : room_of(match[1]);  // of other rooms all wings
    EXPECT_TRUE(target == folder || allowed.contains(target)) << path.string() << ": " << line << ": " << folder << " has no arrow to it";
  }
}

TEST(Arrows, PointDown) {
  const Arrows arrows = declared_arrows();
  for (const auto& [folder, targets] : arrows) EXPECT_FALSE(reached(arrows, folder).contains(folder)) << folder << " reaches itself";
}

TEST(Arrows, AreThoseOfTheIncludes) {
  const Arrows arrows = declared_arrows();
  std::size_t files = 0;
  for (const fs::path root : {VISQ_SOURCE_DIR "/src", VISQ_SOURCE_DIR "/tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      check_includes(root, entry.path(), arrows);
      ++files;
    }
  }
  EXPECT_GT(files, 500U);
}

TEST(Arrows, FoldersShowTheirPlanInOneLook) {
  std::map<fs::path, int> files;
  for (const fs::path root : {VISQ_SOURCE_DIR "/src", VISQ_SOURCE_DIR "/tools", VISQ_SOURCE_DIR "/include", VISQ_SOURCE_DIR "/tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) ++files[entry.path().parent_path()];
    }
  }
  for (const auto& [folder, count] : files) EXPECT_LE(count, 42) << folder;
}

}  // namespace
}  // namespace visq::testing
