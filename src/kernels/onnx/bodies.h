// What If, Loop and Scan share: graphs that they run on their own inputs and on values from around them, and results of one run after the
// other as one tensor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/available_memory.h"
#include "kernels/op.h"

namespace visq::kernels {

/// A graph that an operator runs, and which of the operator's inputs are values that it takes from around it.
struct Body {
  int subgraph = 0;
  int captured = 0;  ///< the first of these inputs
  const Subgraph* graph = nullptr;

  int inputs() const { return static_cast<int>(graph->inputs.size()); }
  int outputs() const { return static_cast<int>(graph->outputs.size()); }
};

/// The graphs in attributes of these names. Errors: one is not there; all inputs of the operator must be.
Result<std::vector<Body>> bodies_of(const PrepareContext& context, std::initializer_list<std::string_view> names);
/// How many of its inputs the graph at a position takes from around it.
int captured_by(const PrepareContext& context, std::size_t position);

/// Declares output `slot` where its shape is known, else leaves it to the run.
Status declare(PrepareContext& context, int slot, const std::optional<Shape>& shape);

/// The shape as declared; unknown sizes are 0.
Shape least_shape(const TensorInfo& info);

/// A tensor with memory of its own.
struct Scratch {
  Tensor tensor;
  std::vector<std::byte> bytes;

  void resize(DType type, Shape shape);
};

/// Tensors of one shape and type, behind each other.
class Stack {
 public:
  /// Errors: another shape or type than the first one's, or no memory; `place` heads them.
  Status append(const Tensor& value, const std::string& place);
  /// All of them, along a new axis; `type` and `element` count where there are none. Valid until the next append().
  Result<const Tensor*> joined(DType type, const Shape& element, std::int64_t axis, bool backwards, const std::string& place);

 private:
  Tensor first_;
  std::int64_t count_ = 0;
  std::vector<std::byte> bytes_;
  MemoryClaim claim_;
  Scratch joined_;
};

}  // namespace visq::kernels
