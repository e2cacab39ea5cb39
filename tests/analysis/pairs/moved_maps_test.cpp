// Maps that only put another map's values in another order: what is carried over to them, and what must not be.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/compare.h"

namespace visq {
namespace {

using visq::testing::float_array;
using visq::testing::MemorySource;
using visq::testing::SmallModel;

constexpr std::int64_t kRows = 37, kColumns = 29;
const std::vector<std::int32_t> kSwapped = {1, 0}, kKept = {0, 1};

/// in -> RELU -> TRANSPOSE -> RESHAPE. Grids of the last two are told by `moved_scale`; 0: a float model.
std::shared_ptr<const Model> moving_model(float scale, float moved_scale, const std::vector<std::int32_t>& order) {
  SmallModel model(scale == 0 ? "f.tflite" : "q.tflite");
  const auto map = [&](const char* name, Shape shape, float step, int zero_point) {
    return step == 0 ? model.map(name, std::move(shape)) : model.quantized_map(name, std::move(shape), DType::kInt8, step, zero_point);
  };
  const int in = map("in", {kRows, kColumns}, scale, 0);
  const int relu = map("relu", {kRows, kColumns}, scale, -128);
  const Shape turned = order == kSwapped ? Shape{kColumns, kRows} : Shape{kRows, kColumns};
  const int transposed = map("transposed", turned, moved_scale, -128);
  const int flat = map("flat", {kRows * kColumns}, moved_scale, -128);
  model.op("RELU", {in}, {relu});
  model.op("TRANSPOSE", {relu, model.constant_int32("order", {2}, order)}, {transposed});
  model.op("RESHAPE", {transposed, model.constant_int32("shape", {1}, {kRows * kColumns})}, {flat});
  return model.finish({in}, {flat});
}

MemorySource records(float special = 0) {
  std::vector<Array> values;
  for (int r = 0; r < 3; ++r) {
    std::vector<float> data;
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) data.push_back(9.0F * std::sin(static_cast<float>((i + 1) * (r + 1)) * 0.37F));
    if (special != 0) data[static_cast<std::size_t>(kColumns)] = special;  // row 1, column 0
    values.push_back(float_array({kRows, kColumns}, data));
  }
  return MemorySource(std::move(values));
}

CompareResult compared(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized, MemorySource data,
                       bool per_channel = false) {
  CompareOptions options;
  options.records = {0, 3};
  options.per_channel = per_channel;
  auto result = compare(reference, quantized, data, options);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

const MapComparison& named(const CompareResult& result, std::string_view name) {
  for (const MapComparison& map : result.maps) {
    if (map.reference.name == name) return map;
  }
  ADD_FAILURE() << name;
  return result.maps.front();
}

double metric(const CompareResult& result, std::string_view map, std::string_view name) {
  for (std::size_t i = 0; i < result.metrics.size(); ++i) {
    if (result.metrics[i] == metric_named(name)) return named(result, map).metrics[i].value;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(MovedMaps, HaveTheFiguresOfWhatWasMoved) {
  const auto reference = moving_model(0, 0, kSwapped), quantized = moving_model(0.03F, 0.03F, kSwapped);
  const auto carried = compared(reference, quantized, records());
  const auto own = compared(reference, quantized, records(), true);  // channels want every map read
  for (const char* const map : {"relu", "transposed", "flat"}) {
    for (const Metric each : carried.metrics) {
      if (metric_info(each).outputs_only) continue;
      const auto name = metric_info(each).name;
      const double expected = metric(own, map, name);
      EXPECT_NEAR(metric(carried, map, name), expected, 2e-6 * std::abs(expected)) << map << " " << name;
      EXPECT_EQ(metric(carried, map, name), metric(carried, "relu", name)) << map << " " << name;
    }
  }
  EXPECT_EQ(named(carried, "transposed").shape, (Shape{kColumns, kRows}));
  EXPECT_GT(metric(carried, "flat", "mse"), 0.1) << "0.03 * 255 is below 9";
}

TEST(MovedMaps, OfAnotherOrderAreCompared) {
  const auto result = compared(moving_model(0, 0, kSwapped), moving_model(0.1F, 0.1F, kKept), records());
  EXPECT_GT(metric(result, "flat", "mse"), 100 * metric(result, "relu", "mse"));
}

TEST(MovedMaps, OnAnotherGridAreCompared) {
  const auto result = compared(moving_model(0, 0, kSwapped), moving_model(0.1F, 0.2F, kSwapped), records());
  EXPECT_GT(metric(result, "transposed", "mse"), 2 * metric(result, "relu", "mse"));
  EXPECT_EQ(metric(result, "flat", "mse"), metric(result, "transposed", "mse"));
}

TEST(MovedMaps, TellWhereTheirOwnFirstNaNIs) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto result = compared(moving_model(0, 0, kSwapped), moving_model(0, 0, kSwapped), records(nan));
  EXPECT_EQ(named(result, "relu").reference_statistics.first_non_finite_element, kColumns);
  EXPECT_EQ(named(result, "transposed").reference_statistics.first_non_finite_element, 1);
}

}  // namespace
}  // namespace visq
