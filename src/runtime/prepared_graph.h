// A subgraph prepared for one mode and one set of input shapes: shapes propagated, constants folded, weights packed, once.
// Immutable afterwards and shared by all executors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/op.h"
#include "runtime/aligned_buffer.h"
#include "visq/mode.h"
#include "visq/model.h"

namespace visq::runtime {

enum class NodeStatus : std::uint8_t {
  kReady,        ///< prepared; runs at every record
  kFolded,       ///< its outputs were computed ahead, from constants and shapes alone
  kDeferred,     ///< shapes depend on values of the run: prepared again at every step
  kUnsupported,  ///< nobody can run it, or an input that it needs is missing because of such an operator
};

struct PreparedNode {
  const Operator* op = nullptr;
  const kernels::OpDef* def = nullptr;
  std::shared_ptr<const kernels::Kernel> kernel;  ///< null unless kReady or kFolded
  NodeStatus status = NodeStatus::kUnsupported;
  std::string reason;  ///< one line for kUnsupported
};

struct PreparedTensor {
  kernels::Tensor value;  ///< type as operators see it, shape where known, data of constants and folded results
  bool shape_known = false;
  bool gridded = false;      ///< a fake-quant run rounds it to its grid when it is written
  bool wants_codes = false;  ///< some operator reads its stored integers
  bool ahead = false;        ///< constant or folded: has its value before the run
  bool missing = false;      ///< never computed: made by an unsupported operator
  bool variable = false;     ///< keeps its value from step to step
};

class PreparedGraph {
 public:
  /// `input_shapes`: one per graph input. Errors: kBadInput where an operator's parameters do not fit its tensors; operators that
  /// nobody can run are no error but kUnsupported nodes.
  static Result<std::shared_ptr<const PreparedGraph>> prepare(std::shared_ptr<const Model> model, int subgraph, Mode mode,
                                                              const std::vector<Shape>& input_shapes);

  const Model& model() const { return *model_; }
  const Subgraph& subgraph() const { return model_->subgraphs[static_cast<std::size_t>(subgraph_)]; }
  int subgraph_index() const { return subgraph_; }
  Mode mode() const { return mode_; }
  const std::vector<PreparedNode>& nodes() const { return nodes_; }
  const std::vector<PreparedTensor>& tensors() const { return tensors_; }
  /// True where records must run in order: variables or operators with state.
  bool stateful() const { return stateful_; }

 private:
  friend class GraphPreparer;
  std::shared_ptr<const Model> model_;
  int subgraph_ = 0;
  Mode mode_ = Mode::kFp32;
  std::vector<PreparedNode> nodes_;
  std::vector<PreparedTensor> tensors_;
  std::vector<AlignedBuffer> constants_;  ///< memory behind dequantized, copied and folded values; empty where freed or mapped
  bool stateful_ = false;
};

/// "m.tflite: subgraph 0, node 12 CONV_2D": the head of every message about an operator.
std::string place_of(const Model& model, int subgraph, std::size_t node);

/// What one call of an operator's Prepare gave.
struct PrepareOutcome {
  std::shared_ptr<const kernels::Kernel> kernel;
  bool deferred = false;
  std::vector<bool> wants_codes, packed;  ///< per input slot
};

/// Calls Prepare of one node on the given tensors; used ahead of the run and, for deferred nodes, at each step.
/// Errors: kBadInput and kUnsupported as the operator reports them.
Result<PrepareOutcome> prepare_node(const Model& model, const Subgraph& subgraph, const Operator& op, std::string place,
                                    std::vector<const kernels::Tensor*> inputs, std::vector<kernels::Tensor*> outputs,
                                    std::vector<bool> codes_available);

}  // namespace visq::runtime
