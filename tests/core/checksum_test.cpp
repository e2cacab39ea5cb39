// Checksum: computed once, for all copies, and only where it is asked for.
#include "visq/checksum.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "support/runs/process.h"

namespace visq {
namespace {

TEST(Checksum, OfNoFileIsEmpty) {
  EXPECT_EQ(Checksum().hex(), "");
  EXPECT_TRUE(Checksum() == Checksum(std::string()));
}

TEST(Checksum, IsThatOfTheMappedFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "file";
  testing::write_text(path, std::string(100'000, 'x') + "y");
  const auto file = MappedFile::open(path).value();
  const Checksum checksum(file, file->bytes());
  EXPECT_EQ(checksum.hex(), file_sha256(path).value());
  EXPECT_TRUE(checksum == Checksum(file_sha256(path).value()));
  EXPECT_TRUE(checksum != Checksum("00"));
}

TEST(Checksum, KeepsTheFileOnlyUntilItIsComputed) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "file";
  testing::write_text(path, "abc");
  auto file = MappedFile::open(path).value();
  const std::weak_ptr<const MappedFile> watched = file;
  const Checksum checksum(file, file->bytes());
  const Checksum copy = checksum;  // NOLINT: the copy is what is tested
  file.reset();
  EXPECT_FALSE(watched.expired()) << "nobody has asked for it yet";
  EXPECT_EQ(checksum.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(&copy.hex(), &checksum.hex()) << "copies share one computation";
}

}  // namespace
}  // namespace visq
