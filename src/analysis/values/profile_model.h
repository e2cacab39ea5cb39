// Statistics of one model's tensors, gathered by many threads.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "analysis/facts/map_identity.h"
#include "analysis/facts/node_filter.h"
#include "analysis/records/model_runner.h"
#include "core/as_size.h"
#include "metrics/moments.h"
#include "metrics/value_sketch.h"
#include "quant/graph_index.h"
#include "visq/profile.h"

namespace visq::analysis {

/// Where a tensor stands: its subgraph and its index there.
using TensorPlace = std::pair<int, int>;

/// What one record adds to one tensor, for the fold in record order.
struct TensorRecord {
  metrics::Moments moments;
  std::vector<metrics::Moments> channels;
  Shape shape;
};

struct ModelRecord {
  std::map<TensorPlace, TensorRecord> tensors;
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
  /// Looks at one feature map, of the main graph or of one that it calls; called by many threads.
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

  /// A graph that is run: the main one, or one that is called.
  struct Graph {
    Graph(const Model& model, int position) : index(model.subgraphs[as_size(position)]), names(model, position), subgraph(position) {}
    quant::GraphIndex index;
    MapNames names;
    int subgraph;
  };

  void choose_rows(const ProfileOptions& options);
  void choose_rows(const Graph& graph, const NodeFilter& filter);
  void add_row(const Graph& graph, int node, int tensor, std::string attribute);
  void profile_constant(const Graph& graph, int node, int tensor);
  TensorProfile finish(TensorPlace place, const Slot& slot) const;

  const Model& model_;
  std::map<int, Graph> graphs_;  ///< by subgraph
  Mode mode_;
  bool per_channel_;
  struct Row {
    TensorPlace tensor;
    int node;
    std::string attribute;
  };
  std::vector<Row> rows_;
  std::map<TensorPlace, std::unique_ptr<Slot>> slots_;           ///< fixed once rows are chosen
  std::map<std::pair<int, std::size_t>, std::string> failures_;  ///< by subgraph and node
};

ValueStatistics to_statistics(const metrics::Moments& moments);

}  // namespace visq::analysis
