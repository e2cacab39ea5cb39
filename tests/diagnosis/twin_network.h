// A float network and its int8 twin, built step by step side by side: a tensor has the same index in both.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/models/small_model.h"
#include "support/runs/memory_source.h"
#include "visq/diagnose.h"

namespace visq::testing {

inline std::vector<float> normal_values(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  for (float& value : values) value = distribution(engine);
  return values;
}

class TwinNetwork {
 public:
  struct Range {
    float low = 0, high = 0;
  };
  /// A feature map on the smallest int8 grid that holds the range.
  int map(const std::string& name, const Shape& shape, Range range) {
    const float scale = (range.high - range.low) / 255;
    scales_.push_back({scale});
    fp32_.map(name, shape);
    return int8_.quantized_map(name, shape, DType::kInt8, scale, std::lround(-128 - range.low / scale));
  }
  /// Weights of a FULLY_CONNECTED layer, a scale per row.
  int weights(const std::string& name, std::int64_t rows, std::int64_t columns, const std::vector<float>& values, float most = 127) {
    std::vector<float> scale;
    std::vector<std::int8_t> codes;
    for (std::size_t i = 0; i < values.size(); i += static_cast<std::size_t>(columns)) {
      const auto end = i + static_cast<std::size_t>(columns);
      float reach = 0;
      for (std::size_t k = i; k < end; ++k) reach = std::max(reach, std::fabs(values[k]));
      scale.push_back(reach / most);
      for (std::size_t k = i; k < end; ++k) codes.push_back(static_cast<std::int8_t>(std::lround(values[k] / scale.back())));
    }
    scales_.push_back(scale);
    fp32_.constant(name, {rows, columns}, values);
    return int8_.constant_int8(name, {rows, columns}, codes, scale);
  }
  /// The bias of a layer that reads these; what int32 does not hold becomes `overflown`.
  int bias(const std::string& name, const std::vector<float>& values, int data, int weight, std::int32_t overflown = INT32_MAX) {
    std::vector<std::int32_t> codes;
    std::vector<float> scale;
    for (std::size_t c = 0; c < values.size(); ++c) {
      scale.push_back(scales_[static_cast<std::size_t>(data)][0] * scales_[static_cast<std::size_t>(weight)][c]);
      const double code = std::round(static_cast<double>(values[c]) / static_cast<double>(scale.back()));
      codes.push_back(std::fabs(code) > INT32_MAX ? overflown : static_cast<std::int32_t>(code));
    }
    scales_.push_back(scale);
    fp32_.constant(name, {static_cast<std::int64_t>(values.size())}, values);
    return int8_.bias(name, codes, scale);
  }
  void op(const std::string& type, const std::vector<int>& inputs, int output) {
    fp32_.op(type, inputs, {output});
    int8_.op(type, inputs, {output});
  }
  Operator& fp32_op(const std::string& type, const std::vector<int>& inputs, int output) { return fp32_.op(type, inputs, {output}); }
  Operator& int8_op(const std::string& type, const std::vector<int>& inputs, int output) { return int8_.op(type, inputs, {output}); }

  /// Tokens (tensor 0) that look up rows of a table on one scale; returns what they look up.
  int tokens_and_rows(std::int64_t count, std::int64_t width, const std::vector<float>& table, float reach) {
    const float scale = reach / 127;
    std::vector<std::int8_t> codes;
    for (const float value : table) codes.push_back(static_cast<std::int8_t>(std::lround(value / scale)));
    for (SmallModel* model : {&fp32_, &int8_}) model->map("tokens", {4}, DType::kInt32);
    fp32_.constant("table", {count, width}, table);
    int8_.constant_int8("table", {count, width}, codes, {scale});
    fp32_.map("rows", {4, width});
    const int rows = int8_.quantized_map("rows", {4, width}, DType::kInt8, scale, 0);
    scales_.assign(3, {scale});
    for (SmallModel* model : {&fp32_, &int8_}) {
      Operator& gather = model->op("GATHER", {1, 0}, {rows});
      gather.attributes.set("axis", std::int64_t{0});
      gather.attributes.set("batch_dims", std::int64_t{0});
    }
    return rows;
  }
  /// Records of four tokens; the first is token 0.
  DiagnoseResult diagnose_on_tokens(std::int64_t count) const {
    std::vector<Array> records;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::vector<std::int32_t> tokens{0, static_cast<std::int32_t>(i), static_cast<std::int32_t>((3 * i + 1) % count),
                                             static_cast<std::int32_t>((5 * i + 2) % count)};
      Array array = float_array({4}, {0, 0, 0, 0});
      array.dtype = DType::kInt32;
      std::memcpy(array.bytes.data(), tokens.data(), array.bytes.size());
      records.push_back(std::move(array));
    }
    return diagnose_on(records);
  }

  /// Ends both.
  void finish(int input, int output) {
    reference = fp32_.finish({input}, {output});
    quantized = int8_.finish({input}, {output});
  }
  DiagnoseResult diagnose_on(const std::vector<Array>& records) const {
    MemorySource data(records);
    DiagnoseOptions options;
    options.threads = 1;
    options.records = {0, static_cast<std::int64_t>(records.size())};
    return diagnose(reference, quantized, data, options).value();
  }

  std::shared_ptr<const Model> reference, quantized;

 private:
  SmallModel fp32_{"fp32.tflite"}, int8_{"int8.tflite"};
  std::vector<std::vector<float>> scales_;  ///< by tensor
};

/// The finding of a cause; an empty one where there is none.
inline Finding finding_of(const DiagnoseResult& result, const std::string& cause) {
  for (const Finding& finding : result.findings) {
    if (finding.cause == cause) return finding;
  }
  return {};
}

inline double evidence_of(const Finding& finding, const std::string& name) {
  for (const auto& [key, value] : finding.evidence) {
    if (key == name) return value;
  }
  return NAN;
}

}  // namespace visq::testing
