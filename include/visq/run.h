// run: what does a model compute?
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/request.h"

namespace visq {

/// A feature map of subgraph 0 as the run made it. Valid only during the call that receives it.
struct FeatureMap {
  int tensor = 0;                    ///< index in subgraph 0
  const TensorInfo* info = nullptr;  ///< declaration: name, stored type, quantization
  DType dtype = DType::kFloat32;     ///< of data: float32 for quantized tensors in fake-quant runs, the stored integers in integer runs
  Shape shape;
  const std::byte* data = nullptr;
  std::span<const std::string> strings;  ///< elements of a string tensor
};

/// Receives feature maps: graph inputs, every operator's outputs, and graph outputs that no operator makes.
class MapSink {
 public:
  virtual ~MapSink() = default;
  virtual Status begin_record(std::int64_t index) = 0;
  virtual Status add(const FeatureMap& map) = 0;
};

/// Records run in order on one thread, and the sink's error is what ends them early: threads and stop do not matter.
struct RunOptions : SequenceRequest, NodeSelection {
  Mode mode = Mode::kFp32;
};

/// Why a tensor was not computed.
struct NotRun {
  int subgraph = 0;
  int node = 0;        ///< operator index in the subgraph
  std::string reason;  ///< one line: the operator that is not runnable, or the input that is missing because of one
};

/// True where records are a sequence: the model has variables, hash tables, recurrent state or seeded random operators. Its records run in
/// order on one thread, starting from a fresh state.
bool keeps_state(const Model& model);

/// Runs a model over records of the data and hands every feature map to the sink. Returns the operators that could not be run.
/// Errors: kBadInput where model and data do not fit together or the sink fails.
Result<std::vector<NotRun>> run(std::shared_ptr<const Model> model, RecordSource& data, const RunOptions& options, MapSink& sink);

/// Runs a model through sequences and gives the `chosen` of the request's records (ascending), renumbered from 0, as calls that stand
/// alone: with what the model had fed back standing in the inputs that take it. Where the request was stopped: those that came before.
/// Errors: those of run().
Result<std::vector<Record>> sequence_calls(std::shared_ptr<const Model> model, RecordSource& data, const SequenceRequest& request,
                                           Mode mode, const std::vector<std::int64_t>& chosen);

}  // namespace visq
