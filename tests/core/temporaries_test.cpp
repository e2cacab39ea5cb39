// What a process that ends without its destructors takes away with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

#include <filesystem>
#include <stdexcept>

#include "core/file.h"
#include "support/runs/process.h"

namespace visq {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::write_text;

TEST(Temporaries, FilesAndTheFoldersAroundThemGo) {
  const TemporaryFolder folder;
  const TemporaryName outer(folder / "outer"), inner(folder / "outer/inner");
  fs::create_directories(inner.text());
  TemporaryFile file(folder / "outer/inner/result.json");
  ASSERT_TRUE(file.write("{}").ok());
  remove_temporaries();
  EXPECT_THAT(folder.content(), ::testing::IsEmpty());
}

TEST(Temporaries, AFolderWithAResultStays) {
  const TemporaryFolder folder;
  const TemporaryName outer(folder / "outer");
  fs::create_directory(outer.text());
  ASSERT_TRUE(write_file(folder / "outer/result.json", "{}").ok());
  remove_temporaries();
  EXPECT_TRUE(fs::exists(folder / "outer/result.json"));
}

TEST(Temporaries, WhatNobodyHoldsAnyMoreStays) {
  const TemporaryFolder folder;
  { const TemporaryName forgotten(folder / "kept"); }
  write_text(folder / "kept", "");
  remove_temporaries();
  EXPECT_TRUE(fs::exists(folder / "kept"));
}

/// Leaves a temporary for result.json behind, as a killed process does, and tells its name.
std::string leave_one(const TemporaryFolder& folder) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto* const file = new TemporaryFile(folder / "result.json");  // never destroyed
    ::_exit(file->write("{").ok() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (const std::string& name : folder.content()) {
    if (name.starts_with("result.json.tmp-")) return name;
  }
  throw std::runtime_error("the temporary has gone already");
}

TEST(Temporaries, OfAKilledProcessGoWithTheNextRun) {
  const TemporaryFolder folder;
  leave_one(folder);
  ASSERT_TRUE(write_file(folder / "other.json", "{}").ok());
  EXPECT_THAT(folder.content(), ::testing::ElementsAre("other.json"));
}

TEST(Temporaries, OfLivingProcessesAndOtherContainersStay) {
  const TemporaryFolder folder;
  TemporaryFile living(folder / "living.json");
  ASSERT_TRUE(living.write("{").ok());
  std::string other = leave_one(folder);
  const std::size_t place = other.find(".tmp-") + 5;
  const std::string elsewhere = other.substr(0, place) + (other[place] == '1' ? '2' : '1') + other.substr(place + 1);
  fs::rename(folder / other, folder / elsewhere);
  write_text(folder / "notes.tmp-1", "somebody's own");
  const TemporaryFolder linked;  // under another name a folder is looked through again
  fs::create_directory_symlink(folder.path(), linked / "first");
  ASSERT_TRUE(write_file(linked / "first/one.json", "{}").ok());
  EXPECT_EQ(folder.content().size(), 4U);
  struct ::utimbuf old {};
  ASSERT_EQ(::utime((folder / elsewhere).c_str(), &old), 0);  // 1970
  fs::create_directory_symlink(folder.path(), linked / "second");
  ASSERT_TRUE(write_file(linked / "second/two.json", "{}").ok());
  EXPECT_THAT(folder.content(),
              ::testing::UnorderedElementsAre("one.json", "two.json", "notes.tmp-1", fs::path(living.path()).filename().string()));
}

TEST(Temporaries, OfALongNameAreNoLonger) {
  const TemporaryFolder folder;
  const std::string longest(255, 'n');
  EXPECT_TRUE(write_file(folder / longest, "{}").ok());
  EXPECT_FALSE(write_file(folder / (longest + "n"), "{}").ok());
  EXPECT_THAT(folder.content(), ::testing::ElementsAre(longest));
}

}  // namespace
}  // namespace visq
