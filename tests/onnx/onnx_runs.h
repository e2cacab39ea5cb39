// Runs of the models of tests/onnx/data.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/model.h"
#include "visq/run.h"

namespace visq::testing {

/// The path of a file of tests/onnx/data.
inline std::string onnx_file(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/tests/onnx/data/" + name; }

/// Keeps every map of every record, as float64 where it is of numbers, by name.
class NamedMaps final : public MapSink {
 public:
  struct Map {
    Shape shape;
    DType dtype = DType::kFloat32;
    std::vector<double> values;
  };
  Status begin_record(std::int64_t) override {
    records.emplace_back();
    return {};
  }
  Status add(const FeatureMap& map) override {
    Map& kept = records.back()[map.info->name];
    kept = {map.shape, map.dtype, {}};
    for (std::int64_t i = 0; i < map.shape.elements(); ++i) kept.values.push_back(value_at(map, static_cast<std::size_t>(i)));
    return {};
  }
  std::vector<std::map<std::string, Map>> records;

 private:
  static double value_at(const FeatureMap& map, std::size_t i);
};

}  // namespace visq::testing
