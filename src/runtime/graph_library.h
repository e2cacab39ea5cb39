// Prepared graphs of a model's subgraphs for the operators that call them: each prepared once per set of input shapes.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/prepared_graph.h"

namespace visq::runtime {

/// Shared by all threads. Lives as long as the main graph, which owns it.
class GraphLibrary {
 public:
  GraphLibrary(std::shared_ptr<const Model> model, Mode mode, Operands operands)
      : model_(std::move(model)), mode_(mode), operands_(operands) {}

  /// Errors: those of PreparedGraph::prepare; a wrong number of inputs.
  Result<std::shared_ptr<const PreparedGraph>> get(int subgraph, const std::vector<Shape>& input_shapes);

  /// The subgraph as it was prepared first; null where it was not.
  std::shared_ptr<const PreparedGraph> first(int subgraph);

  /// Shapes of the subgraph's outputs; nothing where only the run tells one of them.
  /// Errors: those of get(); kUnsupported where an output cannot be computed.
  Result<std::optional<std::vector<Shape>>> output_shapes(int subgraph, const std::vector<Shape>& input_shapes);

 private:
  struct Entry {
    int subgraph = 0;
    std::vector<Shape> shapes;
    std::shared_ptr<const PreparedGraph> graph;
  };
  std::shared_ptr<const Model> model_;
  Mode mode_;
  Operands operands_;
  std::recursive_mutex mutex_;  ///< preparing a subgraph asks for those that it calls
  std::vector<Entry> entries_;  ///< most recent last
};

}  // namespace visq::runtime
