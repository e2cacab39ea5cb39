// A subgraph prepared for one mode and one set of input shapes: shapes propagated, constants folded, weights packed, once.
// Immutable afterwards and shared by all executors.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/as_size.h"
#include "kernels/op.h"
#include "runtime/constant_values.h"
#include "visq/mode.h"
#include "visq/model.h"

namespace visq::runtime {

enum class NodeStatus : std::uint8_t {
  kReady,        ///< prepared; runs at every record
  kFolded,       ///< its outputs were computed ahead, from constants and shapes alone
  kDeferred,     ///< shapes depend on values of the run: prepared again at every step
  kUnsupported,  ///< it is not runnable, or an input that it needs is missing because of such an operator
};

struct PreparedNode {
  const Operator* op = nullptr;
  std::shared_ptr<const kernels::Kernel> kernel;  ///< null unless kReady or kFolded
  bool stateful = false;                          ///< what it keeps between records belongs to the run, not to one executor
  bool rounds = false;                            ///< the kernel rounds its output to its grid itself
  std::vector<bool> reads_codes;                  ///< per input: the kernel reads its stored integers and not its values; empty: of none
  NodeStatus status = NodeStatus::kUnsupported;
  std::vector<Shape> input_shapes, output_shapes;  ///< what the kernel was prepared for (kReady)
  std::string reason;                              ///< one line for kUnsupported

  bool reads_codes_of(std::size_t slot) const { return slot < reads_codes.size() && reads_codes[slot]; }
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

class GraphLibrary;

/// What operators read of a quantized map. kValues is for runs on maps from elsewhere, which have no stored integers.
enum class Operands : std::uint8_t {
  kCodes,   ///< its stored integers where an operator has a kernel for them (fake-quant), else real values
  kValues,  ///< real values only
};

class PreparedGraph {
 public:
  /// `input_shapes`: one per graph input. Errors: kBadInput where an operator's parameters do not fit its tensors; operators that
  /// are not runnable are no error but kUnsupported nodes.
  static Result<std::shared_ptr<const PreparedGraph>> prepare(std::shared_ptr<const Model> model, int subgraph, Mode mode,
                                                              const std::vector<Shape>& input_shapes, Operands operands = Operands::kCodes);
  /// The same for a subgraph that operators call; `library` outlives it.
  static Result<std::shared_ptr<const PreparedGraph>> prepare_callee(std::shared_ptr<const Model> model, int subgraph, Mode mode,
                                                                     const std::vector<Shape>& input_shapes, Operands operands,
                                                                     GraphLibrary& library);
  ~PreparedGraph();

  const Model& model() const { return *model_; }
  const Subgraph& subgraph() const { return model_->subgraphs[as_size(subgraph_)]; }
  int subgraph_index() const { return subgraph_; }
  Mode mode() const { return mode_; }
  Operands operands() const { return operands_; }
  const std::vector<PreparedNode>& nodes() const { return nodes_; }
  const std::vector<PreparedTensor>& tensors() const { return tensors_; }
  /// The subgraphs that its operators call.
  GraphLibrary& library() const { return *library_; }

 private:
  friend class GraphPreparer;
  PreparedGraph();
  std::shared_ptr<const Model> model_;
  int subgraph_ = 0;
  Mode mode_ = Mode::kFp32;
  Operands operands_ = Operands::kCodes;
  std::vector<PreparedNode> nodes_;
  std::vector<PreparedTensor> tensors_;
  std::deque<ConstantMemory> constants_;  ///< per tensor: memory behind dequantized, copied and folded values; empty where freed or mapped
  std::unique_ptr<GraphLibrary> own_library_;  ///< null in a callee
  GraphLibrary* library_ = nullptr;
};

/// True where records must run in order: the model has variables, hash tables, recurrent state or seeded random operators.
bool keeps_state(const Model& model);

/// Whether these outputs, of which there is at least one, all have zero elements. Kernels would walk through all the images of a batch
/// without pixels, of which there may be 2^31.
bool are_empty(std::span<kernels::Tensor* const> outputs);

/// A variable keeps the shape that the file declares. Errors: begin with `place`.
Status check_variable(const kernels::Tensor& variable, const std::string& place);

/// "m.tflite: subgraph 0, node 12 CONV_2D": the head of every message about an operator.
std::string place_of(const Model& model, int subgraph, std::size_t node);

/// An operator's message without the place that heads it.
std::string without_place(const std::string& message, const std::string& place);

/// What one call of an operator's Prepare gave.
struct PrepareOutcome {
  std::shared_ptr<const kernels::Kernel> kernel;
  bool stateful = false, shape_only = false;  ///< as the operator's definition says
  bool deferred = false;
  bool rounds = false;                                 ///< see PreparedNode
  bool reads_session = false;                          ///< the outcome depends on variables and tables of the run
  std::vector<bool> reads_codes, packed, values_read;  ///< per input slot
  std::vector<bool> open;                              ///< per output: only the run tells its shape
};

/// What Prepare of one node is given.
struct PrepareRequest {
  const Operator* op = nullptr;
  std::vector<const kernels::Tensor*> inputs;
  std::vector<kernels::Tensor*> outputs;
  std::vector<bool> codes_available;          ///< per input
  std::vector<bool> fixed;                    ///< per input: the same values in every record
  std::vector<bool> late;                     ///< per input: a constant without values yet, see OpDef::packs
  const kernels::Session* session = nullptr;  ///< null ahead of the run
  bool may_round = false;                     ///< the kernel may round its output itself
};

/// Calls Prepare of one node of a graph; used ahead of the run and, for deferred nodes, in it.
/// Errors: kBadInput and kUnsupported as the operator reports them.
Result<PrepareOutcome> prepare_node(const PreparedGraph& graph, std::string place, PrepareRequest request);

}  // namespace visq::runtime
