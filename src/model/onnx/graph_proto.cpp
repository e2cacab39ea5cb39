#include "model/onnx/graph_proto.h"

#include <cstring>

#include "core/as_size.h"
#include "model/onnx/constant_node.h"
#include "model/onnx/fields.h"
#include "model/onnx/graph_names.h"
#include "model/onnx/sparse_tensor.h"
#include "model/onnx/value_info.h"
#include "model/printable.h"
#include "model/slots.h"

namespace visq::loader::onnx {
namespace {

/// Graphs and calls of functions inside each other. Deeper nesting is no network but an attack on the stack.
constexpr int kDeepest = 32;

/// The parts of a GraphProto, each still a message.
struct Parts {
  std::string name;
  std::vector<Bytes> nodes, initializers, sparse_initializers, inputs, outputs, values;
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
      case GraphField::kSparseInitializer:
        parts.sparse_initializers.push_back(graph.bytes());
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
      default:
        graph.skip();
    }
  }
  return parts;
}

/// What reading the graphs of one model shares.
struct Shared {
  const OperatorSets& sets;
  const Functions& functions;
  ConstantStore& store;
  const Place& file;
  std::deque<Subgraph>& graphs;
};

class GraphReader {
 public:
  /// Reads graph `index`, which stands in `scope` of the graph around it; null for the main graph.
  GraphReader(Shared& shared, int index, GraphNames* around, Scope* scope)
      : shared_(shared),
        place_(shared.file.subgraph(index)),
        graph_(shared.graphs[as_size(index)]),
        names_(graph_, place_, around, scope),
        inside_(around != nullptr) {}

  Status read(Bytes message, Scope scope) {
    const Parts parts = split_graph(message);
    graph_.name = parts.name;
    for (const Bytes initializer : parts.initializers) VISQ_TRY(read_initializer(initializer, tensor_name, read_constant, scope));
    for (const Bytes initializer : parts.sparse_initializers) VISQ_TRY(read_initializer(initializer, sparse_name, read_sparse, scope));
    for (const auto* list : {&parts.inputs, &parts.outputs, &parts.values}) {
      for (const Bytes value : *list) scope.values.emplace(value_name(value), value);
    }
    for (const Bytes input : parts.inputs) VISQ_TRY(add_input(value_name(input), scope));
    for (std::size_t i = 0; i < parts.nodes.size(); ++i) VISQ_TRY(read_node_of(parts.nodes[i], static_cast<int>(i), place_, scope));
    for (const Bytes output : parts.outputs) VISQ_TRY(add_output(value_name(output), scope));
    names_.tell_apart();
    return {};
  }

  const std::vector<int>& captured() const { return names_.captured(); }

 private:
  template <class Name, class Fill>
  Status read_initializer(Bytes message, Name name_of, Fill fill, Scope& scope) {
    const std::string name = name_of(message);
    const int index = names_.add(scope.prefix + name);
    const Place place = place_.tensor(index, name);
    if (!scope.names.emplace(name, index).second) return place.fail("is initialized twice");
    names_.set_typed(index);
    return fill(message, names_.tensor(index), shared_.store, place);
  }

  Status add_input(const std::string& name, Scope& scope) {
    VISQ_ASSIGN(const int tensor, names_.make(scope, name));
    const bool initialized = names_.tensor(tensor).is_constant;  // initializers are listed too in old files
    if (initialized && inside_) return place_.tensor(tensor, name).fail("is an input of a graph inside another one, and initialized");
    if (!initialized) graph_.inputs.push_back(tensor);
    return {};
  }

  Status add_output(const std::string& name, Scope& scope) {
    VISQ_ASSIGN(const int tensor, names_.find(scope, name));
    if (tensor == kNoTensor) return place_.fail("gives '{}', which the call of a function leaves out", printable(name));
    graph_.outputs.push_back(tensor);
    return {};
  }

  Status read_node_of(Bytes message, int position, const Place& around, Scope& scope) {
    const Node node = read_node(message, scope.bindings);
    const Place place = around.node(position, node.type);
    const auto function = shared_.functions.find({node.domain, node.type, node.overload});
    if (function != shared_.functions.end()) return add_call(node, function->second, read_bindings(message, scope.bindings), place, scope);
    const auto version = version_of(node.domain, scope);
    if (!version) return place.fail("is of the domain '{}', of which no operator set is imported", printable(node.domain));
    if (node.type == "Constant" && node.domain == kStandard) return add_constant(node, place, scope);
    return add_node(node, *version, place, scope);
  }

  /// Functions import sets of their own; what they leave out is as in the model.
  std::optional<std::int64_t> version_of(const std::string& domain, const Scope& scope) const {
    for (const OperatorSets* const sets : {scope.sets, &shared_.sets}) {
      if (const auto found = sets->find(domain); found != sets->end()) return found->second;
    }
    return std::nullopt;
  }

