// Models built in memory, for tests of the rooms above the loader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/tensor.h"

namespace visq::testing {

/// Builds a model step by step. Tensor indices are handed out in order, per subgraph.
class SmallModel {
 public:
  explicit SmallModel(std::string path = "small.tflite");
  /// A feature map (graph input or operator output).
  int map(std::string name, Shape shape, DType dtype = DType::kFloat32);
  /// One whose shape records may change where `signature` says -1.
  int dynamic_map(std::string name, Shape shape, std::vector<std::int64_t> signature);
  /// The same on a grid of its own.
  int quantized_map(std::string name, Shape shape, DType dtype, float scale, std::int64_t zero_point);
  /// A float tensor that keeps its value from run to run.
  int variable(std::string name, Shape shape);
  int constant(std::string name, Shape shape, const std::vector<float>& values);
  int constant_int32(std::string name, Shape shape, const std::vector<std::int32_t>& values);
  int constant_int8(std::string name, Shape shape, const std::vector<std::int8_t>& values, std::vector<float> scale, int axis = 0);
  /// A quantized bias: one scale, or one per value.
  int bias(std::string name, const std::vector<std::int32_t>& values, std::vector<float> scale);
  /// Appends an operator; returns it for attributes.
  Operator& op(std::string type, std::vector<int> inputs, std::vector<int> outputs);
  /// Ends a subgraph; what follows goes into the next one.
  void next_subgraph(std::vector<int> inputs, std::vector<int> outputs);
  /// Ends the last subgraph and the model.
  std::shared_ptr<const Model> finish(std::vector<int> inputs, std::vector<int> outputs);

 private:
  Subgraph& current() { return model_->subgraphs.back(); }
  int add(TensorInfo tensor);
  int add_constant(TensorInfo tensor, const void* bytes, std::size_t count);
  std::shared_ptr<Model> model_ = std::make_shared<Model>();
  std::shared_ptr<std::vector<std::vector<std::byte>>> bytes_ = std::make_shared<std::vector<std::vector<std::byte>>>();
};

/// A float32 array with these values.
Array float_array(Shape shape, const std::vector<float>& values);

}  // namespace visq::testing
