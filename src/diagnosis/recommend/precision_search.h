// Which operators to give another precision: a greedy search over partly quantized runs that measures every set again, since gains of
// operators do not add up.
#pragma once

#include <set>
#include <vector>

#include "analysis/trials/partial_models.h"
#include "diagnosis/recommend/part_simulation.h"
#include "diagnosis/recommend/precision_forms.h"
#include "diagnosis/what_if.h"
#include "visq/recommend.h"

namespace visq::diagnosis {

class PrecisionSearch {
 public:
  /// Everything must outlive it.
  PrecisionSearch(analysis::PartialModels& models, const PrecisionForms& forms, RecordSource& data, const RecommendOptions& options);

  /// Growing sets, the first of them empty: of falling error and growing cost, or the other way round where the precision saves bytes.
  Result<std::vector<PrecisionPoint>> run();
  const PartSimulation& simulation() const { return simulation_; }

 private:
  /// Operators that join the set together.
  struct Move {
    std::vector<int> operators;
    double noise_won = 0;  ///< when last measured
    double price = 1;      ///< in this step
  };
  void find_moves();
  PrecisionCost added(const Move& move, const std::set<int>& chosen) const;
  double price(const Move& move, const std::set<int>& chosen) const;
  bool worthwhile(const Move& move, double noise) const;
  Status choose_records();
  /// What the search has reached.
  struct State {
    std::set<int> chosen;
    std::vector<int> order;  ///< the same as they were chosen
    double noise = 0;
  };
  Result<State> begin();
  Result<bool> take_best(State& state);
  Result<Move> several_of(State& state, std::size_t first, std::size_t last);
  Status measure(State& state, std::size_t first, std::size_t last);
  bool fits_budget(const Move& move, const std::set<int>& chosen) const;
  bool done(const State& state) const;

  analysis::PartialModels& models_;
  const PrecisionForms& forms_;
  const RecommendOptions& options_;
  PartSimulation simulation_;
  std::vector<std::int64_t> all_, few_;  ///< records to look for sets with; those of the search, the worst of them
  std::vector<Move> moves_;
};

}  // namespace visq::diagnosis
