#include "support/models/small_model.h"

#include <cstring>

namespace visq::testing {

SmallModel::SmallModel(std::string path) {
  model_->path = std::move(path);
  model_->subgraphs.emplace_back();
  model_->storage = bytes_;
}

int SmallModel::add(TensorInfo tensor) {
  auto& tensors = current().tensors;
  tensors.push_back(std::move(tensor));
  return static_cast<int>(tensors.size()) - 1;
}

int SmallModel::map(std::string name, Shape shape, DType dtype) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  tensor.dtype = dtype;
  return add(std::move(tensor));
}

int SmallModel::dynamic_map(std::string name, Shape shape, std::vector<std::int64_t> signature) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  tensor.shape_signature = std::move(signature);
  return add(std::move(tensor));
}

int SmallModel::quantized_map(std::string name, Shape shape, DType dtype, float scale, std::int64_t zero_point) {
  const int index = map(std::move(name), std::move(shape), dtype);
  Quantization& quantization = current().tensors[static_cast<std::size_t>(index)].quantization;
  quantization.scale = {scale};
  quantization.zero_point = {zero_point};
  return index;
}

int SmallModel::variable(std::string name, Shape shape) {
  const int index = map(std::move(name), std::move(shape));
  current().tensors[static_cast<std::size_t>(index)].is_variable = true;
  return index;
}

int SmallModel::add_constant(TensorInfo tensor, const void* bytes, std::size_t count) {
  auto& store = bytes_->emplace_back(count);
  if (count > 0) std::memcpy(store.data(), bytes, count);
  tensor.is_constant = true;
  tensor.data = store;
  return add(std::move(tensor));
}

int SmallModel::constant(std::string name, Shape shape, const std::vector<float>& values) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  return add_constant(std::move(tensor), values.data(), values.size() * sizeof(float));
}

int SmallModel::constant_int32(std::string name, Shape shape, const std::vector<std::int32_t>& values) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  tensor.dtype = DType::kInt32;
  return add_constant(std::move(tensor), values.data(), values.size() * sizeof(std::int32_t));
}

int SmallModel::constant_int8(std::string name, Shape shape, const std::vector<std::int8_t>& values, std::vector<float> scale, int axis) {
  TensorInfo tensor;
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  tensor.dtype = DType::kInt8;
  tensor.quantization.zero_point.assign(scale.size(), 0);
  tensor.quantization.scale = std::move(scale);
  tensor.quantization.axis = axis;
  return add_constant(std::move(tensor), values.data(), values.size());
}

int SmallModel::bias(std::string name, const std::vector<std::int32_t>& values, std::vector<float> scale) {
  const int index = constant_int32(std::move(name), {static_cast<std::int64_t>(values.size())}, values);
  Quantization& quantization = model_->subgraphs[0].tensors[static_cast<std::size_t>(index)].quantization;
  quantization.zero_point.assign(scale.size(), 0);
  quantization.scale = std::move(scale);
  return index;
}

Operator& SmallModel::op(std::string type, std::vector<int> inputs, std::vector<int> outputs) {
  Operator& added = current().operators.emplace_back();
  added.type = std::move(type);
  added.inputs = std::move(inputs);
  added.outputs = std::move(outputs);
  return added;
}

void SmallModel::next_subgraph(std::vector<int> inputs, std::vector<int> outputs) {
  finish(std::move(inputs), std::move(outputs));
  model_->subgraphs.emplace_back();
}

std::shared_ptr<const Model> SmallModel::finish(std::vector<int> inputs, std::vector<int> outputs) {
  current().inputs = std::move(inputs);
  current().outputs = std::move(outputs);
  return model_;
}

Array float_array(Shape shape, const std::vector<float>& values) {
  Array array = make_array(DType::kFloat32, std::move(shape));
  std::copy(values.begin(), values.end(), array.values<float>().begin());
  return array;
}

}  // namespace visq::testing
