// Every ONNX operator against ONNX Runtime: the models of data/ that hold what is expected of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "core/half.h"
#include "kernels/op.h"
#include "onnx/onnx_runs.h"

namespace visq {
namespace {

using testing::NamedMaps;

constexpr std::string_view kExpected = ".expected";

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::isfinite(value) ? std::max(most, std::fabs(value)) : most;
  return most;
}

/// The models of data/families, by name.
std::vector<std::string> families() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(testing::onnx_file("families"))) {
    if (entry.path().extension() == ".onnx") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}
std::string family_file(const std::string& file) { return testing::onnx_file("families/" + file); }

class OnnxFamily : public ::testing::TestWithParam<std::string> {};

TEST_P(OnnxFamily, AgreesWithOnnxRuntime) {
  const std::string path = family_file(GetParam() + ".onnx");
  auto loaded = load_model(path);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const auto model = std::make_shared<const Model>(std::move(loaded).value());
  const auto data = open_data(family_file("inputs/" + GetParam() + ".npz"), *model);
  ASSERT_TRUE(data.ok()) << data.error().message;
  RunOptions options;
  options.records = {0, 1};
  NamedMaps maps;
  const auto not_run = run(model, **data, options, maps);
  ASSERT_TRUE(not_run.ok()) << not_run.error().message;
  for (const NotRun& each : *not_run)
    ADD_FAILURE() << model->main().operators[static_cast<std::size_t>(each.node)].type << ": " << each.reason;
  int compared = 0;
  for (const auto& [name, expected] : maps.records.at(0)) {
    if (!name.ends_with(kExpected)) continue;
    const std::string made = name.substr(0, name.size() - kExpected.size());
    if (!maps.records[0].contains(made)) continue;  // not run, which is told above
    const NamedMaps::Map& map = maps.records[0].at(made);
    EXPECT_EQ(map.shape, expected.shape) << made;
    EXPECT_EQ(map.dtype, expected.dtype) << made;
    ASSERT_EQ(map.values.size(), expected.values.size()) << made;
    for (std::size_t i = 0; i < map.values.size(); ++i) {
      const double tolerance =
          2e-6 + 4e-6 * std::fabs(expected.values[i]) + 4e-7 * largest(expected.values);  // where large products cancel
      const bool both_nan = std::isnan(map.values[i]) && std::isnan(expected.values[i]);
      if (map.values[i] != expected.values[i] && !both_nan)
        ASSERT_NEAR(map.values[i], expected.values[i], tolerance) << made << ", element " << i;
    }
    ++compared;
  }
  EXPECT_GE(compared, 4);
}

INSTANTIATE_TEST_SUITE_P(Families, OnnxFamily, ::testing::ValuesIn(families()), [](const auto& test) { return test.param; });

TEST(OnnxOperators, AreNoCustomOperatorsOfTflite) {
  Operator op;
  op.type = "Relu", op.domain = "ai.onnx";
  EXPECT_NE(kernels::find_op(op), nullptr);
  op.type = "CUSTOM", op.custom_code = "ai.onnx.Relu", op.domain.clear();
  EXPECT_EQ(kernels::find_op(op), nullptr);
}

TEST(OnnxOperators, HaveACaseEach) {
  std::set<std::string> covered{"com.microsoft.Gelu", "com.microsoft.QuantizeLinear",
                                "com.microsoft.DequantizeLinear"};  // as the standard's
  for (const std::string& family : families()) {
    const auto model = load_model(family_file(family + ".onnx"));
    ASSERT_TRUE(model.ok()) << model.error().message;
    for (const Operator& op : model->main().operators) covered.insert(op.domain == "ai.onnx" ? op.domain + "." + op.type : op.type);
  }
  for (const kernels::OpDef* def : kernels::all_ops()) {
    if (def->name.starts_with("ai.onnx.") || def->name.starts_with("com.microsoft."))
      EXPECT_TRUE(covered.contains(std::string(def->name))) << def->name;
  }
}

}  // namespace

double testing::NamedMaps::value_at(const FeatureMap& map, std::size_t i) {
  const auto at = [&]<class T>(std::type_identity<T>) { return reinterpret_cast<const T*>(map.data)[i]; };
  switch (map.dtype) {
    case DType::kFloat32:
      return static_cast<double>(at(std::type_identity<float>()));
    case DType::kFloat16:
      return static_cast<double>(static_cast<float>(at(std::type_identity<Half>())));
    case DType::kBFloat16:
      return static_cast<double>(static_cast<float>(at(std::type_identity<BFloat16>())));
    case DType::kFloat64:
      return at(std::type_identity<double>());
    case DType::kUInt64:
      return static_cast<double>(at(std::type_identity<std::uint64_t>()));
    case DType::kUInt32:
      return at(std::type_identity<std::uint32_t>());
    case DType::kInt16:
      return at(std::type_identity<std::int16_t>());
    case DType::kUInt16:
      return at(std::type_identity<std::uint16_t>());
    case DType::kInt64:
      return static_cast<double>(at(std::type_identity<std::int64_t>()));
    case DType::kInt32:
      return at(std::type_identity<std::int32_t>());
    case DType::kInt8:
      return at(std::type_identity<std::int8_t>());
    case DType::kUInt8:
    case DType::kBool:
      return at(std::type_identity<std::uint8_t>());
    default:
      ADD_FAILURE() << "type " << name(map.dtype);
      return 0;
  }
}

}  // namespace visq
