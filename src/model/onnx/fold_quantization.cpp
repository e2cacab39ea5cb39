#include "model/onnx/fold_quantization.h"

#include <algorithm>
#include <set>

#include "core/as_size.h"
#include "model/onnx/constant_grid.h"
#include "model/slots.h"

namespace visq::loader::onnx {
namespace {

/// Of the standard, or of ONNX Runtime's own operators, which had 16 bits first.
bool is_type(const Operator& op, std::string_view type) {
  return op.type == type ||
         (op.domain == "com.microsoft" && op.type.ends_with(type) && op.type.size() == op.domain.size() + 1 + type.size());
}
bool quantizes(const Operator& op) { return is_type(op, "QuantizeLinear"); }
bool dequantizes(const Operator& op) { return is_type(op, "DequantizeLinear"); }

bool same(const ConstantGrid& a, const ConstantGrid& b) {
  const Quantization& p = a.quantization;
  const Quantization& q = b.quantization;
  return a.type == b.type && p.scale == q.scale && p.zero_point == q.zero_point && p.axis == q.axis;
}

class Folder {
 public:
  Folder(Subgraph& graph, ConstantStore& store, const Place& place)
      : graph_(graph), store_(store), place_(place), dropped_(graph.operators.size(), false), readers_(graph.tensors.size()) {
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      stands_for_.push_back(static_cast<int>(i));
    }
    new_names_.resize(graph.tensors.size());
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      for (const int input : graph.operators[i].inputs) {
        if (input != kNoTensor) readers_[as_size(input)].push_back(static_cast<int>(i));
      }
    }
    for (const int output : graph.outputs) readers_[as_size(output)].push_back(kGraphOutput);
  }

