// Sums of a record as bytes: what was packed comes back, and what no run can have packed is refused.
#include "analysis/compare/record_codec.h"

#include <gtest/gtest.h>

#include <functional>

namespace visq::analysis {
namespace {

RecordOutput some_output() {
  MapRecord map;
  map.stats.elements = 6;
  map.stats.non_finite_f = 1;
  map.fingerprint = ~std::uint64_t{0};
  map.shape = Shape{2, 3};
  map.not_compared = "not";
  RecordOutput output;
  output.maps = {{map}, {}};
  output.origins = {{OriginRecord{}}};
  return output;
}

TEST(RecordCodec, BringsBackWhatWasPacked) {
  const std::string bytes = pack(some_output());
  const auto output = unpack_output(bytes);
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->maps[0][0].stats.elements, 6);
  EXPECT_EQ(output->maps[0][0].fingerprint, ~std::uint64_t{0});
  EXPECT_EQ(output->maps[0][0].shape, (Shape{2, 3}));
  EXPECT_EQ(output->maps[0][0].not_compared, "not");
  EXPECT_EQ(pack(*output), bytes);
}

TEST(RecordCodec, EveryPartOfIt) {
  const std::string bytes = pack(some_output());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(unpack_output(bytes.substr(0, size)).ok()) << size;
  EXPECT_FALSE(unpack_output(bytes + '\0').ok());
}

TEST(RecordCodec, CountsThatNoMapHasAreRefused) {
  constexpr std::int64_t kHuge = INT64_MAX;
  const std::vector<std::function<void(RecordOutput&)>> changes = {
      [](RecordOutput& o) { o.maps[0][0].stats.elements = kHuge; },    [](RecordOutput& o) { o.maps[0][0].stats.elements = -1; },
      [](RecordOutput& o) { o.maps[0][0].stats.non_finite_f = 7; },    [](RecordOutput& o) { o.maps[0][0].stats.non_finite_q = -1; },
      [](RecordOutput& o) { o.maps[0][0].differing = kHuge; },         [](RecordOutput& o) { o.maps[0][0].saturated = -1; },
      [](RecordOutput& o) { o.maps[0][0].shape = Shape{-1}; },         [](RecordOutput& o) { o.origins[0][0].elements = kHuge; },
      [](RecordOutput& o) { o.origins[0][0].created_non_finite = -1; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    RecordOutput output = some_output();
    changes[i](output);
    EXPECT_FALSE(unpack_output(pack(output)).ok()) << "change " << i;
  }
}

}  // namespace
}  // namespace visq::analysis
