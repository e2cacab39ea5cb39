#include "support/models/recurrent_model.h"

#include <gtest/gtest.h>

#include "quant/fake_quantize.h"
#include "support/models/small_model.h"

namespace visq::testing {

RecurrentModel::RecurrentModel(std::string type) {
  model_->path = "m.tflite";
  model_->storage = constants_;
  model_->subgraphs.emplace_back();
  model_->subgraphs[0].operators.emplace_back();
  op().type = std::move(type);
}

int RecurrentModel::add(Shape shape, DType type, Grid grid) {
  TensorInfo tensor;
  auto& tensors = model_->subgraphs[0].tensors;
  tensor.name = "t" + std::to_string(tensors.size());
  tensor.shape = std::move(shape);
  tensor.dtype = type;
  if (grid.scale != 0) {
    tensor.quantization.scale = {grid.scale};
    tensor.quantization.zero_point = {grid.zero_point};
  }
  tensors.push_back(std::move(tensor));
  return static_cast<int>(tensors.size()) - 1;
}

RecurrentModel& RecurrentModel::input(Shape shape, DType type, Grid grid) {
  op().inputs.push_back(add(std::move(shape), type, grid));
  model_->subgraphs[0].inputs.push_back(op().inputs.back());
  return *this;
}

RecurrentModel& RecurrentModel::bytes(Shape shape, DType type, std::span<const std::byte> data, Grid grid) {
  op().inputs.push_back(add(std::move(shape), type, grid));
  TensorInfo& tensor = model_->subgraphs[0].tensors.back();
  constants_->emplace_back(data.begin(), data.end());
  tensor.is_constant = true;
  tensor.data = constants_->back();
  return *this;
}

RecurrentModel& RecurrentModel::constant(Shape shape, const std::vector<float>& values) {
  return bytes(std::move(shape), DType::kFloat32, std::as_bytes(std::span(values)), {});
}

RecurrentModel& RecurrentModel::variable(Shape shape, DType type, Grid grid) {
  op().inputs.push_back(add(std::move(shape), type, grid));
  model_->subgraphs[0].tensors.back().is_variable = true;
  return *this;
}

RecurrentModel& RecurrentModel::absent(int count) {
  op().inputs.insert(op().inputs.end(), static_cast<std::size_t>(count), -1);
  return *this;
}

RecurrentModel& RecurrentModel::output(DType type, Grid grid) {
  op().outputs.push_back(add({}, type, grid));
  model_->subgraphs[0].outputs = op().outputs;
  return *this;
}

RecurrentModel& RecurrentModel::intermediate(Grid grid) {
  op().intermediates.push_back(add({}, DType::kInt16, grid));
  return *this;
}

RecurrentModel& RecurrentModel::option(std::string name, Attribute value) {
  op().attributes.set(std::move(name), std::move(value));
  return *this;
}

Status RecurrentModel::start(Mode mode) {
  std::vector<Shape> shapes;
  for (const int input : model_->main().inputs) shapes.push_back(model_->main().tensors[static_cast<std::size_t>(input)].shape);
  VISQ_ASSIGN(auto graph, runtime::PreparedGraph::prepare(model_, 0, mode, shapes));
  if (graph->nodes()[0].status != runtime::NodeStatus::kReady) return Error{Reason::kUnsupported, graph->nodes()[0].reason};
  VISQ_ASSIGN(auto executor, runtime::Executor::create(graph, std::make_shared<runtime::MemoryPlan>(plan_memory(*graph, {}))));
  executor_ = std::make_unique<runtime::Executor>(std::move(executor));
  return {};
}

std::vector<std::vector<double>> RecurrentModel::run(const std::vector<std::vector<float>>& inputs) {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto index = static_cast<std::size_t>(model_->main().inputs[i]);
    arrays.push_back(float_array(model_->main().tensors[index].shape, inputs[i]));
  }
  const Status begun = executor_->begin(arrays);
  EXPECT_TRUE(begun.ok()) << begun.error().message;
  const Status stepped = executor_->step(0);
  EXPECT_TRUE(stepped.ok()) << stepped.error().message;
  std::vector<std::vector<double>> results;
  for (const int output : op().outputs) {
    const kernels::Tensor& tensor = executor_->tensor(output);
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    if (tensor.dtype == DType::kFloat32) {
      std::ranges::copy(tensor.values<float>(), values.begin());
    } else {
      quant::dequantize(tensor.data, *tensor.info, tensor.shape, values.data());
    }
    results.emplace_back(values.begin(), values.end());
  }
  return results;
}

Shape RecurrentModel::output_shape(int slot) const {
  return executor_->tensor(model_->main().operators[0].outputs[static_cast<std::size_t>(slot)]).shape;
}

std::string RecurrentModel::error(Mode mode) {
  const Status status = start(mode);
  return status.ok() ? std::string() : status.error().message;
}

}  // namespace visq::testing
