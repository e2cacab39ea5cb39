#include "model/onnx/graph_proto.h"

#include <cstring>
#include <unordered_map>

#include "core/as_size.h"
#include "model/onnx/fields.h"
#include "model/onnx/value_info.h"
#include "model/printable.h"
#include "model/slots.h"

namespace visq::loader::onnx {
namespace {

/// The parts of a GraphProto, each still a message.
struct Parts {
  std::string name;
  std::vector<Bytes> nodes, initializers, inputs, outputs, values;
  bool has_sparse = false;
};

Parts split_graph(Bytes message) {
  Parts parts;
  for (Message<GraphField> graph(message); graph.next();) {
    switch (graph.field()) {
      case GraphField::kName:
        parts.name = graph.text();
        break;
      case GraphField::kNode:
        parts.nodes.push_back(graph.bytes());
        break;
      case GraphField::kInitializer:
        parts.initializers.push_back(graph.bytes());
        break;
      case GraphField::kInput:
        parts.inputs.push_back(graph.bytes());
        break;
      case GraphField::kOutput:
        parts.outputs.push_back(graph.bytes());
        break;
      case GraphField::kValueInfo:
        parts.values.push_back(graph.bytes());
        break;
      case GraphField::kSparseInitializer:
        parts.has_sparse = true;
        graph.skip();
        break;
      default:
        graph.skip();
    }
  }
  return parts;
}

/// Numbers that an attribute holds, as a constant.
template <class Stored, class Value>
void set_values(TensorInfo& tensor, DType type, Shape shape, std::span<const Value> values, ConstantStore& store) {
  std::vector<std::byte> bytes(values.size() * sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto stored = static_cast<Stored>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(stored), &stored, sizeof(stored));
  }
  tensor.dtype = type;
  tensor.shape = std::move(shape);
  tensor.data = store.keep(std::move(bytes));
  tensor.is_constant = true;
}

class GraphReader {
 public:
  GraphReader(const OperatorSets& sets, ConstantStore& store, const Place& place, Subgraph& graph)
      : sets_(sets), store_(store), place_(place), graph_(graph) {}

  Status read(Bytes message) {
    const Parts parts = split_graph(message);
    if (parts.has_sparse) return place_.fail("has sparse initializers, which are not read");
    graph_.name = parts.name;
    for (const Bytes initializer : parts.initializers) VISQ_TRY(read_initializer(initializer));
    for (const auto* list : {&parts.inputs, &parts.outputs, &parts.values}) {
      for (const Bytes value : *list) values_.emplace(value_name(value), value);
    }
    for (const Bytes input : parts.inputs) {
      VISQ_ASSIGN(const int tensor, find(value_name(input)));
      if (!graph_.tensors[as_size(tensor)].is_constant) graph_.inputs.push_back(tensor);  // initializers are listed too in old files
    }
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) VISQ_TRY(add_node(read_node(parts.nodes[i]), static_cast<int>(i)));
    for (const Bytes output : parts.outputs) {
      VISQ_ASSIGN(const int tensor, find(value_name(output)));
      graph_.outputs.push_back(tensor);
    }
    return {};
  }

 private:
  int add_tensor(const std::string& name) {
    const int index = static_cast<int>(graph_.tensors.size());
    graph_.tensors.emplace_back().name = name;
    typed_.push_back(false);
    return index;
  }

  /// The tensor of that name; one as the file declares it where it was not yet met.
  Result<int> find(const std::string& name) {
    const auto [known, is_new] = names_.emplace(name, static_cast<int>(graph_.tensors.size()));
    if (!is_new) return known->second;
    const int index = add_tensor(name);
    TensorInfo& tensor = graph_.tensors.back();
    tensor.has_rank = false;
    if (const auto value = values_.find(name); value != values_.end()) {
      VISQ_ASSIGN(const bool typed, read_value(value->second, tensor, place_.tensor(index, name)));
      typed_.back() = typed;
    }
    return index;
  }

  Status read_initializer(Bytes message) {
    const std::string name = tensor_name(message);
    const int index = add_tensor(name);
    const Place place = place_.tensor(index, name);
    if (!names_.emplace(name, index).second) return place.fail("is initialized twice");
    typed_.back() = true;
    return read_constant(message, graph_.tensors.back(), store_, place);
  }

