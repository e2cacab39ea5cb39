#include "quant/name_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace visq::quant {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NameParts, AreTheNamesThatAConverterJoined) {
  EXPECT_THAT(name_parts("conv2d_19;conv2d_29/conv2d;conv2d_19"), ElementsAre("conv2d_19", "conv2d_29/conv2d"));
  EXPECT_THAT(name_parts("a;;b;"), ElementsAre("a", "b"));
  EXPECT_THAT(name_parts(""), IsEmpty());
}

TEST(NameParts, DoNotHoldWhatConvertersAdd) {
  EXPECT_THAT(name_parts("quant_head/Relu_int8"), ElementsAre("head/Relu"));
  EXPECT_THAT(name_parts("StatefulPartitionedCall:0_dequantize"), ElementsAre("StatefulPartitionedCall"));
  EXPECT_THAT(name_parts("split:1"), ElementsAre("split:1")) << "another output of the operator";
  EXPECT_THAT(name_parts("tfl.quantize"), IsEmpty());
  EXPECT_THAT(name_parts("_int8"), ElementsAre("_int8"));
}

}  // namespace
}  // namespace visq::quant
