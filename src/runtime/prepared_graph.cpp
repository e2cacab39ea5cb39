#include "runtime/prepared_graph.h"

#include <cstring>

#include "kernels/densify.h"
#include "kernels/dequantize_constant.h"
#include "quant/fake_quantize.h"

namespace visq::runtime {

using kernels::Tensor;

/// Walks a subgraph once in execution order and fills a PreparedGraph.
class GraphPreparer {
 public:
  GraphPreparer(std::shared_ptr<const Model> model, int subgraph, Mode mode) : graph_(new PreparedGraph()) {
    graph_->model_ = std::move(model);
    graph_->subgraph_ = subgraph;
    graph_->mode_ = mode;
  }

  Result<std::shared_ptr<const PreparedGraph>> run(const std::vector<Shape>& input_shapes) {
    const Subgraph& subgraph = graph_->subgraph();
    declare_tensors();
    for (std::size_t i = 0; i < subgraph.inputs.size(); ++i) {
      PreparedTensor& input = tensor(subgraph.inputs[i]);
      input.value.shape = input_shapes[i];
      input.shape_known = true;
    }
    count_readers();
    graph_->nodes_.resize(subgraph.operators.size());
    for (std::size_t node = 0; node < subgraph.operators.size(); ++node) VISQ_TRY(prepare_one(node));
    return std::shared_ptr<const PreparedGraph>(std::move(graph_));
  }

 private:
  PreparedTensor& tensor(int index) { return graph_->tensors_[static_cast<std::size_t>(index)]; }

  void declare_tensors() {
    const Subgraph& subgraph = graph_->subgraph();
    graph_->tensors_.resize(subgraph.tensors.size());
    graph_->constants_.resize(subgraph.tensors.size());
    for (std::size_t i = 0; i < subgraph.tensors.size(); ++i) {
      const TensorInfo& info = subgraph.tensors[i];
      PreparedTensor& prepared = graph_->tensors_[i];
      const bool blocks = info.is_constant && info.quantization.block_size != 0;
      const bool real = graph_->mode_ != Mode::kInteger && (quant::has_grid(info) || blocks);
      prepared.value = Tensor{.dtype = real ? DType::kFloat32 : info.dtype, .shape = info.shape, .info = &info};
      prepared.gridded = real && !info.is_constant && graph_->mode_ == Mode::kFakeQuant;
      prepared.variable = info.is_variable;
      prepared.ahead = info.is_constant;
      prepared.shape_known = info.is_constant || info.is_variable;
      graph_->stateful_ |= info.is_variable;
    }
  }

  /// How many operators read each constant; what was packed by all of them is not kept.
  void count_readers() {
    readers_.assign(graph_->tensors_.size(), 0);
    for (const Operator& op : graph_->subgraph().operators) {
      for (const int input : op.inputs) {
        if (input >= 0) ++readers_[static_cast<std::size_t>(input)];
      }
    }
  }

  /// Gives a constant its memory: in place in the file where it can be used as it is, else a copy or its real values.
  Status materialize(int index, const std::string& place) {
    PreparedTensor& prepared = tensor(index);
    if (!prepared.value.info->is_constant || prepared.value.data != nullptr || prepared.value.strings != nullptr) return {};
    const TensorInfo& info = *prepared.value.info;
    if (prepared.value.dtype != info.dtype) {
      VISQ_ASSIGN(const auto values, real_values(info, place));
      return keep(index, std::as_bytes(std::span(values)), place);
    }
    if (info.sparsity != nullptr) {
      VISQ_ASSIGN(const auto dense, kernels::densify(info, place));
      return keep(index, dense, place);
    }
    if (bits(info.dtype) < 8) {
      VISQ_ASSIGN(const auto wide, kernels::stored_integers(info, place));
      const std::vector<std::int8_t> values(wide.begin(), wide.end());
      return keep(index, std::as_bytes(std::span(values)), place);
    }
    constexpr std::size_t kCopyBelow = std::size_t{1} << 20;  // small ones are copied, so that kernels may read behind their end
    const bool aligned = reinterpret_cast<std::uintptr_t>(info.data.data()) % 16 == 0;
    if (info.data.size() < kCopyBelow || !aligned) return keep(index, info.data, place);
    prepared.value.data = const_cast<std::byte*>(info.data.data());
    return {};
  }

  Result<std::vector<float>> real_values(const TensorInfo& info, const std::string& place) const {
    const Quantization& q = info.quantization;
    if (q.block_size == 0) return kernels::dequantize_constant(info, place);
    return kernels::dequantize_blocks(info, graph_->subgraph().tensors[static_cast<std::size_t>(q.block_scales)], place);
  }

  Status keep(int index, std::span<const std::byte> bytes, const std::string& place) {
    AlignedBuffer& buffer = graph_->constants_[static_cast<std::size_t>(index)];
    buffer = AlignedBuffer(bytes.size());
    if (buffer.data() == nullptr) return bad_input("{}: no memory for {} bytes of a constant", place, bytes.size());
    if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
    tensor(index).value.data = buffer.data();
    return {};
  }

  void mark_unsupported(PreparedNode& node, std::string reason) {
    node.status = NodeStatus::kUnsupported;
    node.reason = std::move(reason);
    for (const int output : node.op->outputs) tensor(output).missing = true;
  }

  /// materialize(); a constant that cannot be had makes the node unsupported.
  Status materialize_for(PreparedNode& node, int index, const std::string& place) {
    Status status = materialize(index, place);
    if (status.ok() || status.error().reason != Reason::kUnsupported) return status;
    mark_unsupported(node, status.error().message);
    return {};
  }

  /// False for constants of circle's block-quantized types, whose bytes are not elements.
  static bool has_elements(const TensorInfo& info) { return !info.is_constant || bits(info.dtype) > 0; }

