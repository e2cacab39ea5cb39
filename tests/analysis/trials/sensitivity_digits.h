// The bundled example, for the tests of sensitivity.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/model.h"
#include "visq/sensitivity.h"

namespace visq::testing {

inline std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }
inline std::shared_ptr<const Model> model(const std::string& name) {
  return std::make_shared<const Model>(load_model(example(name)).value());
}

inline const std::vector<SensitiveType> kEverything{SensitiveType::kNode, SensitiveType::kNodeOutput, SensitiveType::kWeight,
                                                    SensitiveType::kActivation, SensitiveType::kInput};

class SensitivityDigits : public ::testing::Test {
 protected:
  Result<SensitivityResult> run(SensitivityOptions options) {
    if (options.records.last == 0) options.records = {0, 1};
    const auto data = open_data(example("data.h5"), *fp32_).value();
    return sensitivity(fp32_, int8_, *data, options);
  }

  std::shared_ptr<const Model> fp32_ = model("fp32.tflite"), int8_ = model("int8.tflite");
};

/// Everything of two results that numbers can differ in.
inline void expect_same(const SensitivityResult& a, const SensitivityResult& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].part.reference.name, b.nodes[i].part.reference.name) << i;
    EXPECT_EQ(sensitive_type(a.nodes[i].part), sensitive_type(b.nodes[i].part)) << i;
    for (std::size_t m = 0; m < a.nodes[i].metrics.size(); ++m) EXPECT_EQ(a.nodes[i].metrics[m].value, b.nodes[i].metrics[m].value);
    EXPECT_EQ(a.nodes[i].rank_low, b.nodes[i].rank_low) << i;
    EXPECT_EQ(a.nodes[i].rank_high, b.nodes[i].rank_high) << i;
  }
  for (std::size_t m = 0; m < a.metrics.size(); ++m) EXPECT_EQ(a.all_quantized[m].value, b.all_quantized[m].value);
}

}  // namespace visq::testing
