#include "runtime/prepared_graph.h"

#include <algorithm>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "core/file.h"
#include "kernels/text_room.h"
#include "quant/fake_quantize.h"
#include "runtime/graph_library.h"

namespace visq::runtime {

using kernels::Tensor;

/// Constants smaller than this stay in memory: a call of the system for each would cost more than it gives back.
constexpr std::size_t kWorthReleasing = 65536;

/// Walks a subgraph once in execution order and fills a PreparedGraph.
class GraphPreparer {
 public:
  /// `library`: of the graph that calls this one; null for the main graph, which gets one of its own.
  GraphPreparer(std::shared_ptr<const Model> model, int subgraph, Mode mode, Operands operands, GraphLibrary* library)
      : graph_(new PreparedGraph()) {
    graph_->model_ = std::move(model);
    graph_->subgraph_ = subgraph;
    graph_->mode_ = mode;
    graph_->operands_ = operands;
    if (library == nullptr) graph_->own_library_ = std::make_unique<GraphLibrary>(graph_->model_, mode, operands);
    graph_->library_ = library == nullptr ? graph_->own_library_.get() : library;
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
    const std::string place = fmt::format("{}: subgraph {}", graph_->model().path, graph_->subgraph_);
    for (const int output : subgraph.outputs) VISQ_TRY(give_constant(output, place));  // no operator has asked for it, or it was packed
    return std::shared_ptr<const PreparedGraph>(std::move(graph_));
  }

