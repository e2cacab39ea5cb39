// Which maps of a dump and of a model belong together: what names propose and values confirm.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/facts/correlation.h"
#include "analysis/facts/map_identity.h"
#include "data/channel_order.h"
#include "visq/dumps/dump_layout.h"
#include "visq/pairing.h"
#include "visq/run.h"

namespace visq::analysis {

/// A map of the dump and one of the model.
struct DumpPair {
  std::size_t dumped = 0;  ///< position among the dump's tensors
  int tensor = -1;         ///< of the model's main graph
  PairedBy by = PairedBy::kName;
  std::optional<double> correlation;  ///< of their values in the first records; nothing where one does not vary
  data::ChannelMove move;             ///< from the dump's order to the model's
  bool limited = false;               ///< compared with the dump's map limited as the operator limits its result
};

class DumpPairs {
 public:
  /// `tensors`: of the dump's first record; `channels`: where theirs stand. All must outlive this. `same_model`: both number their tensors
  /// alike.
  DumpPairs(const Model& model, const MapNames& names, const std::vector<DumpTensor>& tensors, const ChannelOrders& channels,
            bool same_model);

  /// Takes samples of the dump's maps in a record that is about to be run.
  Status begin(std::int64_t record, DumpReader& dump);
  /// Holds a map of the model against them.
  void see(const FeatureMap& map);

  /// In the order of the model's maps.
  std::vector<DumpPair> pair();
  /// After pair(): why a map of the dump has no partner.
  std::string why_alone(std::size_t dumped) const;

 private:
  /// One way in which the two may be the same.
  struct Way {
    data::ChannelMove move;
    bool limited = false;
    Correlation correlation;
  };
  struct Candidate {
    std::size_t dumped = 0;
    int tensor = -1, step = -1;
    bool named = false, has_weights = false;
    std::vector<Way> ways;
    const Way* best = nullptr;
    double likeness = -2;  ///< the best way's correlation; -2: there is none
  };
  struct Samples {
    std::vector<std::int64_t> places;  ///< flat, in the dump's map
    std::vector<float> values;         ///< empty: the record lacks the map
  };

  bool bears_name(const DumpTensor& tensor, const FeatureMap& map) const;
  std::vector<Candidate>& candidates_of(const FeatureMap& map);
  bool likest(const Candidate& candidate) const;
  void find_best();
  std::string reason_of(std::size_t dumped, const std::map<int, std::size_t>& partner) const;

  const Model& model_;
  const MapNames& names_;
  const std::vector<DumpTensor>& tensors_;
  const ChannelOrders& channels_;
  bool same_model_;
  std::vector<Samples> samples_;
  std::map<int, std::vector<Candidate>> candidates_;  ///< by the model's tensor
  std::vector<double> best_of_dumped_;
  std::map<int, double> best_of_tensor_;
  std::vector<std::string> alone_;
  std::vector<float> scratch_;
  std::vector<int> step_of_;  ///< per tensor of the model, the operator that makes it; -1: none
};

}  // namespace visq::analysis
