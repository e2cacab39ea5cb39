#include "model/onnx/spread_quantized.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/as_size.h"
#include "model/onnx/constant_grid.h"
#include "model/onnx/quantized_operators.h"
#include "model/onnx/scaled_products.h"
#include "model/slots.h"

namespace visq::loader::onnx {
namespace {

/// The tensors that state a grid.
struct GridTensors {
  int scale = kNoTensor, zero_point = kNoTensor;
  auto operator<=>(const GridTensors&) const = default;
};

/// What DynamicQuantizeMatMul needs, whose first input is real.
constexpr QuantizedOperator kDynamicProduct{
    "com.microsoft.DynamicQuantizeMatMul",
    "MatMul",
    {RealInput{.kind = RealInput::Kind::kPlain, .data = 0}, RealInput{RealInput::Kind::kCodes, 1, 2, 3, ScaleAxis::kLast}}};

class Spreader {
 public:
  Spreader(Subgraph& graph, int version, ConstantStore& store, const Place& place)
      : graph_(graph), version_(version), store_(store), place_(place) {
    for (const TensorInfo& each : graph.tensors) names_.insert(each.name);
    constexpr float kOne = 1;
    const auto bytes = std::as_bytes(std::span(&kOne, 1));
    one_.data = store.keep({bytes.begin(), bytes.end()});
    one_.is_constant = true;
  }

  Status spread() {
    std::vector<Operator> all = std::move(graph_.operators);
    graph_.operators.clear();
    for (std::size_t i = 0; i < all.size(); ++i) {
      Operator& op = all[i];
      const Place place = place_.node(static_cast<int>(i), op.label());
      if (const QuantizedOperator* const form = quantized_operator(op); form != nullptr && is_whole(op, *form)) {
        VISQ_TRY(spread_operator(op, *form, place));
      } else if (op.type == "com.microsoft.DynamicQuantizeMatMul" && is_whole(op, kDynamicProduct)) {
        spread_dynamic(op);
      } else if (moves_codes(op) && grids_.contains(input_of(op, 0))) {
        spread_moving(op);
      } else {
        if (op.type == "QuantizeLinear" && op.outputs.size() == 1) note_grid(op.outputs[0], {input_of(op, 1), input_of(op, 2)});
        graph_.operators.push_back(std::move(op));
      }
    }
    return {};
  }

 private:
  TensorInfo& tensor(int index) { return graph_.tensors[as_size(index)]; }
  bool is_constant(int index) { return index == kNoTensor || tensor(index).is_constant; }

  /// Scales in float32, and as many zero points where there are any.
  bool is_grid(const GridTensors& grid) {
    if (grid.scale == kNoTensor || tensor(grid.scale).dtype != DType::kFloat32) return false;
    if (grid.zero_point == kNoTensor || !is_constant(grid.scale) || !is_constant(grid.zero_point)) return true;
    return tensor(grid.scale).shape.elements() == tensor(grid.zero_point).shape.elements();
  }

  /// Whether all that the form needs is there; where it is not, the operator stays, and is refused by the run.
  bool is_whole(const Operator& op, const QuantizedOperator& form) {
    const GridTensors result = grid_in(op, form.scale, form.zero_point);
    if (op.outputs.size() != 1 || (result.scale != kNoTensor && !is_grid(result))) return false;
    if (form.scale == 0) return result.scale != kNoTensor && has_triples(op);
    for (const RealInput& input : form.inputs) {
      if (input.kind == RealInput::Kind::kNone || input.kind == RealInput::Kind::kBias) continue;
      if (input_of(op, as_size(input.data)) == kNoTensor) return false;
      if (input.kind == RealInput::Kind::kCodes && !is_grid(grid_in(op, input.scale, input.zero_point))) return false;
    }
    return true;
  }
  bool has_triples(const Operator& op) {
    const std::size_t count = op.inputs.size();
    if (count <= kFirstTriple || (count - kFirstTriple) % 3 != 0) return false;
    for (std::size_t slot = kFirstTriple; slot < count; slot += 3) {
      if (op.inputs[slot] == kNoTensor || !is_grid({op.inputs[slot + 1], op.inputs[slot + 2]})) return false;
    }
    return true;
  }

  /// A name that no other tensor has, as near to the wanted one as can be.
  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (; !names_.insert(name).second; ++renamed_) name = wanted + "_real" + (renamed_ == 0 ? "" : std::to_string(renamed_));
    return name;
  }
  int add_tensor(const std::string& name, DType type) {
    graph_.tensors.push_back({.name = free_name(name), .dtype = type, .has_rank = false});
    return static_cast<int>(graph_.tensors.size()) - 1;
  }
  /// A real tensor of the shape of codes, named as in the float model.
  int add_real(int codes) {
    const std::string& stored = tensor(codes).name;
    const int index = add_tensor(float_name(stored + "_real", stored), DType::kFloat32);
    TensorInfo& real = tensor(index);
    real.shape = tensor(codes).shape, real.shape_signature = tensor(codes).shape_signature, real.has_rank = tensor(codes).has_rank;
    return index;
  }
  /// Valid until the next one is added.
  Operator& add_operator(std::string_view type, std::vector<int> inputs, std::vector<int> outputs) {
    graph_.operators.push_back(standard_operator(type, version_, std::move(inputs), std::move(outputs)));
    return graph_.operators.back();
  }