  Status add_node(const Node& node, std::int64_t version, const Place& place, Scope& scope) {
    Operator op;
    op.domain = node.domain;
    op.type = node.domain == kStandard ? node.type : node.domain + "." + node.type;
    op.version = static_cast<int>(version);
    op.attributes = node.attributes;
    for (const std::string& input : node.inputs) {
      op.inputs.push_back(kNoTensor);
      if (input.empty()) continue;
      VISQ_ASSIGN(op.inputs.back(), names_.find(scope, input));
    }
    VISQ_TRY(add_tensor_attribute(node, op, place, scope));
    if (op.type == "Clip") note_ends(op);
    VISQ_TRY(add_graphs(node, op, place, scope));
    VISQ_ASSIGN(op.outputs, outputs_of(node, scope));
    find_types(op);
    graph_.operators.push_back(std::move(op));
    return {};
  }

  Result<std::vector<int>> outputs_of(const Node& node, Scope& scope) {
    std::size_t count = node.outputs.size();
    while (count > 0 && node.outputs[count - 1].empty()) --count;
    std::vector<int> outputs;
    for (std::size_t k = 0; k < count; ++k) {
      const std::string& name = node.outputs[k];
      if (name.empty()) {
        outputs.push_back(names_.add(name));  // left out, before others that are not
        continue;
      }
      VISQ_ASSIGN(const int tensor, names_.make(scope, name));
      if (tensor == kNoTensor) return place_.fail("makes '{}', an input of a function that its call leaves out", printable(name));
      outputs.push_back(tensor);
    }
    return outputs;
  }

  void find_types(const Operator& op) {
    for (std::size_t k = 0; k < op.outputs.size(); ++k) {
      if (!names_.typed(op.outputs[k])) names_.tensor(op.outputs[k]).dtype = type_of(op, k);
      names_.set_typed(op.outputs[k]);
    }
  }

  /// Of operators with graphs: as the first of these gives it. Loop's gives its condition first.
  DType type_of(const Operator& op, std::size_t output) const {
    const auto called = called_subgraphs(op);
    if (called.empty()) return result_type(op, graph_.tensors, output);
    const Subgraph& graph = shared_.graphs[as_size(called.front())];
    const int made = tensor_in(graph.outputs, output + (op.type == "Loop" ? 1 : 0));
    return made == kNoTensor ? DType::kFloat32 : graph.tensors[as_size(made)].dtype;
  }

  /// Graphs become subgraphs; the values that they take from here become inputs of the operator.
  Status add_graphs(const Node& node, Operator& op, const Place& place, Scope& scope) {
    constexpr std::size_t kLoopsOwn = 2;  // its count of turns and its condition may be left out
    if (op.type == "Loop" && op.inputs.size() < kLoopsOwn) op.inputs.resize(kLoopsOwn, kNoTensor);
    std::vector<std::int64_t> counts;
    for (const auto& [name, messages] : node.graphs) {
      std::vector<std::int64_t> called;
      for (const Bytes message : messages) {
        if (scope.depth == kDeepest) return place.fail("graphs and functions are nested more than {} deep", kDeepest);
        const int index = static_cast<int>(shared_.graphs.size());
        shared_.graphs.emplace_back();
        GraphReader reader(shared_, index, &names_, &scope);
        Scope inner;
        inner.sets = scope.sets, inner.bindings = scope.bindings, inner.prefix = scope.prefix, inner.depth = scope.depth + 1;
        VISQ_TRY(reader.read(message, std::move(inner)));
        op.inputs.insert(op.inputs.end(), reader.captured().begin(), reader.captured().end());
        counts.push_back(static_cast<std::int64_t>(reader.captured().size()));
        called.push_back(index);
      }
      const std::string attribute = name + std::string(kGraphEnding);
      called.size() == 1 ? op.attributes.set(attribute, called.front()) : op.attributes.set(attribute, std::move(called));
    }
    if (!counts.empty()) op.attributes.set(std::string(kCapturedInputs), std::move(counts));
    return {};
  }

