#include "support/models/data_models.h"

#include <utility>

namespace visq::testing {

TensorInfo data_tensor(std::string name, DType dtype, Shape shape) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.dtype = dtype;
  tensor.shape = std::move(shape);
  return tensor;
}

TensorInfo quantized_tensor(std::string name, DType dtype, Shape shape, float scale, std::int64_t zero_point) {
  TensorInfo tensor = data_tensor(std::move(name), dtype, std::move(shape));
  tensor.quantization.scale = {scale};
  tensor.quantization.zero_point = {zero_point};
  return tensor;
}

Model data_model(std::string path, std::vector<TensorInfo> inputs) {
  Model model;
  model.path = std::move(path);
  Subgraph graph;
  for (std::size_t i = 0; i < inputs.size(); ++i) graph.inputs.push_back(static_cast<int>(i));
  graph.tensors = std::move(inputs);
  model.subgraphs.push_back(std::move(graph));
  return model;
}

}  // namespace visq::testing
