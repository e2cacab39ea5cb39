#include "model/check_graph.h"

#include <algorithm>

#include "core/as_size.h"
#include "model/printable.h"

namespace visq::loader {
namespace {

/// Who gives a tensor its value: a node's index, or one of these.
constexpr int kNobody = -1;
constexpr int kGraphInput = -2;
constexpr int kConstant = -3;
constexpr int kVariable = -4;

class DataFlow {
 public:
  DataFlow(Subgraph& graph, const Place& place) : graph_(graph), place_(place), source_(graph.tensors.size(), kNobody) {}

  Status check() {
    VISQ_TRY(find_sources());
    make_empty_constants();
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) VISQ_TRY(check_reads(static_cast<int>(i)));
    VISQ_TRY(check_rings());
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const int tensor = graph_.outputs[i];
      if (source(tensor) == kNobody) return place_.fail("graph output {} ({}) is never computed", i, describe(tensor));
    }
    return {};
  }

 private:
  int& source(int tensor) { return source_[as_size(tensor)]; }
  TensorInfo& tensor(int index) { return graph_.tensors[as_size(index)]; }
  const Operator& node(int index) { return graph_.operators[as_size(index)]; }
  Place at(int index) { return place_.node(index, node(index).label()); }
  std::string describe(int index) { return fmt::format("tensor {} '{}'", index, printable(tensor(index).name)); }

  Status find_sources() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      if (graph_.tensors[i].is_constant) source_[i] = kConstant;
      if (graph_.tensors[i].is_variable) source_[i] = kVariable;
    }
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const int index = graph_.inputs[i];
      if (source(index) == kConstant) return place_.fail("graph input {} ({}) is a constant", i, describe(index));
      if (source(index) == kGraphInput) return place_.fail("graph input {} ({}) is listed twice", i, describe(index));
      source(index) = kGraphInput;
    }
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) VISQ_TRY(claim_outputs(static_cast<int>(i)));
    return {};
  }

  Status claim_outputs(int index) {
    const auto& outputs = node(index).outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const int maker = source(outputs[k]);
      if (maker == kConstant) return at(index).fail("output {} ({}) is a constant", k, describe(outputs[k]));
      if (maker == kGraphInput) return at(index).fail("output {} ({}) is a graph input", k, describe(outputs[k]));
      if (maker >= 0) return at(index).fail("output {} ({}) is already made by node {}", k, describe(outputs[k]), maker);
      source(outputs[k]) = index;
    }
    return {};
  }

  void make_empty_constants() {
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      TensorInfo& info = graph_.tensors[i];
      const bool empty = info.shape.elements() == 0 && info.shape_signature.empty() && bits(info.dtype) != 0;
      if (source_[i] != kNobody || !empty) continue;
      info.is_constant = true;
      source_[i] = kConstant;
    }
  }

  Status check_reads(int index) {
    const auto& inputs = node(index).inputs;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (inputs[k] < 0) continue;
      const int maker = source(inputs[k]);
      if (maker == index) return at(index).fail("input {} ({}) is its own output", k, describe(inputs[k]));
      if (tensor(inputs[k]).is_variable) continue;  // holds what the last run left
      if (maker == kNobody) {
        return at(index).fail("input {} ({}) has no value: it is no constant, no graph input, and no node makes it", k,
                              describe(inputs[k]));
      }
      if (maker >= index)
        return at(index).fail("input {} ({}) is made by node {}, which does not come before", k, describe(inputs[k]), maker);
    }
    return {};
  }

  /// A variable may be read before the operator that writes it: then what was written in the last run is read. But operators that wait
  /// for each other are no graph. Takes away operators that need nobody who is left (Kahn); what stays is part of a ring, or behind one.
  Status check_rings() {
    std::vector<std::vector<int>> readers(graph_.operators.size());
    std::vector<int> needed(graph_.operators.size(), 0);
    bool backward = false;
    for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
      for (const int input : graph_.operators[i].inputs) {
        if (input < 0 || source(input) < 0) continue;
        readers[as_size(source(input))].push_back(static_cast<int>(i));
        ++needed[i];
        backward = backward || source(input) > static_cast<int>(i);
      }
    }
    if (!backward) return {};
    std::vector<int> free;
    for (std::size_t i = 0; i < needed.size(); ++i) {
      if (needed[i] == 0) free.push_back(static_cast<int>(i));
    }
    for (std::size_t next = 0; next < free.size(); ++next) {
      for (const int reader : readers[as_size(free[next])]) {
        if (--needed[as_size(reader)] == 0) free.push_back(reader);
      }
    }
    return free.size() == needed.size() ? Status() : name_ring(needed);
  }

  /// `needed`: per operator, how many of its inputs are made by operators that wait for each other.
  Status name_ring(const std::vector<int>& needed) {
    for (std::size_t i = 0; i < needed.size(); ++i) {
      const auto& inputs = graph_.operators[i].inputs;
      for (std::size_t k = 0; k < inputs.size() && needed[i] > 0; ++k) {
        const int maker = inputs[k] < 0 ? kNobody : source(inputs[k]);
        if (maker <= static_cast<int>(i) || needed[as_size(maker)] == 0) continue;
        return at(static_cast<int>(i)).fail("input {} ({}) is made by node {}, which waits for this one", k, describe(inputs[k]), maker);
      }
    }
    return place_.fail("operators read each other's outputs");
  }

  Subgraph& graph_;
  const Place& place_;
  std::vector<int> source_;
};

