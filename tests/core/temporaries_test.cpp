// What a process that ends without its destructors takes away with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

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

}  // namespace
}  // namespace visq
