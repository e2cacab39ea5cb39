// The graph of a model as pictures need it: nodes and the edges between them, without tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visq/model.h"

namespace visq {

/// A graph input, an operator or a graph output of one subgraph.
struct GraphNode {
  enum class Kind : std::uint8_t { kInput, kOperator, kOutput };
  Kind kind = Kind::kOperator;
  int subgraph = 0;
  int index = 0;                           ///< operator index; of an input or output its position in the subgraph's list
  std::string op;                          ///< operator type or custom code, "INPUT", "OUTPUT"
  std::vector<std::string> names;          ///< names (see tensor_names) of the tensors that it makes; of an output the one that leaves
  std::vector<int> inputs;                 ///< positions in Graph::nodes that it reads from, ascending, each once; constants left out
  std::vector<std::string> displays = {};  ///< parallel to names: short, for people (see display_names); may be empty
};

/// All subgraphs of a model; per subgraph its inputs, its operators in execution order, its outputs.
struct Graph {
  std::vector<std::string> subgraphs;  ///< names as stored, else the signature's key, else empty
  std::vector<GraphNode> nodes;
};

Graph graph_of(const Model& model);

/// What every output calls the tensors of a subgraph, by tensor index: the name, with "#index" appended where it is empty or not unique.
std::vector<std::string> tensor_names(const Subgraph& subgraph);

/// Short names for people, by tensor index, each unique in the subgraph: the word of the layer that makes the tensor ("conv2d_13" of
/// "model/conv2d_13/BiasAdd;model/conv2d_13/Conv2D1"), for the operator with the layer's weights alone; with the operator's own word, words
/// of the path before it, or "#index", as far as others would be called the same. Paths of PyTorch modules become those of attributes.
/// Weights with names of over 30 characters, or that a converter made up, are their layer's ("conv2d_13/weights", "conv2d_13/bias").
std::vector<std::string> display_names(const Subgraph& subgraph);

}  // namespace visq
