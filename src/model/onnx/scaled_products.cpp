#include "model/onnx/scaled_products.h"

#include <algorithm>
#include <optional>

#include "core/as_size.h"
#include "model/onnx/node_proto.h"
#include "model/onnx/tensor_proto.h"
#include "model/slots.h"

namespace visq::loader::onnx {
namespace {

constexpr int kNobody = -1;

/// One such product: the operators that it is made of, and its scales.
struct ScaledProduct {
  int product = kNobody, cast = kNobody, scales = kNobody;
  int left_scale = kNoTensor, right_scale = kNoTensor;
};

class ProductSpreader {
 public:
  ProductSpreader(Subgraph& graph, int version)
      : graph_(graph), version_(version), maker_(graph.tensors.size(), kNobody), readers_(graph.tensors.size(), 0) {
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      for (const int output : graph.operators[i].outputs) maker_[as_size(output)] = static_cast<int>(i);
      count(graph.operators[i].inputs, 1);
    }
    count(graph.outputs, 1);
  }

  void spread() {
    std::vector<Operator> all = std::move(graph_.operators);
    before_ = all;
    dropped_.resize(all.size());
    std::vector<std::vector<Operator>> instead(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto found = product_at(all[i]);
      if (!found) continue;
      instead[i] = on_reals(*found, all[i].outputs[0]);
      count(all[i].inputs, -1);
      for (const Operator& op : instead[i]) count(op.inputs, 1);
      drop(*found);
    }
    graph_.operators.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!instead[i].empty()) {
        std::ranges::move(instead[i], std::back_inserter(graph_.operators));
      } else if (!dropped_[i]) {
        graph_.operators.push_back(std::move(all[i]));
      }
    }
  }

 private:
  void count(const std::vector<int>& list, int by) {
    for (const int each : list) {
      if (each != kNoTensor && as_size(each) < readers_.size()) readers_[as_size(each)] += by;
    }
  }
  int maker_of(int tensor) const { return tensor == kNoTensor ? kNobody : maker_[as_size(tensor)]; }
  bool is_made_by(int node, std::string_view type) const { return node != kNobody && before_[as_size(node)].type == type; }

  std::optional<ScaledProduct> product_at(const Operator& op) const {
    if (op.type != "Mul" || op.inputs.size() != 2 || op.outputs.size() != 1) return std::nullopt;
    for (const std::size_t side : {0U, 1U}) {
      ScaledProduct found{.cast = maker_of(op.inputs[side]), .scales = maker_of(op.inputs[1 - side])};
      if (!is_made_by(found.cast, "Cast") || !is_made_by(found.scales, "Mul")) continue;
      const Operator& cast = before_[as_size(found.cast)];
      found.product = cast.inputs.empty() ? kNobody : maker_of(cast.inputs[0]);
      const bool integers = is_made_by(found.product, "ConvInteger") || is_made_by(found.product, "MatMulInteger");
      if (integers && element_type(cast.attributes.integer("to")) == DType::kFloat32 && set_scales(found)) return found;
    }
    return std::nullopt;
  }

  /// One scale is of what DynamicQuantizeLinear gives, the other a constant.
  bool set_scales(ScaledProduct& found) const {
    const Operator& product = before_[as_size(found.product)];
    const Operator& scales = before_[as_size(found.scales)];
    const int quantizer = maker_of(input_of(product, 0)), right = input_of(product, 1);
    if (!is_made_by(quantizer, "DynamicQuantizeLinear") || right == kNoTensor || scales.inputs.size() != 2) return false;
    const Operator& dynamic = before_[as_size(quantizer)];
    if (output_of(dynamic, 0) != product.inputs[0] || output_of(dynamic, 2) != input_of(product, 2)) return false;
    const bool first = scales.inputs[0] == output_of(dynamic, 1);
    found.left_scale = scales.inputs[first ? 0 : 1], found.right_scale = scales.inputs[first ? 1 : 0];
    return found.left_scale == output_of(dynamic, 1) && are_weights(product, found.right_scale);
  }

  bool are_weights(const Operator& product, int scale) const {
    const int weights = product.inputs[1], zero_point = input_of(product, 3);
    if (scale == kNoTensor) return false;
    const TensorInfo& scales = graph_.tensors[as_size(scale)];
    if (!graph_.tensors[as_size(weights)].is_constant || !scales.is_constant || scales.dtype != DType::kFloat32) return false;
    const bool fits = scales.shape.elements() == 1 || (product.type == "MatMulInteger" && scales.shape.rank() == 1);
    if (!fits || zero_point == kNoTensor) return fits;
    const TensorInfo& zeros = graph_.tensors[as_size(zero_point)];
    return zeros.is_constant && zeros.shape.elements() == scales.shape.elements();
  }

  int add_real(int codes) {
    TensorInfo real{.name = graph_.tensors[as_size(codes)].name + "_DequantizeLinear_Output", .has_rank = false};
    graph_.tensors.push_back(std::move(real));
    return static_cast<int>(graph_.tensors.size()) - 1;
  }

  std::vector<Operator> on_reals(const ScaledProduct& found, int result) {
    const Operator& product = before_[as_size(found.product)];
    const int left = add_real(product.inputs[0]), right = add_real(product.inputs[1]);
    std::vector<Operator> made;
    made.push_back(standard_operator("DequantizeLinear", version_, {product.inputs[0], found.left_scale, input_of(product, 2)}, {left}));
    made.push_back(standard_operator("DequantizeLinear", version_, {product.inputs[1], found.right_scale, input_of(product, 3)}, {right}));
    made.back().attributes.set("axis", std::int64_t{-1});
    made.push_back(standard_operator(product.type == "ConvInteger" ? "Conv" : "MatMul", version_, {left, right}, {result}));
    made.back().attributes = product.attributes;
    return made;
  }

  /// Drops what nobody reads any more, the reader first.
  void drop(const ScaledProduct& found) {
    for (const int node : {found.cast, found.product, found.scales}) {
      const Operator& op = before_[as_size(node)];
      const auto is_read = [&](int output) { return readers_[as_size(output)] > 0; };
      if (dropped_[as_size(node)] || std::ranges::any_of(op.outputs, is_read)) continue;
      count(op.inputs, -1);
      dropped_[as_size(node)] = true;
    }
  }

  Subgraph& graph_;
  int version_;
  std::vector<Operator> before_;  ///< as they were
  std::vector<bool> dropped_;
  std::vector<int> maker_;    ///< per tensor: the operator that makes it
  std::vector<int> readers_;  ///< per tensor: how many there are
};

}  // namespace

Operator standard_operator(std::string_view type, int version, std::vector<int> inputs, std::vector<int> outputs) {
  Operator op;
  op.type = type, op.domain = kStandard, op.version = version;
  op.inputs = std::move(inputs), op.outputs = std::move(outputs);
  return op;
}

void spread_scaled_products(Subgraph& graph, int version) { ProductSpreader(graph, version).spread(); }

}  // namespace visq::loader::onnx
