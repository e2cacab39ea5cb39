// run: what does a model compute?
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/mode.h"
#include "visq/model.h"
#include "visq/sequence.h"

namespace visq {

/// Told after each record: done, total. Called from one thread at a time.
using Progress = std::function<void(std::int64_t done, std::int64_t total)>;

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

struct RunOptions {
  Mode mode = Mode::kFp32;
  RecordRange records;
  SequenceOptions sequence;
  std::vector<std::string> nodes;  ///< name globs; empty: all
  std::vector<std::string> ops;    ///< operator types; empty: all
  Progress progress;
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

}  // namespace visq