  /// True (and the node marked) where it cannot run: no definition, or an input that is never computed.
  bool cannot_run(PreparedNode& node) {
    if (node.def == nullptr) {
      mark_unsupported(node, fmt::format("operator {} cannot be run", node.op->label()));
      return true;
    }
    for (const int input : node.op->inputs) {
      if (input >= 0 && tensor(input).missing) {
        mark_unsupported(node, fmt::format("its input '{}' was not computed", tensor(input).value.info->name));
        return true;
      }
      if (input >= 0 && !has_elements(*tensor(input).value.info)) {
        mark_unsupported(
            node, fmt::format("its constant '{}' is of type {}", tensor(input).value.info->name, name(tensor(input).value.info->dtype)));
        return true;
      }
    }
    return false;
  }

  Status prepare_one(std::size_t index) {
    PreparedNode& node = graph_->nodes_[index];
    node.op = &graph_->subgraph().operators[index];
    node.def = kernels::find_op(node.op->label());
    const std::string place = place_of(graph_->model(), graph_->subgraph_, index);
    if (cannot_run(node)) return {};
    for (const int input : node.op->inputs) {
      if (input >= 0) VISQ_TRY(materialize_for(node, input, place));
    }
    if (!node.reason.empty()) return {};
    graph_->stateful_ |= node.def->stateful;

    bool shapes_known = true;
    std::vector<const Tensor*> inputs;
    std::vector<bool> codes_available;
    for (const int input : node.op->inputs) {
      inputs.push_back(input >= 0 ? &tensor(input).value : nullptr);
      codes_available.push_back(input >= 0 && tensor(input).gridded && size_of(tensor(input).value.info->dtype) <= 2);
      shapes_known = shapes_known && (input < 0 || tensor(input).shape_known);
    }
    if (!shapes_known) {
      node.status = NodeStatus::kDeferred;  // it reads its constants at every step, so they stay
      return {};
    }
    std::vector<Tensor*> outputs;
    for (const int output : node.op->outputs) outputs.push_back(&tensor(output).value);
    auto outcome = prepare_node(graph_->model(), graph_->subgraph(), *node.op, place, std::move(inputs), std::move(outputs),
                                std::move(codes_available));
    if (!outcome.ok()) {
      if (outcome.error().reason != Reason::kUnsupported) return outcome.error();
      mark_unsupported(node, outcome.error().message);
      return {};
    }
    if (outcome->deferred) {
      node.status = NodeStatus::kDeferred;
      return {};
    }
    return adopt(node, *outcome, place);
  }

  Status adopt(PreparedNode& node, const PrepareOutcome& outcome, const std::string& place) {
    node.status = NodeStatus::kReady;
    node.kernel = outcome.kernel;
    for (const int output : node.op->outputs) tensor(output).shape_known = true;
    for (std::size_t slot = 0; slot < node.op->inputs.size(); ++slot) {
      const int input = node.op->inputs[slot];
      if (input < 0) continue;
      if (outcome.wants_codes[slot]) tensor(input).wants_codes = true;
      if (outcome.packed[slot]) release_packed(input);
    }
    return can_fold(node) ? fold(node, place) : Status();
  }

  /// A constant that all its readers have packed needs no memory of ours any more.
  void release_packed(int index) {
    const auto i = static_cast<std::size_t>(index);
    if (--readers_[i] > 0 || !tensor(index).value.info->is_constant) return;
    graph_->constants_[i] = AlignedBuffer();
    tensor(index).value.data = nullptr;
  }

  bool can_fold(const PreparedNode& node) {
    if (node.def->stateful || node.op->inputs.empty()) return false;
    if (node.def->shape_only) return true;
    for (const int input : node.op->inputs) {
      if (input >= 0 && (!tensor(input).ahead || tensor(input).value.data == nullptr)) return false;
    }
    return true;
  }

  Status fold(PreparedNode& node, const std::string& place) {
    std::vector<const Tensor*> inputs;
    for (const int input : node.op->inputs) inputs.push_back(input >= 0 ? &tensor(input).value : nullptr);
    std::vector<Tensor*> outputs;
    for (const int output : node.op->outputs) {
      PreparedTensor& made = tensor(output);
      if (made.value.dtype == DType::kString) return {};
      const auto bytes = static_cast<std::size_t>(made.value.elements()) * size_of(made.value.dtype);
      AlignedBuffer& buffer = graph_->constants_[static_cast<std::size_t>(output)];
      buffer = AlignedBuffer(bytes);
      if (buffer.data() == nullptr) return bad_input("{}: no memory for an output of {} bytes", place, bytes);
      made.value.data = buffer.data();
      outputs.push_back(&made.value);
    }
    const auto state = node.kernel->make_state();
    std::vector<std::byte> scratch;
    kernels::EvalContext context(inputs, outputs, state.get(), scratch);
    VISQ_TRY(node.kernel->eval(context));
    for (const int output : node.op->outputs) {
      PreparedTensor& made = tensor(output);
      made.ahead = true;
      if (made.gridded) quant::fake_quantize(reinterpret_cast<float*>(made.value.data), *made.value.info, made.value.shape, nullptr);
      made.gridded = false;
    }
    node.status = NodeStatus::kFolded;
    return {};
  }

  std::unique_ptr<PreparedGraph> graph_;
  std::vector<int> readers_;
};

Result<std::shared_ptr<const PreparedGraph>> PreparedGraph::prepare(std::shared_ptr<const Model> model, int subgraph, Mode mode,
                                                                    const std::vector<Shape>& input_shapes) {
  return GraphPreparer(std::move(model), subgraph, mode).run(input_shapes);
}

}  // namespace visq::runtime
