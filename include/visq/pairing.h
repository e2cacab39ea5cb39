// Which feature maps of two models belong together: by what evidence they were paired, what a user says about it, and what their values
// say.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visq/data.h"
#include "visq/model.h"
#include "visq/sequence.h"
#include "visq/status.h"

namespace visq {

/// By what evidence two maps were paired, the strongest where there are several: their names; what they read and feed (kStructure); the
/// weights of the layers that make them; their values in a record; the user.
enum class PairedBy : std::uint8_t { kName, kStructure, kWeights, kMaps, kUser };
/// "name", "structure", "weights", "maps", "user".
std::string_view name(PairedBy by);

/// What is known about the partner of a map beyond what the models say. It outweighs all that they do.
struct PairRule {
  int reference = -1, quantized = -1;  ///< tensors of the main graphs; one of them -1: the other has no partner
  PairedBy by = PairedBy::kUser;       ///< kUser or kMaps
  double correlation = 0;              ///< kMaps: of both maps in one record, -1 … 1
  bool doubtful = false;               ///< kMaps: the models say that these are partners, but their values do not: neither has a partner

  /// Correlations aside, which differ from record to record.
  bool operator==(const PairRule& other) const {
    return reference == other.reference && quantized == other.quantized && by == other.by && doubtful == other.doubtful;
  }
};

/// What a user says, by tensors' names.
struct PairWishes {
  std::vector<std::string> pairs;  ///< "A=B": map A of the reference and map B of the other belong together
  std::vector<std::string> apart;  ///< maps of either model that are to have no partner
};

/// The same as rules. Errors: kUsage where a name is none of a feature map of the main graph, or a map is given two partners.
Result<std::vector<PairRule>> pair_rules(const Model& reference, const Model& quantized, const PairWishes& wishes);

/// The rules, and what the values of a record say about pairs that the models leave open (several maps could as well be the partner): each
/// is confirmed (correlation of at least 0.5), corrected (another of them has at least 0.8, and 0.1 more), or doubtful. Runs both models on
/// record `index` where there are such pairs, and not at all where there are none. Correlation: Pearson's, over at most 8192 elements
/// spread evenly; maps that are constant or not finite say nothing. Errors: those of reading the record and of running the models.
Result<std::vector<PairRule>> judge_pairs(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                                          RecordSource& data, std::int64_t index, const SequenceOptions& sequence,
                                          std::vector<PairRule> rules);

}  // namespace visq
