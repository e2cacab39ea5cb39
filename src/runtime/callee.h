// A subgraph that an executor's node calls: its executor, and the results of its last run.
#pragma once

#include <memory>
#include <vector>

#include "runtime/executor.h"

namespace visq::runtime {

/// A tensor with memory of its own.
struct OwnedTensor {
  kernels::Tensor tensor;
  AlignedBuffer memory;
  std::vector<std::string> strings;

  /// Errors: kBadInput where there is no memory.
  Status assign(const kernels::Tensor& source, const std::string& path);
};

struct Executor::Callee {
  std::vector<Shape> input_shapes;
  std::unique_ptr<Executor> executor;
  std::vector<OwnedTensor> results;
};

}  // namespace visq::runtime
