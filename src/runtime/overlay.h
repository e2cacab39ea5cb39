// Changes to a run of a graph: what makes a float graph partly quantized, or a quantized one partly real-valued.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/op.h"

namespace visq::runtime {

/// A constant in place of a graph's own.
struct ReplacedConstant {
  std::vector<float> values;
  TensorInfo info;
  kernels::Tensor tensor;
};

/// The grids that it points to must outlive it.
struct Overlay {
  struct Node {
    std::shared_ptr<const kernels::Kernel> kernel;  ///< instead of the node's own: one with other weights; null: its own
    std::vector<std::pair<int, std::shared_ptr<ReplacedConstant>>> constants;  ///< slot, and what the kernel reads there
    std::vector<std::pair<int, const TensorInfo*>> rounded_inputs;             ///< slot, and the grid that this node alone reads it on
  };
  std::map<std::size_t, Node> nodes;
  std::map<int, const TensorInfo*> rounded;  ///< tensor, and the grid that it is rounded to when it is written
  bool only_listed = false;                  ///< a fake-quant run rounds these tensors and no others
};

}  // namespace visq::runtime