  /// What a function is made of, in place of its call.
  Status add_call(const Node& node, const Function& function, Bindings bindings, const Place& place, Scope& scope) {
    if (scope.depth == kDeepest) return place.fail("graphs and functions are nested more than {} deep", kDeepest);
    if (node.inputs.size() > function.inputs.size() || node.outputs.size() > function.outputs.size()) {
      return place.fail("has {} inputs and {} outputs, the function has {} and {}", node.inputs.size(), node.outputs.size(),
                        function.inputs.size(), function.outputs.size());
    }
    bindings.insert(function.defaults.begin(), function.defaults.end());
    Scope inner;
    inner.closed = true, inner.depth = scope.depth + 1;
    inner.sets = &function.sets, inner.bindings = &bindings;
    inner.prefix = scope.prefix + call_name(node) + "/";
    for (const Bytes value : function.values) inner.values.emplace(value_name(value), value);
    for (std::size_t i = 0; i < function.inputs.size(); ++i) {
      const bool given = i < node.inputs.size() && !node.inputs[i].empty();
      VISQ_ASSIGN(inner.names[function.inputs[i]], given ? names_.find(scope, node.inputs[i]) : Result<int>(kNoTensor));
    }
    std::vector<std::pair<std::string, int>> passed_on;
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      if (node.outputs[k].empty()) continue;
      VISQ_ASSIGN(const int output, names_.make(scope, node.outputs[k]));
      if (!inner.names.emplace(function.outputs[k], output).second) passed_on.emplace_back(function.outputs[k], output);
    }
    for (std::size_t i = 0; i < function.nodes.size(); ++i) {
      VISQ_TRY(shared_.store.claim_inlined(function.nodes[i].size() + inner.prefix.size(), place));
      VISQ_TRY(read_node_of(function.nodes[i], static_cast<int>(i), place, inner));
    }
    for (const auto& [name, output] : passed_on) VISQ_TRY(pass_on(inner.names[name], output, place));
    return {};
  }

  static const std::string& call_name(const Node& node) {
    if (!node.name.empty()) return node.name;
    const auto named = std::ranges::find_if(node.outputs, [](const std::string& output) { return !output.empty(); });
    return named == node.outputs.end() ? node.type : *named;
  }

  /// An output of a function that is one of its inputs, or another output.
  Status pass_on(int input, int output, const Place& place) {
    if (input == kNoTensor) return place.fail("gives an input that it is not given");
    Operator op;
    op.type = "Identity", op.domain = kStandard;
    const auto version = shared_.sets.find(op.domain);
    op.version = version == shared_.sets.end() ? 1 : static_cast<int>(version->second);
    op.inputs = {input}, op.outputs = {output};
    find_types(op);
    graph_.operators.push_back(std::move(op));
    return {};
  }

  /// The value of ConstantOfShape becomes its second input.
  Status add_tensor_attribute(const Node& node, Operator& op, const Place& place, const Scope& scope) {
    const auto value = node.tensors.find("value");
    if (op.type != "ConstantOfShape" || value == node.tensors.end()) return {};
    const int index = names_.add(scope.prefix + (node.outputs.empty() ? "value" : node.outputs.front() + ".value"));
    op.inputs.push_back(index);
    names_.set_typed(index);
    return read_constant(value->second, names_.tensor(index), shared_.store, place);
  }

  /// The ends of Clip's range, inputs since operator set 11, stand as attributes too where they are constant, as they did before.
  void note_ends(Operator& op) const {
    constexpr std::string_view kEnds[] = {"min", "max"};
    for (std::size_t i = 0; i < std::size(kEnds); ++i) {
      const int tensor = input_of(op, 1 + i);
      if (tensor == kNoTensor) continue;
      const TensorInfo& end = graph_.tensors[as_size(tensor)];
      float value = 0;
      if (!end.is_constant || end.dtype != DType::kFloat32 || end.sparsity != nullptr || end.data.size() != sizeof(value)) continue;
      std::memcpy(&value, end.data.data(), sizeof(value));
      op.attributes.set(std::string(kEnds[i]), static_cast<double>(value));
    }
  }

  Status add_constant(const Node& node, const Place& place, Scope& scope) {
    if (node.outputs.size() != 1 || node.outputs.front().empty()) return place.fail("has {} outputs, expected 1", node.outputs.size());
    VISQ_ASSIGN(const int index, names_.make(scope, node.outputs.front()));
    if (index == kNoTensor) return place.fail("gives a value to '{}', which the call leaves out", printable(node.outputs.front()));
    TensorInfo& tensor = names_.tensor(index);
    if (tensor.is_constant) return place.fail("gives '{}' a value, which has one already", printable(tensor.name));
    names_.set_typed(index);
    tensor.shape_signature.clear();
    tensor.has_rank = true;
    return read_constant_node(node, tensor, shared_.store, place);
  }

  Shared& shared_;
  Place place_;
  Subgraph& graph_;
  GraphNames names_;
  bool inside_;
};

}  // namespace

Status read_graphs(Bytes main, const OperatorSets& sets, const Functions& functions, ConstantStore& store, const Place& file,
                   std::deque<Subgraph>& graphs) {
  Shared shared{sets, functions, store, file, graphs};
  graphs.emplace_back();
  Scope scope;
  scope.sets = &sets;
  return GraphReader(shared, 0, nullptr, nullptr).read(main, std::move(scope));
}

}  // namespace visq::loader::onnx
