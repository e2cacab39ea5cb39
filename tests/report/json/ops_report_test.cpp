// The operator table on narrow and wide terminals.
#include "visq/report/ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace visq::report {
namespace {

const std::vector<SupportedOp> kOps = {{"A_LONG_NAME_OF_AN_OPERATOR",
                                        0,
                                        {DType::kFloat32, DType::kInt64, DType::kUInt16, DType::kBool, DType::kString, DType::kComplex64},
                                        {}},
                                       {"SPLIT", 1, {DType::kFloat32}, {DType::kInt8, DType::kInt16}}};

TEST(OpsText, GivesEveryOperatorALineWhereThereIsRoom) {
  const std::string text = ops_text(kOps, 0);
  EXPECT_EQ(text.substr(0, text.find("\n\n")),
            "operator                    fp32, fake-quant          integer\n"
            "A_LONG_NAME_OF_AN_OPERATOR  f32 i64 u16 bool str c64  -\n"
            "SPLIT                       f32                       i8 i16");
}

TEST(OpsText, BreaksTypesAtTheEdge) {
  const std::string text = ops_text(kOps, 60);
  EXPECT_THAT(text, ::testing::HasSubstr("\nA_LONG_NAME_OF_AN_OPERATOR  f32 i64 u16 bool str  -\n                            c64\n"));
  std::istringstream lines(text.substr(0, text.find("\n\n")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60U) << line;
}

TEST(OpsMarkdown, HasARowPerOperator) {
  const std::string text = ops_markdown(kOps);
  EXPECT_THAT(text, ::testing::HasSubstr("`visqerror ops --markdown > docs/operators.md`"));
  EXPECT_THAT(text, ::testing::HasSubstr("| A_LONG_NAME_OF_AN_OPERATOR | 0 | float32 int64 uint16 bool string complex64 | – |\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("| SPLIT | 1 | float32 | int8 int16 |\n"));
}

}  // namespace
}  // namespace visq::report
