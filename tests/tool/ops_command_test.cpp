// visqerror ops: the registry as text, JSON and documentation.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/op.h"
#include "support/results/json_schema.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using nlohmann::json;

json document(const std::vector<std::string>& globs) {
  std::vector<std::string> words = {"ops", "--json", "-"};
  for (const std::string& glob : globs) words.insert(words.end(), {"--ops", glob});
  return json::parse(run_tool(words).out);
}

TEST(OpsCommand, DocumentationIsWhatMarkdownSays) {
  const ProcessResult result = run_tool({"ops", "--markdown"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(read_text(std::string(VISQ_SOURCE_DIR) + "/docs/operators.md"), result.out)
      << "regenerate it: visqerror ops --markdown > docs/operators.md";
}

TEST(OpsCommand, JsonKeepsToItsSchemaAndNamesEveryOperator) {
  const json all = document({});
  EXPECT_EQ(schema_violation("ops.schema.json", all), "");
  std::vector<std::string> names;
  for (const json& op : all["operators"]) names.push_back(op["op"]);
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const kernels::OpDef* op : kernels::all_ops()) EXPECT_THAT(names, ::testing::Contains(std::string(op->name)));
  for (const kernels::OpDef* op : kernels::all_integer_ops()) EXPECT_THAT(names, ::testing::Contains(std::string(op->name)));
}

TEST(OpsCommand, TellsTypesByMode) {
  const json quantize = document({"QUANTIZE"})["operators"];
  ASSERT_EQ(quantize.size(), 1U);
  EXPECT_THAT(quantize[0]["types"]["fp32"], ::testing::Contains("float32"));
  EXPECT_EQ(quantize[0]["types"]["fp32"], quantize[0]["types"]["fake-quant"]);
  EXPECT_THAT(quantize[0]["types"]["integer"], ::testing::IsSupersetOf({"int8", "uint8", "int16", "float32"}));
  const json reshape = document({"RESHAPE"})["operators"][0]["types"];  // only moves values
  EXPECT_THAT(reshape["integer"], ::testing::IsSupersetOf({"int8", "uint8", "int16"}));
  EXPECT_THAT(reshape["integer"], ::testing::Not(::testing::Contains("float32")));
  EXPECT_EQ(document({"SIN"})["operators"][0]["types"]["integer"], json::array());
  EXPECT_EQ(document({"SPLIT"})["operators"][0]["main_input"], 1);
}

TEST(OpsCommand, TextHasEveryOperator) {
  const ProcessResult result = run_tool({"ops"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  for (const kernels::OpDef* op : kernels::all_ops()) EXPECT_THAT(result.out, ::testing::HasSubstr("\n" + std::string(op->name) + " "));
}

TEST(OpsCommand, FiltersByGlobs) {
  const json chosen = document({"*_POOL_2D", "ADD"});
  std::vector<std::string> names;
  for (const json& op : chosen["operators"]) names.push_back(op["op"]);
  EXPECT_EQ(names, (std::vector<std::string>{"ADD", "AVERAGE_POOL_2D", "L2_POOL_2D", "MAX_POOL_2D"}));
  expect_error(run_tool({"ops", "--ops", "NO_SUCH*"}), 2, "no operator fits --ops");
  expect_error(run_tool({"ops", "--markdown", "--json", "-"}), 2, "ops: --markdown and --json - both write to standard output");
}

}  // namespace
}  // namespace visq::testing
