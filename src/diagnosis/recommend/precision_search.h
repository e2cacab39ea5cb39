// Which operators to give another precision: a greedy search over partly quantized runs that measures every set again, since gains of
// operators do not add up.
#pragma once

#include <set>
#include <vector>

#include "analysis/trials/partial_models.h"
#include "diagnosis/recommend/precision_forms.h"
#include "diagnosis/what_if.h"
#include "visq/recommend.h"

namespace visq::diagnosis {

/// Noise over signal as SQNR in dB, at most kPerfect; and back.
double to_decibels(double noise);
double noise_of(double decibels);

class PrecisionSearch {
 public:
  /// Everything must outlive it.
  PrecisionSearch(analysis::PartialModels& models, const PrecisionForms& forms, RecordSource& data, const RecommendOptions& options);

  /// Growing sets, the first of them empty: of falling error and growing cost, or the other way round where the precision saves bytes.
  Result<std::vector<PrecisionPoint>> run();
  /// Simulates one set over all records, those of repairs too: worst output, in dB.
  Result<double> simulate(const std::vector<int>& operators);

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
  Result<std::vector<double>> noises(const std::vector<analysis::PartSet>& trials, const analysis::PartSet& base,
                                     const std::vector<std::int64_t>& records);
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
  RecordSource& data_;
  const RecommendOptions& options_;
  std::vector<std::int64_t> all_, few_;  ///< records to look for sets with; those of the search, the worst of them
  std::vector<std::int64_t> told_;       ///< all, and those that repairs are fitted to and judged on: sets are told by these
  std::vector<int> outputs_;             ///< real-valued outputs of the float graph
  std::vector<Move> moves_;
};

}  // namespace visq::diagnosis
