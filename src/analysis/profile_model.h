// Statistics of one model's tensors, gathered by many threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "analysis/map_identity.h"
#include "analysis/model_runner.h"
#include "metrics/moments.h"
#include "metrics/value_sketch.h"
#include "quant/graph_index.h"
#include "visq/profile.h"

namespace visq::analysis {

/// What one record adds to one tensor, for the fold in record order.
struct TensorRecord {
  metrics::Moments moments;
  std::vector<metrics::Moments> channels;
  Shape shape;
};

struct ModelRecord {
  std::map<int, TensorRecord> tensors;
  std::vector<runtime::NodeFailure> failures;  ///< operators that could not run
};

/// Memory that one thread reuses.
struct ProfileScratch {
  std::vector<float> values, channel;
};

class ModelProfiler {
 public:
  /// Chooses rows and tensors by the options' filters. `model` must outlive the profiler.
  ModelProfiler(const Model& model, Mode mode, const ProfileOptions& options);

  bool empty() const { return rows_.empty(); }
  /// Looks at one feature map; called by many threads.
  void observe(int tensor, const runtime::Executor& executor, ModelRecord& record, ProfileScratch& scratch);
  /// Adds a record; called in record order, by one thread at a time.
  void fold(ModelRecord&& record);
  ModelProfile finish();

 private:
  struct Slot {
    std::mutex mutex;
    metrics::ValueSketch sketch;
    metrics::Moments moments;
    std::vector<metrics::Moments> channels;
    Shape shape;
    bool constant = false;
  };

  void choose_rows(const ProfileOptions& options);
  void add_row(int node, int tensor, std::string attribute);
  void profile_constant(int node, int tensor);
  bool has_values(int tensor) const;
  TensorProfile finish(int tensor, const Slot& slot) const;

  const Model& model_;
  quant::GraphIndex graph_;
  MapNames names_;
  Mode mode_;
  bool per_channel_;
  struct Row {
    int node, tensor;
    std::string attribute;
  };
  std::vector<Row> rows_;
  std::map<int, std::unique_ptr<Slot>> slots_;                   ///< by tensor; fixed once rows are chosen
  std::map<std::pair<int, std::size_t>, std::string> failures_;  ///< by subgraph and node
};

ValueStatistics to_statistics(const metrics::Moments& moments);

}  // namespace visq::analysis
