// Every operator against LiteRT: the cases of data/, in all modes that they allow.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernels/op.h"
#include "support/models/model_builder.h"
#include "support/models/operator_cases.h"
#include "support/results/result_rules.h"
#include "visq/run.h"

namespace visq {
namespace {

using visq::testing::CaseName;
using visq::testing::OperatorCase;

struct Parameter {
  CaseName name;
  Mode mode = Mode::kFp32;
};

/// What GoogleTest may call it: letters, digits, underscores.
std::string test_name(const Parameter& parameter) {
  std::string text;
  for (const char c : parameter.name.key + "_" + std::string(visq::name(parameter.mode))) {
    text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return text;
}

void PrintTo(const Parameter& parameter, std::ostream* out) { *out << parameter.name.key << ' ' << visq::name(parameter.mode); }

std::vector<Parameter> parameters() {
  std::vector<Parameter> all;
  for (const CaseName& name : visq::testing::case_names()) {
    if (!name.quantized) all.push_back({name, Mode::kFp32});
    if (name.quantized) all.insert(all.end(), {{name, Mode::kFakeQuant}, {name, Mode::kInteger}});
  }
  return all;
}

/// Keeps what every record made of the graph outputs.
class Keeper final : public MapSink {
 public:
  Status begin_record(std::int64_t) override {
    records_.emplace_back();
    return {};
  }
  Status add(const FeatureMap& map) override {
    Array array{map.dtype, map.shape, {}, {map.strings.begin(), map.strings.end()}};
    if (map.data != nullptr) array.bytes.assign(map.data, map.data + static_cast<std::size_t>(map.shape.elements()) * size_of(map.dtype));
    records_.back().insert_or_assign(map.tensor, std::move(array));
    return {};
  }
  const std::vector<std::map<int, Array>>& records() const { return records_; }

 private:
  std::vector<std::map<int, Array>> records_;
};

class OperatorCaseTest : public ::testing::TestWithParam<Parameter> {};

TEST_P(OperatorCaseTest, AgreesWithLiteRT) {
  const Mode mode = GetParam().mode;
  const OperatorCase the_case = visq::testing::load_case(GetParam().name);
  auto loaded = visq::testing::load_bytes(the_case.model);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const auto model = std::make_shared<const Model>(std::move(loaded).value());
  const auto source = visq::testing::case_source(the_case.inputs);
  RunOptions options;
  options.mode = mode;
  options.records = {0, source->count()};
  Keeper keeper;
  const auto not_run = run(model, *source, options, keeper);
  ASSERT_TRUE(not_run.ok()) << not_run.error().message;
  ASSERT_TRUE(not_run->empty()) << not_run->front().reason;

  const auto& expected = mode == Mode::kFakeQuant && the_case.fake ? *the_case.fake : the_case.value;
  ASSERT_EQ(keeper.records().size(), expected.size());
  for (std::size_t r = 0; r < expected.size(); ++r) {
    ASSERT_EQ(expected[r].size(), model->main().outputs.size());
    for (std::size_t k = 0; k < expected[r].size(); ++k) {
      const int tensor = model->main().outputs[k];
      const auto found = keeper.records()[r].find(tensor);
      ASSERT_TRUE(found != keeper.records()[r].end()) << "output " << k << ", record " << r << ": not computed";
      const TensorInfo& info = model->main().tensors[static_cast<std::size_t>(tensor)];
      const std::string wrong = visq::testing::mismatch(found->second, expected[r][k], info, mode, the_case.moves);
      EXPECT_EQ(wrong, "") << "output " << k << ", record " << r;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OperatorCaseTest, ::testing::ValuesIn(parameters()),
                         [](const auto& instance) { return test_name(instance.param); });

using Names = std::set<std::string, std::less<>>;

/// Operators that LiteRT does not run; their tests are naive loops and closed forms in tests/kernels.
const Names kNotInLiteRt = {"GRU", "INSTANCE_NORM", "RMS_NORM", "ROPE", "STABLEHLO_CBRT"};
/// No model has them without a quantized tensor.
const Names kNeverPlain = {"NumericVerify", "QUANTIZE"};

/// They work on bits. LiteRT takes quantized tensors too, but there are no float kernels that fake quantization could mean.
const Names kOnBits = {"STABLEHLO_AND", "STABLEHLO_SHIFT_LEFT"};

/// Operators of the registry that no case proves.
Names without_case(std::span<const kernels::OpDef* const> definitions, bool quantized, const Names& exceptions) {
  Names proved = exceptions;
  for (const CaseName& name : visq::testing::case_names()) {
    if (name.quantized == quantized) proved.insert(name.operators.begin(), name.operators.end());
  }
  Names missing;
  for (const kernels::OpDef* definition : definitions) {
    const bool of_onnx = definition->name.starts_with("ai.onnx.") || definition->name.starts_with("com.microsoft.");  // see tests/onnx
    if (!of_onnx && !proved.contains(definition->name)) missing.emplace(definition->name);
  }
  return missing;
}

TEST(OperatorCases, ProveEveryOperatorOnPlainValues) {
  Names exceptions = kNotInLiteRt;
  exceptions.insert(kNeverPlain.begin(), kNeverPlain.end());
  EXPECT_EQ(without_case(kernels::all_ops(), false, exceptions), Names());
}

TEST(OperatorCases, ProveEveryOperatorOnStoredIntegers) {
  Names exceptions = kNotInLiteRt;
  exceptions.insert(kOnBits.begin(), kOnBits.end());
  EXPECT_EQ(without_case(kernels::all_integer_ops(), true, exceptions), Names());
  std::vector<const kernels::OpDef*> takes_stored;
  for (const kernels::OpDef* definition : kernels::all_ops()) {
    if (definition->takes_stored) takes_stored.push_back(definition);
  }
  EXPECT_EQ(without_case(takes_stored, true, exceptions), Names());
}

}  // namespace
}  // namespace visq
