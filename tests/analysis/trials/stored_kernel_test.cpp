// Operators of a float graph on stored integers: the same codes as in the integer run of a quantized model.
#include "analysis/trials/stored_kernel.h"

#include <gtest/gtest.h>

#include "analysis/trials/quantized_parts.h"
#include "quant/fake_quantize.h"
#include "runtime/executor.h"
#include "visq/data.h"

namespace visq::analysis {
namespace {

using kernels::Tensor;
using runtime::Executor;
using runtime::PreparedGraph;

std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

struct PreparedRun {
  std::shared_ptr<const PreparedGraph> graph;
  std::optional<Executor> executor;

  PreparedRun(const std::shared_ptr<const Model>& model, Mode mode, const std::vector<Array>& inputs) {
    std::vector<Shape> shapes;
    for (const Array& input : inputs) shapes.push_back(input.shape);
    graph = PreparedGraph::prepare(model, 0, mode, shapes).value();
    auto plan = std::make_shared<const runtime::MemoryPlan>(runtime::plan_memory(*graph, {}));
    executor.emplace(Executor::create(graph, plan).value());
  }
};

int node_of(const Model& model, const std::string& type) {
  const auto& operators = model.main().operators;
  const auto found = std::find_if(operators.begin(), operators.end(), [&](const Operator& op) { return op.type == type; });
  return static_cast<int>(found - operators.begin());
}

class StoredKernel : public ::testing::Test {
 protected:
  const std::shared_ptr<const Model> fp32_ = std::make_shared<const Model>(load_model(example("fp32.tflite")).value());
  const std::shared_ptr<const Model> int16_ = std::make_shared<const Model>(load_model(example("int16x8.tflite")).value());
  const std::vector<quant::GraphPairing> pairing_ = quant::pair_models(*fp32_, *int16_, match_inputs(*fp32_, *int16_).value());

  const TensorInfo* grid(int tensor) const {
    for (const auto& match : pairing_.front().pairing.matches) {
      if (match.reference == tensor) return &int16_->main().tensors[as_size(match.quantized)];
    }
    return nullptr;
  }
};

TEST_F(StoredKernel, SoftmaxGivesTheCodesOfTheIntegerRun) {
  const int softmax = node_of(*fp32_, "SOFTMAX"), theirs = node_of(*int16_, "SOFTMAX");
  const Operator &ours = fp32_->main().operators[as_size(softmax)], &stored = int16_->main().operators[as_size(theirs)];
  const auto data = open_data(example("data.h5"), *fp32_).value();
  const auto inputs = InputFeed::create(*fp32_, nullptr).value().for_model(data->read(0).value()).value();
  PreparedRun real(fp32_, Mode::kFp32, inputs), integer(int16_, Mode::kInteger, inputs);

  QuantizedParts parts(*fp32_, *int16_, pairing_.front());
  QuantizedParts::OtherForm form;
  for (const int tensor : {ours.inputs[0], ours.outputs[0]}) form.activations[tensor] = *grid(tensor);
  parts.set_other(std::move(form));
  PartSet set;
  set.other_activations = {ours.inputs[0], ours.outputs[0]};
  const auto rounded_only = parts.overlay(set, *real.graph).value();
  set.other_kernels = {softmax};
  const auto overlay = parts.overlay(set, *real.graph).value();
  EXPECT_NE(overlay.nodes.at(as_size(softmax)).kernel, nullptr);

  ASSERT_TRUE(real.executor->begin(inputs, &overlay).ok());
  ASSERT_TRUE(real.executor->run_from(0).ok());
  const Tensor& logits = real.executor->tensor(ours.inputs[0]);
  const Tensor& scores = real.executor->tensor(ours.outputs[0]);
  std::vector<std::int16_t> codes(as_size(logits.elements()) + 64);
  quant::quantize(logits.values<float>().data(), *grid(ours.inputs[0]), logits.shape, codes.data());
  ASSERT_TRUE(integer.executor->begin(inputs).ok());
  Tensor lent = integer.graph->tensors()[as_size(stored.inputs[0])].value;
  lent.data = reinterpret_cast<std::byte*>(codes.data());
  integer.executor->lend(stored.inputs[0], lent);
  ASSERT_TRUE(integer.executor->step(as_size(theirs)).ok());

  const Tensor& expected = integer.executor->tensor(stored.outputs[0]);
  const TensorInfo& out = *grid(ours.outputs[0]);
  std::vector<float> values(as_size(expected.elements()));
  quant::dequantize(expected.data, out, expected.shape, values.data());
  EXPECT_EQ(values, std::vector<float>(scores.values<float>().begin(), scores.values<float>().end()));

  ASSERT_TRUE(real.executor->begin(inputs, &rounded_only).ok());
  ASSERT_TRUE(real.executor->run_from(0).ok());
  const auto rounded = real.executor->tensor(ours.outputs[0]).values<float>();
  EXPECT_NE(values, std::vector<float>(rounded.begin(), rounded.end()));  // tables are interpolated: rounding alone is not the device's
}

TEST_F(StoredKernel, IsNoneWhereRoundingTellsTheSame) {
  const auto data = open_data(example("data.h5"), *fp32_).value();
  const auto inputs = InputFeed::create(*fp32_, nullptr).value().for_model(data->read(0).value()).value();
  const PreparedRun real(fp32_, Mode::kFp32, inputs);
  const auto grids = [&](int tensor) { return grid(tensor); };
  EXPECT_EQ(stored_kernel(*real.graph, node_of(*fp32_, "CONV_2D"), grids), nullptr);
  EXPECT_EQ(stored_kernel(*real.graph, node_of(*fp32_, "RESHAPE"), grids), nullptr);
  EXPECT_EQ(stored_kernel(*real.graph, node_of(*fp32_, "SOFTMAX"), [](int) { return nullptr; }), nullptr);
}

}  // namespace
}  // namespace visq::analysis