  void note_grid(int codes, const GridTensors& grid) {
    if (grid.scale == kNoTensor || !is_constant(grid.scale) || !is_constant(grid.zero_point)) return;
    const TensorInfo& scale = tensor(grid.scale);
    float value = 0;
    if (scale.dtype != DType::kFloat32 || scale.data.size() != sizeof(value)) return;
    std::memcpy(&value, scale.data.data(), sizeof(value));
    if (value > 0) grids_[codes] = grid;
  }

  int dequantize(int codes, const GridTensors& grid, std::int64_t axis) {
    const auto [known, is_new] = reals_.emplace(std::tuple(codes, grid, axis), kNoTensor);
    if (!is_new) return known->second;
    const int real = add_real(codes);
    known->second = real;
    add_operator("DequantizeLinear", {codes, grid.scale, grid.zero_point}, {real}).attributes.set("axis", axis);
    return real;
  }
  /// What makes real values and then their codes; returns the real tensor. The codes keep their tensor.
  int real_before(int codes, const GridTensors& grid) {
    note_grid(codes, grid);
    return add_real(codes);
  }
  void quantize(int real, int codes, const GridTensors& grid) {
    if (grid.zero_point != kNoTensor) tensor(codes).dtype = tensor(grid.zero_point).dtype;
    add_operator("QuantizeLinear", {real, grid.scale, grid.zero_point}, {codes});
  }

  static std::int64_t axis_of(const Operator& op, ScaleAxis axis) {
    switch (axis) {
      case ScaleAxis::kFirst:
        return 0;
      case ScaleAxis::kLast:
        return -1;
      case ScaleAxis::kRow:
        return -2;
      case ScaleAxis::kGemmColumn:
        return op.attributes.integer("transB") != 0 ? 0 : 1;
    }
    return 0;
  }

  static GridTensors grid_in(const Operator& op, int scale, int zero_point) {
    return {scale < 0 ? kNoTensor : input_of(op, as_size(scale)), zero_point < 0 ? kNoTensor : input_of(op, as_size(zero_point))};
  }

  /// Scales of a bias: the product of those of data and weights, and of alpha.
  Result<int> bias_scale(const Operator& op, const QuantizedOperator& form, const Place& place) {
    const int data = input_of(op, as_size(form.inputs[0].scale)), weight = input_of(op, as_size(form.inputs[1].scale));
    const auto alpha = static_cast<float>(op.attributes.real("alpha", 1));
    const std::string name = tensor(input_of(op, as_size(form.inputs[2].data))).name + "_scale";
    if (is_constant(data) && is_constant(weight) && tensor(data).shape.elements() == 1) {
      VISQ_TRY(store_.claim_copy(tensor(weight).shape.elements(), place));
      float step = 0;
      std::memcpy(&step, tensor(data).data.data(), sizeof(step));
      return add_constant(name, tensor(weight), step * alpha);
    }
    const int product = add_tensor(name, DType::kFloat32);
    add_operator("Mul", {data, weight}, {product});
    if (alpha == 1) return product;
    const int whole = add_tensor(name, DType::kFloat32);
    add_operator("Mul", {product, add_constant("alpha", one_, alpha)}, {whole});
    return whole;
  }

  /// A float32 constant times a number.
  int add_constant(const std::string& name, TensorInfo from, float factor) {
    std::vector<std::byte> bytes(from.data.begin(), from.data.end());
    for (std::size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof(value));
      value *= factor;
      std::memcpy(bytes.data() + at, &value, sizeof(value));
    }
    from.name = free_name(name);
    from.data = store_.keep(std::move(bytes));
    graph_.tensors.push_back(std::move(from));
    return static_cast<int>(graph_.tensors.size()) - 1;
  }

  Result<std::vector<int>> real_inputs(const Operator& op, const QuantizedOperator& form, const Place& place) {
    std::vector<int> reals;
    for (std::size_t slot = kFirstTriple; form.scale == 0 && slot < op.inputs.size(); slot += 3) {
      reals.push_back(dequantize(op.inputs[slot], {op.inputs[slot + 1], op.inputs[slot + 2]}, 0));
    }
    for (const RealInput& input : form.inputs) {
      if (input.kind == RealInput::Kind::kNone || input_of(op, as_size(input.data)) == kNoTensor) continue;
      const int data = input_of(op, as_size(input.data));
      if (input.kind == RealInput::Kind::kPlain) reals.push_back(data);
      if (input.kind == RealInput::Kind::kCodes) {
        reals.push_back(dequantize(data, grid_in(op, input.scale, input.zero_point), axis_of(op, input.axis)));
      }
      if (input.kind == RealInput::Kind::kBias) {
        VISQ_ASSIGN(const int scale, bias_scale(op, form, place));
        reals.push_back(dequantize(data, {scale, kNoTensor}, -1));
      }
    }
    return reals;
  }

