// The tensors of one ONNX graph while it is read, by name.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/onnx/node_proto.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// What names stand for in a graph, or in a function's call inside it.
struct Scope {
  std::unordered_map<std::string, int> names;     ///< kNoTensor: an input of the function that the call leaves out
  std::unordered_map<std::string, Bytes> values;  ///< what the file says about them
  const OperatorSets* sets = nullptr;
  const Bindings* bindings = nullptr;  ///< of the function's call; null outside
  std::string prefix;                  ///< of what has its name inside a function only
  bool closed = false;                 ///< a function sees nothing of the graphs around its call
  int depth = 0;                       ///< graphs and calls around it
};

/// A graph inside another one sees the names of that one too.
class GraphNames {
 public:
  /// `around`, `scope`: the graph around this one, and where in it this one stands; null for the main graph.
  GraphNames(Subgraph& graph, const Place& place, GraphNames* around, Scope* scope)
      : graph_(graph), place_(place), around_(around), scope_(scope) {}

  Subgraph& graph() { return graph_; }
  TensorInfo& tensor(int index);
  int add(std::string name);
  bool typed(int index) const;
  void set_typed(int index);

  /// The tensor that a name stands for where it is read; kNoTensor for one that is left out, and a new one, as the file declares it, where
  /// nobody has made it yet.
  Result<int> find(Scope& scope, const std::string& name);
  /// The tensor that a name stands for where it is written: never one of the graphs around.
  Result<int> make(Scope& scope, const std::string& name);

  /// For each input behind the graph's own: the tensor of the graph around it.
  const std::vector<int>& captured() const { return captured_; }
  /// Gives what functions made names that nothing else in the graph has.
  void tell_apart();

 private:
  struct Known {
    bool yes = false;
    int tensor = -1;
  };
  Known known(Scope& scope, const std::string& name);
  int capture(int outer);

  Subgraph& graph_;
  Place place_;
  GraphNames* around_;
  Scope* scope_;
  std::vector<bool> typed_;    ///< per tensor: its type is known
  std::vector<int> captured_;  ///< tensors of the graph around
  std::vector<int> prefixed_;  ///< tensors of functions
};

}  // namespace visq::loader::onnx