 private:
  PreparedTensor& tensor(int index) { return graph_->tensors_[as_size(index)]; }
  ConstantMemory& memory(int index) { return graph_->constants_[as_size(index)]; }

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
    }
  }

  /// How many operators read each constant; what was packed by all of them is not kept.
  void count_readers() {
    readers_.assign(graph_->tensors_.size(), 0);
    for (const Operator& op : graph_->subgraph().operators) {
      for (const int input : op.inputs) {
        if (input >= 0) ++readers_[as_size(input)];
      }
    }
  }

  Status give_constant(int index, const std::string& place) {
    PreparedTensor& prepared = tensor(index);
    const bool has_values = prepared.value.data != nullptr || prepared.value.strings != nullptr;
    if (!prepared.value.info->is_constant || has_values) return {};
    return materialize(prepared.value, graph_->subgraph(), memory(index), place);
  }

  void mark_unsupported(PreparedNode& node, std::string reason) {
    node.status = NodeStatus::kUnsupported;
    node.reason = std::move(reason);
    for (const int output : node.op->outputs) tensor(output).missing = true;
  }

  /// True (and the node marked) where it cannot run: no definition, or an input that is never computed.
  bool cannot_run(PreparedNode& node) {
    if (kernels::find_op(*node.op) == nullptr && kernels::find_integer_op(*node.op) == nullptr) {
      mark_unsupported(node, fmt::format("operator {} cannot be run", node.op->label()));
      return true;
    }
    for (const int input : node.op->inputs) {
      if (input >= 0 && tensor(input).missing) {
        mark_unsupported(node, fmt::format("its input '{}' was not computed", tensor(input).value.info->name));
        return true;
      }
    }
    return false;
  }

  /// A constant that Prepare packs from what the file stores; whether its real values are needed too is seen afterwards.
  bool waits(const kernels::OpDef* def, int slot, int index) {
    const PreparedTensor& prepared = tensor(index);
    const TensorInfo& info = *prepared.value.info;
    return def != nullptr && def->packs == slot && info.is_constant && prepared.value.data == nullptr && info.sparsity == nullptr &&
           info.quantization.block_size == 0;
  }

  /// Variables outlive the run and its memory: they are kept as real values alone.
  static bool has_codes(const PreparedTensor& tensor) {
    return tensor.gridded && !tensor.variable && size_of(tensor.value.info->dtype) <= 2;
  }

  /// What Prepare of the node is given; its constants get their values, but for those that wait.
  Result<PrepareRequest> request_for(const Operator& op, const std::string& place) {
    PrepareRequest request;
    request.op = &op;
    const kernels::OpDef* const def = graph_->mode_ == Mode::kInteger ? nullptr : kernels::find_op(op);
    for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
      const int input = op.inputs[slot];
      request.late.push_back(input >= 0 && waits(def, static_cast<int>(slot), input));
      if (input >= 0 && !request.late.back()) VISQ_TRY(give_constant(input, place));
      request.inputs.push_back(input >= 0 ? &tensor(input).value : nullptr);
      request.codes_available.push_back(graph_->operands_ == Operands::kCodes && input >= 0 && has_codes(tensor(input)));
      request.fixed.push_back(input >= 0 && tensor(input).ahead);
    }
    for (const int output : op.outputs) request.outputs.push_back(&tensor(output).value);
    request.may_round = graph_->mode_ == Mode::kFakeQuant;
    return request;
  }

  Status prepare_one(std::size_t index) {
    PreparedNode& node = graph_->nodes_[index];
    node.op = &graph_->subgraph().operators[index];
    const std::string place = place_of(graph_->model(), graph_->subgraph_, index);
    if (cannot_run(node)) return {};
    auto request = request_for(*node.op, place);
    if (!request.ok()) return accept_unsupported(node, request.error(), place);
    const std::vector<bool> late = request->late;
    const bool shapes_known =
        std::all_of(node.op->inputs.begin(), node.op->inputs.end(), [&](int input) { return input < 0 || tensor(input).shape_known; });
    if (!shapes_known) {
      node.status = NodeStatus::kDeferred;  // it reads its constants in the run, so they stay
      return give_late(node, late, {}, place);
    }
    auto outcome = prepare_node(*graph_, place, std::move(request).value());
    if (!outcome.ok()) return accept_unsupported(node, outcome.error(), place);
    if (outcome->deferred) {
      node.status = NodeStatus::kDeferred;
      return give_late(node, late, {}, place);
    }
    VISQ_TRY(give_late(node, late, outcome->packed, place));
    return adopt(node, *outcome, place);
  }

  /// Values of the constants that waited, unless they were packed.
  Status give_late(const PreparedNode& node, const std::vector<bool>& late, const std::vector<bool>& packed, const std::string& place) {
    for (std::size_t slot = 0; slot < late.size(); ++slot) {
      if (late[slot] && (packed.empty() || !packed[slot])) VISQ_TRY(give_constant(node.op->inputs[slot], place));
    }
    return {};
  }

  /// An operator that is not runnable is no error of the graph.
  Status accept_unsupported(PreparedNode& node, const Error& error, const std::string& place) {
    if (error.reason != Reason::kUnsupported) return error;
    mark_unsupported(node, without_place(error.message, place));
    return {};
  }

  Status adopt(PreparedNode& node, const PrepareOutcome& outcome, const std::string& place) {
    node.status = NodeStatus::kReady;
    node.kernel = outcome.kernel;
    node.stateful = outcome.stateful;
    node.rounds = outcome.rounds;
    node.reads_codes = outcome.reads_codes;
    for (std::size_t i = 0; i < node.op->outputs.size(); ++i) {
      PreparedTensor& output = tensor(node.op->outputs[i]);
      output.shape_known = !outcome.open[i];
      if (output.variable) VISQ_TRY(check_variable(output.value, place));
      node.output_shapes.push_back(output.value.shape);
    }
    for (std::size_t slot = 0; slot < node.op->inputs.size(); ++slot) {
      const int input = node.op->inputs[slot];
      node.input_shapes.push_back(input < 0 ? Shape() : tensor(input).value.shape);
      if (input < 0) continue;
      if (outcome.reads_codes[slot]) tensor(input).wants_codes = true;
      if (outcome.packed[slot]) release_packed(input);
    }
    return can_fold(node, outcome) ? fold(node, place) : Status();
  }

  /// A constant that all its readers have packed needs no memory of ours any more.
  void release_packed(int index) {
    const auto i = as_size(index);
    if (--readers_[i] > 0 || !tensor(index).value.info->is_constant) return;
    graph_->constants_[i].bytes = AlignedBuffer();
    tensor(index).value.data = nullptr;
    const auto stored = tensor(index).value.info->data, mapped = graph_->model().mapped;
    const bool in_file = !stored.empty() && stored.data() >= mapped.data() && stored.data() < mapped.data() + mapped.size();
    if (in_file && stored.size() >= kWorthReleasing) release_pages(stored);
  }

  bool can_fold(const PreparedNode& node, const PrepareOutcome& outcome) {
    if (outcome.stateful || node.op->inputs.empty() || dynamic_cast<const kernels::CallingKernel*>(node.kernel.get()) != nullptr) {
      return false;
    }
    for (const int output : node.op->outputs) {
      if (tensor(output).variable) return false;  // it is written in every run
    }
    if (outcome.shape_only) return true;
    for (const int input : node.op->inputs) {
      if (input < 0) continue;
      const Tensor& value = tensor(input).value;
      if (!tensor(input).ahead || (value.data == nullptr && value.strings == nullptr)) return false;
    }
    return true;
  }

  Status fold(PreparedNode& node, const std::string& place) {
    std::vector<const Tensor*> inputs;
    for (const int input : node.op->inputs) inputs.push_back(input >= 0 ? &tensor(input).value : nullptr);
    std::vector<Tensor*> outputs;
    for (const int output : node.op->outputs) {
      VISQ_TRY(give_folded_memory(output, place));
      outputs.push_back(&tensor(output).value);
    }
    if (const auto shortage = kernels::text_shortage(inputs, outputs)) return bad_input("{}: {}", place, *shortage);
    const auto state = node.kernel->make_state();
    std::vector<std::byte> scratch;
    kernels::EvalContext context(inputs, outputs, state.get(), scratch);
    if (!are_empty(outputs)) VISQ_TRY(node.kernel->eval(context));
    for (const int output : node.op->outputs) {
      PreparedTensor& made = tensor(output);
      made.ahead = true;
      if (made.gridded) quant::fake_quantize(reinterpret_cast<float*>(made.value.data), *made.value.info, made.value.shape, nullptr);
      made.gridded = false;
    }
    node.status = NodeStatus::kFolded;
    return {};
  }

  Status give_folded_memory(int output, const std::string& place) {
    Tensor& value = tensor(output).value;
    ConstantMemory& own = memory(output);
    if (holds_strings(value.dtype)) {
      own.strings.resize(as_size(value.elements()));
      value.strings = &own.strings;
      return {};
    }
    const auto bytes = as_size(value.elements()) * size_of(value.dtype);
    own.bytes = AlignedBuffer(bytes);
    if (own.bytes.data() == nullptr) return bad_input("{}: no memory for its output: {}", place, memory_shortage(bytes));
    value.data = own.bytes.data();
    return {};
  }

  std::unique_ptr<PreparedGraph> graph_;
  std::vector<int> readers_;
};