  Status fold() {
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      const Operator& op = graph_.operators[i];
      if (!quantizes(op) && !dequantizes(op)) continue;
      const Place place = place_.node(static_cast<int>(i), op.label());
      if (op.inputs.empty() || op.inputs[0] == kNoTensor || op.outputs.size() != 1) return place.fail("has no input, or not one output");
      VISQ_ASSIGN(const auto grid, grid_of(op, place));
      if (!grid) continue;
      if (tensor(op.inputs[0]).is_constant) {
        if (dequantizes(op)) dequantize_constant(i, *grid);
        if (quantizes(op)) VISQ_TRY(quantize_constant(i, *grid, place));
      } else if (quantizes(op)) {
        VISQ_TRY(fold_map(i, *grid));
      }
    }
    replace_tensors();
    drop_operators();
    drop_tensors();
    return {};
  }

 private:
  static constexpr int kGraphOutput = -2;
  TensorInfo& tensor(int index) { return graph_.tensors[as_size(index)]; }
  const std::vector<int>& readers(int tensor) const { return readers_[as_size(tensor)]; }

  Result<std::optional<ConstantGrid>> grid_of(const Operator& op, const Place& place) {
    constexpr std::size_t kScale = 1;
    if (const int scale = input_of(op, kScale); scale != kNoTensor) VISQ_TRY(store_.claim_copy(tensor(scale).shape.elements(), place));
    return constant_grid(op, graph_, place);
  }

  Status quantize_constant(std::size_t node, const ConstantGrid& grid, const Place& place) {
    const Operator& op = graph_.operators[node];
    const TensorInfo& real = tensor(op.inputs[0]);
    VISQ_TRY(store_.claim_copy(real.shape.elements(), place));
    VISQ_ASSIGN(auto codes, quantized_codes(real, grid, place));
    if (!codes) return {};
    TensorInfo& stored = tensor(op.outputs[0]);
    stored.dtype = grid.type;
    stored.shape = real.shape;
    stored.data = store_.keep(*std::move(codes));
    new_names_[as_size(op.outputs[0])] = real.name;
    make_constant(stored);
    dropped_[node] = true;
    return {};
  }

  void dequantize_constant(std::size_t node, const ConstantGrid& grid) {
    const Operator& op = graph_.operators[node];
    const TensorInfo& stored = tensor(op.inputs[0]);
    if (!is_integer(stored.dtype) || stored.sparsity != nullptr || tensor(op.outputs[0]).dtype != DType::kFloat32) return;
    TensorInfo& real = tensor(op.outputs[0]);
    const std::string& computed = new_names_[as_size(op.inputs[0])];
    new_names_[as_size(op.outputs[0])] = computed.empty() ? float_name(real.name, stored.name) : computed;
    real.dtype = stored.dtype;
    real.shape = stored.shape;
    real.data = stored.data;
    real.quantization = grid.quantization;
    make_constant(real);
    dropped_[node] = true;
  }

  static void make_constant(TensorInfo& tensor) {
    tensor.is_constant = true;
    tensor.has_rank = true;
    tensor.shape_signature.clear();
  }

  /// The DequantizeLinear operators that read what a QuantizeLinear makes, where nobody else does and all take the same grid.
  Result<std::vector<int>> partners(int quantized, const ConstantGrid& grid) {
    std::vector<int> found;
    for (const int reader : readers(quantized)) {
      if (reader == kGraphOutput || !dequantizes(graph_.operators[as_size(reader)])) return std::vector<int>();
      const Operator& op = graph_.operators[as_size(reader)];
      const Place place = place_.node(reader, op.label());
      if (op.inputs[0] != quantized || op.outputs.size() != 1) return std::vector<int>();
      VISQ_ASSIGN(const auto other, grid_of(op, place));
      if (!other || !same(grid, *other)) return std::vector<int>();
      found.push_back(reader);
    }
    return found;
  }

  /// QuantizeLinear of a map: what is behind it is the map itself, on its grid.
  Status fold_map(std::size_t node, const ConstantGrid& grid) {
    const TensorInfo& map = tensor(graph_.operators[node].inputs[0]);
    if (!is_integer(grid.type) || (map.dtype != DType::kFloat32 && !map.quantization.quantized())) return {};
    Operator& op = graph_.operators[node];
    VISQ_ASSIGN(const std::vector<int> pair, partners(op.outputs[0], grid));
    if (pair.empty()) return {};
    const int source = stands_for_[as_size(op.inputs[0])];
    std::vector<int> results;
    for (const int each : pair) results.push_back(graph_.operators[as_size(each)].outputs[0]);
    const auto leaves = [&](int result) { return std::ranges::find(readers(result), kGraphOutput) != readers(result).end(); };
    if (std::ranges::count_if(results, leaves) > 1) return {};
    const auto first = std::ranges::find_if(results, leaves);
    const int outward = first == results.end() ? kNoTensor : *first;
    const bool alone = readers(op.inputs[0]) == std::vector<int>{static_cast<int>(node)};
    const bool is_input = std::ranges::find(graph_.inputs, source) != graph_.inputs.end();
    int target = source;
    if (same_as_now(source, grid) && outward == kNoTensor) {
      dropped_[node] = true;  // it has the grid already
    } else if (alone && !tensor(source).quantization.quantized() && (outward == kNoTensor || !is_input)) {
      dropped_[node] = true;
      if (outward != kNoTensor) new_names_[as_size(source)] = tensor(outward).name;
    } else {
      target = outward == kNoTensor ? results.front() : outward;
      op.inputs.resize(1);
      op.outputs[0] = target;
      const TensorInfo& from = tensor(source);
      TensorInfo& to = tensor(target);
      to.shape = from.shape, to.shape_signature = from.shape_signature, to.has_rank = from.has_rank;
    }
    tensor(target).dtype = grid.type;
    tensor(target).quantization = grid.quantization;
    for (const int each : pair) dropped_[as_size(each)] = true;
    for (const int result : results) stands_for_[as_size(result)] = target;
    return {};
  }

  bool same_as_now(int index, const ConstantGrid& grid) {
    const TensorInfo& info = tensor(index);
    return info.quantization.quantized() && same(grid, {info.dtype, info.quantization});
  }

  void replace_tensors() {
    const auto replace = [&](std::vector<int>& list) {
      for (int& index : list) {
        if (index != kNoTensor) index = stands_for_[as_size(index)];
      }
    };
    for (Operator& op : graph_.operators) replace(op.inputs);
    replace(graph_.outputs);
  }

  void drop_operators() {
    std::vector<Operator> kept;
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      if (!dropped_[i]) kept.push_back(std::move(graph_.operators[i]));
    }
    graph_.operators = std::move(kept);
  }

  void drop_tensors() {
    std::vector<int> place(graph_.tensors.size(), kNoTensor);
    std::vector<TensorInfo> kept;
    std::vector<std::string> wanted;
    const auto keep = [&](std::vector<int>& list) {
      for (int& index : list) {
        if (index == kNoTensor) continue;
        int& moved = place[as_size(index)];
        if (moved == kNoTensor) {
          moved = static_cast<int>(kept.size());
          kept.push_back(std::move(tensor(index)));
          wanted.push_back(new_names_[as_size(index)]);
        }
        index = moved;
      }
    };
    keep(graph_.inputs);
    for (Operator& op : graph_.operators) {
      keep(op.inputs);
      keep(op.outputs);
    }
    keep(graph_.outputs);
    graph_.tensors = std::move(kept);
    rename(wanted);
  }

  /// Never to a name that another tensor has.
  void rename(const std::vector<std::string>& wanted) {
    std::set<std::string> taken;
    for (const TensorInfo& each : graph_.tensors) taken.insert(each.name);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!wanted[i].empty() && taken.insert(wanted[i]).second) graph_.tensors[i].name = wanted[i];
    }
  }

  Subgraph& graph_;
  ConstantStore& store_;
  const Place& place_;
  std::vector<bool> dropped_;              ///< per operator
  std::vector<std::vector<int>> readers_;  ///< per tensor: operators, and kGraphOutput
  std::vector<int> stands_for_;            ///< per tensor: what takes its place
  std::vector<std::string> new_names_;     ///< per tensor: the one of the float model; empty: its own
};

}  // namespace

Status fold_quantization(Subgraph& graph, ConstantStore& store, const Place& place) { return Folder(graph, store, place).fold(); }

}  // namespace visq::loader::onnx
