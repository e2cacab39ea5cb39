// Recipes are of the model's own kind: what its weights are, and whether kernels read them as codes or as floats.
#include "visq/quantizer_config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace visq {
namespace {

nlohmann::json default_rule(const QuantizerConfig& config) {
  const auto text = quantizer_config_text(config, "aeq");
  EXPECT_TRUE(text.ok());
  return nlohmann::json::parse(text.value()).at(0);
}

TEST(QuantizerConfig, StaticModelsGetRangesForTheirMaps) {
  const auto settings = default_rule({.model = {}, .default_dtype = "int8", .layers = {}}).at("op_config");
  EXPECT_EQ(settings.at("activation_tensor_config").at("num_bits"), 8);
  EXPECT_EQ(settings.at("explicit_dequantize"), false);
}

TEST(QuantizerConfig, DynamicRangeQuantizesWeightsForIntegerKernels) {
  const auto settings = default_rule({.model = {}, .default_dtype = "int8", .layers = {}, .float_maps = true}).at("op_config");
  EXPECT_FALSE(settings.contains("activation_tensor_config"));
  EXPECT_EQ(settings.at("compute_precision"), "INTEGER");
  EXPECT_EQ(settings.at("explicit_dequantize"), false);
}

TEST(QuantizerConfig, WeightOnlyQuantizesWeightsForFloatKernels) {
  const auto settings =
      default_rule({.model = {}, .default_dtype = "int8", .layers = {}, .float_maps = true, .float_kernels = true}).at("op_config");
  EXPECT_FALSE(settings.contains("activation_tensor_config"));
  EXPECT_EQ(settings.at("weight_tensor_config").at("num_bits"), 8);
  EXPECT_EQ(settings.at("compute_precision"), "FLOAT");
  EXPECT_EQ(settings.at("explicit_dequantize"), true);
}

TEST(QuantizerConfig, HalfPrecisionStaysHalfPrecision) {
  const auto rule = default_rule({.model = {}, .default_dtype = "float16", .layers = {}, .float_maps = true, .float_kernels = true});
  EXPECT_EQ(rule.at("algorithm_key"), "float_casting");
  EXPECT_EQ(rule.at("op_config").at("weight_tensor_config").at("num_bits"), 16);
  EXPECT_EQ(rule.at("op_config").at("weight_tensor_config").at("dtype"), "FLOAT");
}

TEST(QuantizerConfig, QuantizersOfStaticModelsAreNotToldOfFloatMaps) {
  EXPECT_FALSE(quantizer_config_text({.model = {}, .default_dtype = "int8", .layers = {}, .float_maps = true}, "mpq").ok());
  EXPECT_TRUE(quantizer_config_text({.model = {}, .default_dtype = "int8", .layers = {}}, "mpq").ok());
}

}  // namespace
}  // namespace visq
