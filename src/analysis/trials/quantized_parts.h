// What a quantized model quantizes, told in terms of the float model's main graph: grids of its feature maps, weights of its operators.
// Partial quantization chooses from these parts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "quant/graph_index.h"
#include "quant/pairing.h"
#include "runtime/overlay.h"
#include "runtime/prepared_graph.h"

namespace visq::analysis {

/// A choice of parts. Everything that is not in it stays float.
struct PartSet {
  std::set<int> weights;                 ///< nodes of the float graph
  std::set<int> activations;             ///< tensors of the float graph, for all their readers
  std::set<std::pair<int, int>> inputs;  ///< node and slot: the tensor there, for this node only
  std::set<int> other_weights = {};      ///< nodes whose constants have the form of QuantizedParts::set_other()
  std::set<int> other_activations = {};  ///< tensors on its grids, for all their readers
  std::set<int> other_kernels = {};      ///< nodes that compute on stored integers of its grids, where that is not exact (stored_kernel.h)
};

class QuantizedParts {
 public:
  struct Input {
    int slot = 0;
    const TensorInfo* grid = nullptr;
  };
  /// An operator of the float graph that has a counterpart, and what of it the quantized model quantizes.
  struct Node {
    int node = 0;
    int counterpart = -1;        ///< operator of the quantized model
    std::vector<Input> inputs;   ///< feature maps that it reads from a grid; state that it keeps is none
    std::vector<int> constants;  ///< slots of constants that are quantized there
    std::vector<int> outputs;    ///< feature maps that stand for the counterpart's outputs and have a grid
  };
  /// What cannot be quantized on its own, because the graphs differ there.
  struct Gap {
    int node = 0;  ///< of the quantized model
    std::string reason;
  };

  /// Another way to quantize than the quantized model's, for a search that weighs it against that.
  struct OtherForm {
    std::map<int, TensorInfo> activations;  ///< grids, by tensor of the float graph
    /// Real values of the constant in a slot of a node; nothing: those of the quantized model.
    std::function<Result<std::optional<std::vector<float>>>(const Node& node, int slot)> constant;
  };

  /// The models and the pairing must outlive it.
  QuantizedParts(const Model& reference, const Model& quantized, const quant::GraphPairing& pairing);

  /// In graph order; only nodes of which something is quantized.
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node* find(int node) const;
  /// The grid of each feature map that has one.
  const std::map<int, const TensorInfo*>& activations() const { return activations_; }
  const std::vector<Gap>& gaps() const { return gaps_; }
  /// Stored type and scale of a constant of the quantized model.
  const TensorInfo& quantized_constant(const Node& node, int slot) const;

  /// Before any run that uses it.
  void set_other(OtherForm form) { other_ = std::move(form); }

  /// Everything that is quantized.
  PartSet all() const;
  /// Everything but these parts. What a part rounds for one reader alone is then rounded for each of the others alone.
  PartSet all_but(const PartSet& parts) const;
  /// Two choices, without other forms, with the same key give the same values of the `measured` tensors, whatever the input.
  std::string key(const PartSet& parts, const std::vector<int>& measured) const;
  /// Whether `graph` can run this operator with other weights: not where its shapes are known only in the run.
  static bool takes_weights(const runtime::PreparedGraph& graph, int node);
  /// A run of `graph`, the float graph prepared for fp32, with these parts quantized. Kernels with quantized weights are made once per set
  /// of input shapes and kept. Safe to call from several threads. Errors: those of Prepare.
  Result<runtime::Overlay> overlay(const PartSet& parts, const runtime::PreparedGraph& graph);

 private:
  void find_activations(const quant::GraphPairing& pairing);
  void find_nodes(const quant::GraphPairing& pairing);
  int carrier(int reference_tensor, int quantized_op, const std::set<int>& paired) const;
  Node describe(int node, int counterpart) const;
  const TensorInfo* grid_of(int quantized_tensor) const;
  const TensorInfo* input_grid(int index, int slot) const;
  Result<std::vector<float>> real_constant(const Node& node, int slot) const;
  Result<std::vector<float>> other_constant(const Node& node, int slot) const;
  std::shared_ptr<runtime::ReplacedConstant> replaced_constant(int tensor, std::vector<float> values) const;
  Result<std::vector<std::pair<int, std::shared_ptr<runtime::ReplacedConstant>>>> constants_for(const Node& node, bool other,
                                                                                                const runtime::PreparedGraph& graph) const;
  /// Kernels are kept as long as the input shapes stay.
  void keep_for(const runtime::PreparedGraph& graph);
  Result<runtime::Overlay::Node> quantized_weights(const Node& node, bool other, const runtime::PreparedGraph& graph);
  std::shared_ptr<const kernels::Kernel> on_other_grids(int node, const runtime::PreparedGraph& graph);

  const Model& reference_;
  quant::GraphIndex r_, q_;
  std::vector<Node> nodes_;
  std::map<int, const TensorInfo*> activations_;
  std::vector<Gap> gaps_;
  OtherForm other_;
  std::mutex mutex_;
  std::vector<Shape> kernel_shapes_;                                ///< input shapes that kernels_ and stored_ are prepared for
  std::map<std::pair<int, bool>, runtime::Overlay::Node> kernels_;  ///< by node, and whether in the other form
  std::map<int, std::shared_ptr<const kernels::Kernel>> stored_;    ///< by node, on the other grids; null: as exact in float
};

}  // namespace visq::analysis