/// Deeper nesting than this is no network but an attack on the stack of whoever follows the calls.
constexpr int kMaxCallDepth = 64;

/// One call of a subgraph by an operator's option.
struct Call {
  int caller = 0, node = 0, callee = 0;
};

Result<std::vector<Call>> find_calls(const Model& model, const Place& file) {
  std::vector<Call> calls;
  const auto count = static_cast<std::int64_t>(model.subgraphs.size());
  for (std::size_t g = 0; g < model.subgraphs.size(); ++g) {
    const auto& operators = model.subgraphs[g].operators;
    for (std::size_t i = 0; i < operators.size(); ++i) {
      for (const std::int64_t callee : called_subgraphs(operators[i])) {
        const Call call{static_cast<int>(g), static_cast<int>(i), static_cast<int>(callee)};
        if (callee < 0 || callee >= count) {
          return file.subgraph(call.caller)
              .node(call.node, operators[i].label())
              .fail("calls subgraph {}, but there are {}", callee, count);
        }
        calls.push_back(call);
      }
    }
  }
  return calls;
}

}  // namespace

Status check_data_flow(Subgraph& subgraph, const Place& place) { return DataFlow(subgraph, place).check(); }

Status check_calls(const Model& model, const Place& file) {
  const auto place_of = [&](const Call& call) {
    const auto& operators = model.subgraphs[as_size(call.caller)].operators;
    return file.subgraph(call.caller).node(call.node, operators[as_size(call.node)].label());
  };
  VISQ_ASSIGN(const auto calls, find_calls(model, file));
  // Takes graphs away that call nobody who is left (Kahn); what stays calls itself. Callers are found through an index by callee.
  std::vector<std::vector<const Call*>> callers(model.subgraphs.size());
  std::vector<int> open(model.subgraphs.size(), 0);
  for (const Call& call : calls) {
    callers[as_size(call.callee)].push_back(&call);
    ++open[as_size(call.caller)];
  }
  std::vector<int> depth(open.size(), 0);
  std::vector<std::size_t> done;
  for (std::size_t g = 0; g < open.size(); ++g) {
    if (open[g] == 0) done.push_back(g);
  }
  for (std::size_t next = 0; next < done.size(); ++next) {
    for (const Call* call : callers[done[next]]) {
      const auto caller = as_size(call->caller);
      depth[caller] = std::max(depth[caller], depth[done[next]] + 1);
      if (depth[caller] > kMaxCallDepth) return place_of(*call).fail("subgraph calls are nested more than {} deep", kMaxCallDepth);
      if (--open[caller] == 0) done.push_back(caller);
    }
  }
  const auto left = std::find_if(open.begin(), open.end(), [](int count) { return count > 0; });
  if (left == open.end()) return {};
  const auto in_cycle = [&](const Call& call) { return open[as_size(call.caller)] > 0 && open[as_size(call.callee)] > 0; };
  const Call& call = *std::find_if(calls.begin(), calls.end(), in_cycle);
  return place_of(call).fail("calls subgraph {}, which leads back to a call of itself", call.callee);
}

}  // namespace visq::loader