PreparedGraph::PreparedGraph() = default;
PreparedGraph::~PreparedGraph() = default;

Result<std::shared_ptr<const PreparedGraph>> PreparedGraph::prepare(std::shared_ptr<const Model> model, int subgraph, Mode mode,
                                                                    const std::vector<Shape>& input_shapes, Operands operands) {
  if (mode == Mode::kInteger && model->format == "onnx") {
    return unsupported("{}: integer runs of ONNX models are not offered: no standard says what they compute", model->path);
  }
  return GraphPreparer(std::move(model), subgraph, mode, operands, nullptr).run(input_shapes);
}

Result<std::shared_ptr<const PreparedGraph>> PreparedGraph::prepare_callee(std::shared_ptr<const Model> model, int subgraph, Mode mode,
                                                                           const std::vector<Shape>& input_shapes, Operands operands,
                                                                           GraphLibrary& library) {
  return GraphPreparer(std::move(model), subgraph, mode, operands, &library).run(input_shapes);
}

Status check_variable(const Tensor& variable, const std::string& place) {
  if (variable.shape == variable.info->shape) return {};
  return bad_input("{}: variable '{}' has the shape {}, and would get {}", place, variable.info->name, to_string(variable.info->shape),
                   to_string(variable.shape));
}

bool are_empty(std::span<kernels::Tensor* const> outputs) {
  return !outputs.empty() &&
         std::all_of(outputs.begin(), outputs.end(), [](const kernels::Tensor* output) { return output->elements() == 0; });
}

bool keeps_state(const Model& model) {
  const auto stateful = [](const kernels::OpDef* def) { return def != nullptr && def->stateful; };
  for (const Subgraph& graph : model.subgraphs) {
    for (const TensorInfo& tensor : graph.tensors) {
      if (tensor.is_variable) return true;
    }
    for (const Operator& op : graph.operators) {
      if (stateful(kernels::find_op(op)) || stateful(kernels::find_integer_op(op))) return true;
    }
  }
  return false;
}

}  // namespace visq::runtime
