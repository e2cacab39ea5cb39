// One thread's further runs of both graphs, each on the other's maps, beside the lockstep of a comparison.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analysis/origin/origin_errors.h"
#include "analysis/origin/origin_plan.h"
#include "analysis/records/map_record.h"
#include "runtime/executor.h"

namespace visq::analysis {

/// A graph as the further runs need it: operators read real values only.
struct OriginGraph {
  std::shared_ptr<const runtime::PreparedGraph> graph;
  std::shared_ptr<const runtime::MemoryPlan> memory;
};

/// Shared by all threads.
struct OriginGraphs {
  OriginGraph reference, quantized;
};

/// Per pair, one for each run of its subgraph.
using OriginRecords = std::vector<std::vector<OriginRecord>>;

class OriginRunner {
 public:
  /// `orders`: one per pair of subgraphs, in the order of the comparison's pairings; it must outlive the runner.
  OriginRunner(const std::vector<OriginOrder>& orders, const std::vector<bool>& wanted, std::shared_ptr<const OriginGraphs> graphs);
  ~OriginRunner();

  /// To be called as the lockstep's observer, in its order. Runs what can be run now and adds what it gives to `records`.
  Status after(std::size_t pair, const runtime::Executor& reference, const runtime::Executor& quantized, OriginRecords& records);

 private:
  struct Runs;
  Status start(std::size_t order, const runtime::Executor& reference, const runtime::Executor& quantized, OriginRecords& records);
  void measure_input(const OriginPair& pair, const runtime::Executor& reference, const runtime::Executor& quantized, OriginRecord& record);
  void run_created(const OriginOrder& order, Runs& runs, std::size_t until, const runtime::Executor& reference, OriginRecords& records);
  void run_inherited(const OriginOrder& order, Runs& runs, std::size_t until, const runtime::Executor& reference,
                     const runtime::Executor& quantized, OriginRecords& records);
  void measure_created(const OriginPair& pair, Runs& runs, bool inside, const runtime::Executor& reference, OriginRecord& record);
  void measure_inherited(const OriginPair& pair, Runs& runs, const runtime::Executor& reference, const runtime::Executor& quantized,
                         OriginRecord& record);

  const std::vector<OriginOrder>& orders_;
  const std::vector<bool>& wanted_;
  std::shared_ptr<const OriginGraphs> graphs_;
  std::vector<std::size_t> order_of_;        ///< per pair
  std::vector<std::unique_ptr<Runs>> runs_;  ///< per order
  OriginScratch scratch_;
};

}  // namespace visq::analysis
