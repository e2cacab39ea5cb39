// What compare() works out before the first record: modes, pairing, filters, and per set of input shapes the lockstep plan.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "analysis/origin/origin_runner.h"
#include "analysis/pairs/map_pair.h"
#include "quant/pairing.h"
#include "runtime/lockstep.h"
#include "visq/compare.h"

namespace visq::analysis {

/// Both graphs, prepared for one set of input shapes.
struct PairGraphs {
  std::shared_ptr<const runtime::LockstepPlan> lockstep;
  std::shared_ptr<const OriginGraphs> origin;  ///< null unless the origin of errors was asked for
};

class ComparePlan {
 public:
  /// Pairs the models and applies the filters of the options. Errors: kBadInput where the models have nothing in common or seem swapped.
  static Result<ComparePlan> create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                    const CompareOptions& options);

  /// All pairs, those of the main graphs first, each graph's in the reference's order. Observers of a lockstep are given positions in it.
  const std::vector<MapPair>& pairs() const { return pairs_; }
  /// Per pair: it is to be compared.
  const std::vector<bool>& wanted() const { return wanted_; }
  /// Per pair: an earlier one that holds the same values, see find_moved().
  const std::vector<std::size_t>& moved_from() const { return moved_from_; }
  /// The wanted pairs of the reference's graph outputs, in its order, as positions in pairs().
  std::vector<std::size_t> outputs() const;
  const std::vector<quant::GraphPairing>& pairings() const { return pairings_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const Model& reference() const { return *reference_; }
  const Model& quantized() const { return *quantized_; }

  /// How the further runs go that tell the origin of errors, one per pairing; empty unless they were asked for.
  const std::vector<OriginOrder>& origins() const { return origins_; }

  /// Calls `watcher` whenever graphs were prepared for another set of shapes, from one thread at a time.
  using Watcher = std::function<void(const runtime::LockstepPlan&)>;
  void watch(Watcher watcher) { shared_->watcher = std::move(watcher); }

  /// The graphs for records of these input shapes; made once per set of shapes, shared by all threads.
  Result<PairGraphs> graphs(const std::vector<Shape>& reference_inputs, const std::vector<Shape>& quantized_inputs);

 private:
  ComparePlan() = default;
  void choose_pairs(const CompareOptions& options);
  void order_graphs(bool origin);
  Result<OriginGraph> origin_graph(const std::shared_ptr<const runtime::PreparedGraph>& prepared, const std::vector<Shape>& inputs) const;
  void warn_about_weights();

  std::shared_ptr<const Model> reference_, quantized_;
  Mode reference_mode_ = Mode::kFp32, quantized_mode_ = Mode::kFakeQuant;
  std::vector<quant::GraphPairing> pairings_;
  std::vector<MapPair> pairs_;
  std::vector<bool> wanted_;
  std::vector<std::size_t> moved_from_;
  std::shared_ptr<const std::vector<runtime::LockstepOrder>> orders_;
  std::vector<OriginOrder> origins_;
  std::vector<std::string> warnings_;
  struct Shared {
    std::mutex mutex;
    Watcher watcher;
    std::vector<std::pair<std::vector<Shape>, PairGraphs>> graphs;  ///< most recent last
  };
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
};

}  // namespace visq::analysis
