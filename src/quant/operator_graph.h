// How the operators of a graph read one another, with what converters insert, fuse and fold stepped over: two files of one network agree in
// this where their operators do not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quant/cuts.h"
#include "quant/graph_index.h"

namespace visq::quant {

/// One computed input of an operator: what stands behind it, nearest first.
struct OperatorInput {
  std::vector<int> makers;  ///< operators; size() + i for graph input i
  int output = 0;           ///< which output of the nearest one
  std::optional<Cut> cut;   ///< which part of its own input that output is
};
/// One reading of an operator's output.
struct OperatorReader {
  int node = 0;  ///< an operator; first_output() + i for graph output i
  int slot = 0;  ///< as which of its computed inputs
};
struct OperatorUse {
  int output = 0;                       ///< which one is read
  std::vector<OperatorReader> readers;  ///< the nearest first
};

/// True where an operator does nothing but limit its input to a range.
bool limits(const Operator& op);

/// The map whose values this one repeats: behind QUANTIZE and DEQUANTIZE, and where it has been turned and turned back, as around operators
/// that want another layout.
int unturned(const GraphIndex& index, int tensor);

class OperatorGraph {
 public:
  explicit OperatorGraph(const GraphIndex& index);

  const GraphIndex& index() const { return index_; }
  int size() const { return static_cast<int>(inputs_.size()); }
  int first_output() const { return size() + static_cast<int>(index_.graph().inputs.size()); }
  /// Empty for QUANTIZE and DEQUANTIZE, which are stepped over everywhere.
  const std::vector<OperatorInput>& inputs(int op) const { return inputs_[as_size(op)]; }
  const std::vector<OperatorUse>& uses(int op) const { return uses_[as_size(op)]; }
  /// What a converter may leave out, put into the operator before it, insert, or do with another operator: limits, factors and summands for
  /// each channel, padding, other orders of the elements, cuts.
  bool absorbable(int op) const { return absorbable_[as_size(op)]; }
  /// A factor, summand or limit that the operator before it can take over.
  bool foldable(int op) const { return foldable_[as_size(op)]; }
  /// Cuts, pads or reorders what it reads: told by that alone.
  bool moves(int op) const { return absorbable(op) && !foldable(op); }
  /// The operator's inputs that are computed from graph inputs, each as its origin, in order: weights that are turned or widened in the
  /// graph are none.
  std::vector<int> data_inputs(int op) const;
  /// The only operator that reads the output of `op`, behind QUANTIZE and DEQUANTIZE too; kNone where there are others, or none.
  int only_reader(int op) const;
  /// True where an operator computes from the outputs of another, over any number of steps. Large graphs give no answer but false.
  bool behind(int op, int earlier) const;

 private:
  void find_kinds();
  void find_data();
  void find_neighbours();
  void find_ancestors();
  std::vector<int> makers_behind(int tensor) const;
  void add_uses(int op, int output, int tensor);

  const GraphIndex& index_;
  std::vector<std::vector<OperatorInput>> inputs_;
  std::vector<std::vector<OperatorUse>> uses_;
  std::vector<bool> absorbable_, foldable_;
  std::vector<bool> from_data_;                        ///< per tensor: computed from a graph input, not from constants alone
  std::vector<std::vector<int>> outputs_of_;           ///< per tensor: the graph outputs that it is
  std::vector<std::vector<std::uint64_t>> ancestors_;  ///< a bit per operator; empty for large graphs
};

}  // namespace visq::quant