  Status spread_operator(const Operator& op, const QuantizedOperator& form, const Place& place) {
    VISQ_ASSIGN(std::vector<int> inputs, real_inputs(op, form, place));
    const GridTensors grid = grid_in(op, form.scale, form.zero_point);
    const int result = op.outputs[0], bias = form.added < 0 ? kNoTensor : input_of(op, as_size(form.added));
    const int real = grid.scale == kNoTensor ? result : real_before(result, grid);
    const int product = bias == kNoTensor ? real : add_tensor(tensor(real).name + "_product", DType::kFloat32);
    Operator& computed = add_operator(form.real, std::move(inputs), {product});
    computed.attributes = op.attributes;
    if (form.real == "Softmax") computed.version = static_cast<int>(op.attributes.integer("opset", version_));
    if (form.real == "ReduceMean") computed.version = std::min(version_, kAxesAreAttributes);
    if (bias != kNoTensor) add_operator("Add", {product, bias}, {real});
    if (grid.scale != kNoTensor) quantize(real, result, grid);
    return {};
  }

  /// A map that is put on a grid of its own at every run, times a matrix of codes.
  void spread_dynamic(const Operator& op) {
    const std::string name = tensor(op.inputs[0]).name;
    const int codes = add_tensor(name + "_quantized", DType::kUInt8), scale = add_tensor(name + "_scale", DType::kFloat32);
    const int zero_point = add_tensor(name + "_zero_point", DType::kUInt8);
    add_operator("DynamicQuantizeLinear", {op.inputs[0]}, {codes, scale, zero_point});
    const int left = dequantize(codes, {scale, zero_point}, 0);
    const int right = dequantize(op.inputs[1], {op.inputs[2], input_of(op, 3)}, -1);
    const int bias = input_of(op, 4), result = op.outputs[0];
    const int product = bias == kNoTensor ? result : add_tensor(tensor(result).name + "_product", DType::kFloat32);
    add_operator("MatMul", {left, right}, {product});
    if (bias != kNoTensor) add_operator("Add", {product, bias}, {result});
  }

  /// The same operator on real values, between the codes of one grid.
  void spread_moving(Operator op) {
    const GridTensors grid = grids_.at(op.inputs[0]);
    const int codes = op.inputs[0];
    op.inputs[0] = dequantize(codes, grid, 0);
    if (op.type == "Pad") pad_with_codes(op, codes, grid);
    const bool has_indices = op.type == "MaxPool";  // and these are no codes
    const std::vector<int> results = op.outputs;
    for (std::size_t k = 0; k < (has_indices ? 1 : results.size()); ++k) op.outputs[k] = real_before(results[k], grid);
    const std::vector<int> reals = op.outputs;
    graph_.operators.push_back(std::move(op));
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (reals[k] != results[k]) quantize(reals[k], results[k], grid);
    }
  }

  /// What Pad fills in is a code too: the one given, or 0.
  void pad_with_codes(Operator& op, int codes, const GridTensors& grid) {
    constexpr std::size_t kValue = 2;
    if (op.inputs.size() <= kValue) op.inputs.resize(kValue + 1, kNoTensor);
    if (op.inputs[kValue] == kNoTensor) {
      TensorInfo zero{.name = free_name("pad_value"), .dtype = tensor(codes).dtype, .is_constant = true};
      zero.data = store_.keep(std::vector<std::byte>(size_of(zero.dtype)));
      graph_.tensors.push_back(std::move(zero));
      op.inputs[kValue] = static_cast<int>(graph_.tensors.size()) - 1;
    }
    op.inputs[kValue] = dequantize(op.inputs[kValue], grid, 0);
  }

  static constexpr int kAxesAreAttributes = 17;  ///< of the standard's ReduceMean, up to this operator set

  Subgraph& graph_;
  int version_;  ///< of the standard's operator set
  ConstantStore& store_;
  const Place& place_;
  std::set<std::string> names_;
  std::map<int, GridTensors> grids_;  ///< of codes: one constant scale
  std::map<std::tuple<int, GridTensors, std::int64_t>, int> reals_;
  std::int64_t renamed_ = 0;
  TensorInfo one_;  ///< a constant
};

}  // namespace

Status spread_quantized(Subgraph& graph, const OperatorSets& sets, ConstantStore& store, const Place& place) {
  const auto standard = sets.find(std::string(kStandard));
  if (standard == sets.end()) return {};
  const int version = static_cast<int>(standard->second);
  VISQ_TRY(Spreader(graph, version, store, place).spread());
  spread_scaled_products(graph, version);
  return {};
}

}  // namespace visq::loader::onnx
