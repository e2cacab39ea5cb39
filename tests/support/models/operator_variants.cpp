#include "support/models/operator_variants.h"

#include <fmt/core.h>

#include <functional>
#include <memory>

#include "tflite_generated.h"

namespace visq::testing {
namespace {

using Model = tflite::ModelT;
using Graph = tflite::SubGraphT;
using Operator = tflite::OperatorT;

class Maker {
 public:
  explicit Maker(std::string_view tflite) : source_(tflite) {
    const std::unique_ptr<Model> model(tflite::GetModel(source_.data())->UnPack());
    for (const auto& op : model->subgraphs.at(0)->operators) shapes_.push_back({op->inputs.size(), op->outputs.size()});
  }

  std::vector<Variant> make() {
    change("graph_without_inputs", [](Graph& graph) { graph.inputs.clear(); });
    change("graph_without_outputs", [](Graph& graph) { graph.outputs.clear(); });
    for (std::size_t node = 0; node < shapes_.size(); ++node) {
      change_lists(node);
      for (std::size_t slot = 0; slot < shapes_[node].inputs; ++slot) change_input(node, slot);
      for (std::size_t slot = 0; slot < shapes_[node].outputs; ++slot) change_output(node, slot);
      if (shapes_[node].outputs > 0) make_loops(node);
    }
    return std::move(made_);
  }

 private:
  struct Lists {
    std::size_t inputs, outputs;
  };
  using Change = std::function<void(Graph&)>;
  using NodeChange = std::function<void(Graph&, Operator&)>;

  void change(const std::string& name, const Change& apply) {
    const std::unique_ptr<Model> model(tflite::GetModel(source_.data())->UnPack());
    apply(*model->subgraphs[0]);
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(tflite::Model::Pack(builder, model.get()), tflite::ModelIdentifier());
    made_.push_back({name, {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()}});
  }
  void change_node(const std::string& what, std::size_t node, const NodeChange& apply) {
    const std::string name = shapes_.size() > 1 ? fmt::format("node{}_{}", node, what) : what;
    change(name, [&](Graph& graph) { apply(graph, *graph.operators[node]); });
  }

  void change_lists(std::size_t node) {
    change_node("without_inputs", node, [](Graph&, Operator& op) { op.inputs.clear(); });
    change_node("without_outputs", node, [](Graph& graph, Operator& op) {
      op.outputs.clear();
      graph.outputs = graph.inputs;
    });
    change_node("without_anything", node, [](Graph& graph, Operator& op) {
      op.inputs.clear();
      op.outputs.clear();
      graph.outputs.clear();
    });
    for (std::size_t count = 1; count < shapes_[node].inputs; ++count) {
      change_node(fmt::format("inputs_{}", count), node, [&](Graph&, Operator& op) { op.inputs.resize(count); });
    }
    if (shapes_[node].inputs == 0) return;
    change_node("one_input_more", node, [](Graph&, Operator& op) { op.inputs.push_back(op.inputs[0]); });
  }

  void change_input(std::size_t node, std::size_t slot) {
    change_node(fmt::format("absent_{}", slot), node, [&](Graph&, Operator& op) { op.inputs[slot] = -1; });
    if (slot == 0) return;
    change_node(fmt::format("twice_{}", slot), node, [&](Graph&, Operator& op) { op.inputs[slot] = op.inputs[0]; });
  }

  void change_output(std::size_t node, std::size_t slot) {
    change_node(fmt::format("absent_output_{}", slot), node, [&](Graph&, Operator& op) { op.outputs[slot] = -1; });
    change_node(fmt::format("output_twice_{}", slot), node, [&](Graph&, Operator& op) { op.outputs.push_back(op.outputs[slot]); });
  }

  /// Reads its own output, or that of a second operator that reads the first one's.
  void make_loops(std::size_t node) {
    for (std::size_t slot = 0; slot <= shapes_[node].inputs; ++slot) {
      const auto read = [slot](Operator& op, int tensor) {
        op.inputs.resize(std::max(op.inputs.size(), slot + 1), tensor);
        op.inputs[slot] = tensor;
      };
      change_node(fmt::format("own_output_{}", slot), node, [&](Graph& graph, Operator& op) {
        graph.tensors[static_cast<std::size_t>(op.outputs[0])]->is_variable = true;
        read(op, op.outputs[0]);
      });
      change_node(fmt::format("ring_{}", slot), node, [&](Graph& graph, Operator& op) {
        const int output = op.outputs[0], other = static_cast<int>(graph.tensors.size());
        graph.tensors[static_cast<std::size_t>(output)]->is_variable = true;
        graph.tensors.push_back(std::make_unique<tflite::TensorT>(*graph.tensors[static_cast<std::size_t>(output)]));
        auto second = std::make_unique<Operator>(op);
        read(op, other);
        read(*second, output);
        second->outputs = {other};
        graph.operators.push_back(std::move(second));
      });
      change_node(fmt::format("late_state_{}", slot), node, [&](Graph& graph, Operator& op) {  // no ring: what the last run left
        const auto state = static_cast<int>(graph.tensors.size());
        graph.tensors.push_back(std::make_unique<tflite::TensorT>(*graph.tensors[static_cast<std::size_t>(op.outputs[0])]));
        graph.tensors.back()->is_variable = true;
        auto second = std::make_unique<Operator>(op);
        read(op, state);
        second->outputs = {state};
        graph.operators.push_back(std::move(second));
      });
    }
  }

  std::string source_;
  std::vector<Lists> shapes_;
  std::vector<Variant> made_;
};

}  // namespace

std::vector<Variant> operator_variants(std::string_view tflite) { return Maker(tflite).make(); }

}  // namespace visq::testing