  Status add_node(Node node, int position) {
    const Place place = place_.node(position, node.type);
    const auto version = sets_.find(node.domain);
    if (version == sets_.end()) return place.fail("is of the domain '{}', of which no operator set is imported", printable(node.domain));
    if (node.type == "Constant" && node.domain == kStandard) return add_constant(node, place);
    Operator op;
    op.domain = node.domain;
    op.type = node.domain == kStandard ? node.type : node.domain + "." + node.type;
    op.version = static_cast<int>(version->second);
    op.attributes = std::move(node.attributes);
    for (const std::string& input : node.inputs) {
      op.inputs.push_back(kNoTensor);
      if (input.empty()) continue;
      VISQ_ASSIGN(op.inputs.back(), find(input));
    }
    VISQ_TRY(add_tensor_attribute(node, op, place));
    if (op.type == "Clip") note_ends(op);
    while (!node.outputs.empty() && node.outputs.back().empty()) node.outputs.pop_back();
    for (const std::string& output : node.outputs) {
      op.outputs.push_back(kNoTensor);
      if (output.empty()) {
        op.outputs.back() = add_tensor(output);  // left out, before others that are not
        continue;
      }
      VISQ_ASSIGN(op.outputs.back(), find(output));
    }
    for (std::size_t k = 0; k < op.outputs.size(); ++k) {
      const auto tensor = as_size(op.outputs[k]);
      if (!typed_[tensor]) graph_.tensors[tensor].dtype = result_type(op, graph_.tensors, k);
      typed_[tensor] = true;
    }
    graph_.operators.push_back(std::move(op));
    return {};
  }

  /// The value of ConstantOfShape becomes its second input.
  Status add_tensor_attribute(const Node& node, Operator& op, const Place& place) {
    const auto value = node.tensors.find("value");
    if (op.type != "ConstantOfShape" || value == node.tensors.end()) return {};
    op.inputs.push_back(add_tensor(node.outputs.empty() ? "value" : node.outputs.front() + ".value"));
    typed_.back() = true;
    return read_constant(value->second, graph_.tensors.back(), store_, place);
  }

  /// The ends of Clip's range, inputs since operator set 11, stand as attributes too where they are constant, as they did before.
  void note_ends(Operator& op) const {
    constexpr std::string_view kEnds[] = {"min", "max"};
    for (std::size_t i = 0; i < std::size(kEnds); ++i) {
      const int tensor = input_of(op, 1 + i);
      if (tensor == kNoTensor) continue;
      const TensorInfo& end = graph_.tensors[as_size(tensor)];
      float value = 0;
      if (!end.is_constant || end.dtype != DType::kFloat32 || end.data.size() != sizeof(value)) continue;
      std::memcpy(&value, end.data.data(), sizeof(value));
      op.attributes.set(std::string(kEnds[i]), static_cast<double>(value));
    }
  }

  Status add_constant(const Node& node, const Place& place) {
    if (node.outputs.size() != 1 || node.outputs.front().empty()) return place.fail("has {} outputs, expected 1", node.outputs.size());
    VISQ_ASSIGN(const int index, find(node.outputs.front()));
    TensorInfo& tensor = graph_.tensors[as_size(index)];
    if (tensor.is_constant) return place.fail("gives '{}' a value, which has one already", printable(tensor.name));
    typed_[as_size(index)] = true;
    tensor.shape_signature.clear();
    tensor.has_rank = true;
    if (const auto value = node.tensors.find("value"); value != node.tensors.end()) {
      return read_constant(value->second, tensor, store_, place);
    }
    const Attributes& attributes = node.attributes;
    if (const Attribute* const value = attributes.find("value_float"))
      return set_one<float, double>(tensor, DType::kFloat32, *value, place);
    if (const Attribute* const value = attributes.find("value_int")) {
      return set_one<std::int64_t, std::int64_t>(tensor, DType::kInt64, *value, place);
    }
    if (attributes.find("value_ints") != nullptr) {
      const auto values = attributes.integers("value_ints");
      set_values<std::int64_t>(tensor, DType::kInt64, {static_cast<std::int64_t>(values.size())}, values, store_);
      return {};
    }
    if (const Attribute* const value = attributes.find("value_floats"); value != nullptr) {
      const auto* const values = std::get_if<std::vector<double>>(value);
      if (values == nullptr) return place.fail("has value_floats of another type");
      set_values<float>(tensor, DType::kFloat32, {static_cast<std::int64_t>(values->size())}, std::span<const double>(*values), store_);
      return {};
    }
    return place.fail("has none of the values that are read: value, value_float, value_floats, value_int, value_ints");
  }

  template <class Stored, class Value>
  Status set_one(TensorInfo& tensor, DType type, const Attribute& attribute, const Place& place) {
    const Value* const value = std::get_if<Value>(&attribute);
    if (value == nullptr) return place.fail("has a value of another type");
    set_values<Stored>(tensor, type, {}, std::span(value, 1), store_);
    return {};
  }

  const OperatorSets& sets_;
  ConstantStore& store_;
  const Place& place_;
  Subgraph& graph_;
  std::unordered_map<std::string, int> names_;
  std::unordered_map<std::string, Bytes> values_;
  std::vector<bool> typed_;  ///< per tensor: its type is known
};

}  // namespace

Status read_graph(Bytes message, const OperatorSets& sets, ConstantStore& store, const Place& place, Subgraph& graph) {
  return GraphReader(sets, store, place, graph).read(message);
}

}  // namespace visq::loader::onnx
