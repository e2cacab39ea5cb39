// Which operators to keep in higher precision: a greedy search over partly quantized runs that measures every set again, since gains of
// operators do not add up.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "analysis/trials/partial_models.h"
#include "visq/recommend.h"

namespace visq::diagnosis {

class PrecisionSearch {
 public:
  /// Everything must outlive it.
  PrecisionSearch(analysis::PartialModels& models, RecordSource& data, const RecommendOptions& options);

  /// Sets of growing cost and falling error; the first is empty.
  Result<std::vector<PrecisionPoint>> run();
  /// Simulates one set over all records: worst output, in dB.
  Result<double> simulate(const std::vector<int>& operators);
  /// What is quantized while these operators are not.
  analysis::PartSet quantized_beside(const std::set<int>& kept) const;
  std::size_t operators() const { return costs_.size(); }
  double weight_bytes() const { return weight_bytes_; }
  double mac_bits() const { return mac_bits_; }

 private:
  /// Operators that join the set together.
  struct Move {
    std::vector<int> operators;
    double noise_won = 0;  ///< when last measured
  };
  struct Cost {
    std::int64_t bytes = 0;
    double mac_bits = 0;
  };
  void find_costs();
  void find_moves();
  Cost cost_of(const std::set<int>& kept) const;
  double price(const Move& move, const std::set<int>& kept) const;
  Result<std::vector<double>> noises(const std::vector<analysis::PartSet>& trials, const analysis::PartSet& base,
                                     const std::vector<std::int64_t>& records);
  Status choose_records();
  /// What the search has reached.
  struct State {
    std::set<int> kept;
    std::vector<int> order;  ///< the same as they were chosen
    double noise = 0;
  };
  Result<State> begin();
  Result<bool> take_best(State& state);
  Status measure(State& state, std::size_t first, std::size_t last);
  bool fits_budget(const Move& move, const std::set<int>& kept) const;
  bool done(const State& state) const;

  analysis::PartialModels& models_;
  RecordSource& data_;
  const RecommendOptions& options_;
  std::vector<std::int64_t> all_, few_;    ///< all records; those of the search, the worst of them
  std::vector<int> outputs_;               ///< real-valued outputs of the float graph
  std::map<int, Cost> costs_;              ///< by operator
  std::map<int, std::set<int>> touching_;  ///< by feature map: operators that must leave for it to be free
  std::vector<Move> moves_;
  double weight_bytes_ = 0, mac_bits_ = 0;
};

}  // namespace visq::diagnosis
