// What comes from a process that a stranger's file may have taken over: lengths without measure, texts that are cut off.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/wire.h"

namespace visq {
namespace {

/// A reader of these bytes, which come in pieces.
WireReader reader_of(std::vector<std::byte> bytes, std::size_t piece = 7) {
  return WireReader([bytes = std::move(bytes), at = std::size_t{0}, piece](std::span<std::byte> to) mutable {
    const std::size_t count = std::min({piece, to.size(), bytes.size() - at});
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, to.begin());
    at += count;
    return count;
  });
}

/// What a writer sends.
template <class Write>
std::vector<std::byte> sent(const Write& write) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  WireWriter writer(ends[1]);
  write(writer);
  writer.flush();
  ::close(ends[1]);
  std::vector<std::byte> bytes(1 << 16);
  bytes.resize(static_cast<std::size_t>(::read(ends[0], bytes.data(), bytes.size())));
  ::close(ends[0]);
  return bytes;
}

TEST(Wire, ReadsWhatWasWritten) {
  const std::string name(1000, 'n');
  WireReader in = reader_of(sent([&](WireWriter& out) {
    out.number(7);
    out.text(name);
    out.text("");
    out.number(UINT64_MAX);
  }));
  EXPECT_EQ(in.number(7), 7U);
  EXPECT_EQ(in.text(1000), name);
  EXPECT_EQ(in.text(0), "");
  EXPECT_EQ(in.number(UINT64_MAX), UINT64_MAX);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.number(1), 0U);  // the end
  EXPECT_FALSE(in.ok());
}

TEST(Wire, RefusesNumbersAndLengthsBeyondTheirLimit) {
  for (const std::uint64_t value : {std::uint64_t{8}, std::uint64_t{1} << 62, UINT64_MAX}) {
    const auto bytes = sent([&](WireWriter& out) {
      out.number(value);
      out.number(1);
    });
    WireReader numbers = reader_of(bytes), texts = reader_of(bytes);
    EXPECT_EQ(numbers.number(7), 0U);
    EXPECT_EQ(texts.text(7), "");  // without taking the memory
    EXPECT_FALSE(numbers.ok());
    EXPECT_FALSE(texts.ok());
    EXPECT_EQ(numbers.number(7), 0U);  // what follows has no meaning any more
  }
}

TEST(Wire, TellsTextsAndBytesThatAreCutOff) {
  auto bytes = sent([](WireWriter& out) { out.text("twelve bytes"); });
  bytes.resize(bytes.size() - 1);
  WireReader in = reader_of(bytes);
  EXPECT_EQ(in.text(100), "");
  EXPECT_FALSE(in.ok());
  std::array<std::byte, 4> four{};
  reader_of({}).bytes(four);
  WireReader large = reader_of(std::vector<std::byte>(100'000), 1000);
  std::vector<std::byte> more(200'000);
  large.bytes(more);
  EXPECT_FALSE(large.ok());
}

}  // namespace
}  // namespace visq
