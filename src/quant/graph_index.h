// Look-ups over a subgraph that pairing needs: who makes a tensor, who reads it, what lies behind QUANTIZE and DEQUANTIZE.
#pragma once

#include <vector>

#include "core/as_size.h"
#include "visq/model.h"

namespace visq::quant {

inline constexpr int kNone = -1;  ///< in place of a node or a tensor

class GraphIndex {
 public:
  explicit GraphIndex(const Subgraph& graph);

  const Subgraph& graph() const { return graph_; }
  const TensorInfo& tensor(int index) const { return graph_.tensors[as_size(index)]; }
  const Operator& op(int index) const { return graph_.operators[as_size(index)]; }
  /// Operator that makes a tensor; -1 for graph inputs, constants, and states, which are read before an operator writes them for the next
  /// run. So it stands before every operator that reads the tensor: a way from makers to makers ends.
  int maker(int tensor) const { return makers_[as_size(tensor)]; }
  /// Operators that read a tensor, in order.
  const std::vector<int>& readers(int tensor) const { return readers_[as_size(tensor)]; }
  /// The tensor whose values this one repeats on another grid: follows QUANTIZE and DEQUANTIZE back to what they were given.
  int origin(int tensor) const { return origins_[as_size(tensor)]; }
  bool is_feature_map(int tensor) const { return feature_map_[as_size(tensor)]; }
  /// True for QUANTIZE and DEQUANTIZE: they move values between grids and compute nothing.
  bool passes_through(int op) const;
  /// The operator's inputs that are computed, each as its origin, in order; constants and absent inputs left out.
  std::vector<int> data_inputs(int op) const;
  /// The operator's largest constant input (behind DEQUANTIZE too); null where it has none.
  const TensorInfo* largest_constant(int op) const;
  /// Feature maps in graph order: graph inputs, then operator outputs.
  std::vector<int> feature_maps() const;

 private:
  const Subgraph& graph_;
  std::vector<int> makers_, origins_;
  std::vector<std::vector<int>> readers_;
  std::vector<bool> feature_map_;
};

}  // namespace visq::quant
