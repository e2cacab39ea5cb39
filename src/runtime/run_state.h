// What one sequence of records keeps: shared by the executors of a model's subgraphs, new for every sequence.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/op.h"
#include "runtime/aligned_buffer.h"
#include "visq/limits.h"

namespace visq::runtime {

/// Why an operator gave nothing in a record.
struct NodeFailure {
  int subgraph = 0;
  std::size_t node = 0;
  std::string reason;
};

struct RunState {
  using Place = std::pair<int, std::size_t>;  ///< subgraph, and tensor or node in it

  /// Operators that one record may run, those of loops and called subgraphs in every turn counted. Nested loops multiply, so that their
  /// single limits alone would not end a record in anybody's lifetime.
  const std::int64_t most_steps = 100 * limits().turns;

  kernels::Session session;
  std::map<Place, AlignedBuffer> variables;  ///< memory of variable tensors
  /// State of operators that keep some from record to record, by place and shapes of the inputs (as text), which it depends on.
  std::map<std::pair<Place, std::string>, std::unique_ptr<kernels::KernelState>> kernels;
  std::vector<NodeFailure> failures;  ///< of the record that runs
  std::int64_t steps = 0;             ///< operators entered in the record that runs
  std::int64_t callees = 0;           ///< executors of called subgraphs
};

}  // namespace visq::runtime
