// Which feature map of one model stands for which of the other: by names, weights, and what stands around them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "visq/model.h"
#include "visq/pairing.h"

namespace visq::quant {

struct TensorMatch {
  int reference = 0;  ///< tensor indices
  int quantized = 0;
  PairedBy by = PairedBy::kName;
  bool sure = true;                                  ///< no other map could as well be the partner
  std::optional<double> weights = std::nullopt;      ///< likeness of the weights of the operators that make them
  std::optional<double> correlation = std::nullopt;  ///< of a rule by their values
};

/// A rule that took two maps from each other.
struct DoubtfulMatch {
  int reference = 0, quantized = 0;
  double correlation = 0;
};

struct UnpairedTensor {
  bool in_reference = false;
  int tensor = 0;
  std::string reason;
};

/// Pairing of the feature maps (graph inputs and operator outputs) of two subgraphs. Each map has at most one partner.
struct Pairing {
  std::vector<TensorMatch> matches;      ///< in the reference's graph order
  std::vector<UnpairedTensor> unpaired;  ///< reference's first, each in graph order
  std::vector<DoubtfulMatch> doubtful;   ///< their maps are in neither list
};

/// A pair of subgraphs and what is paired in it.
struct GraphPairing {
  int reference_subgraph = 0, quantized_subgraph = 0;
  Pairing pairing;
  std::vector<std::pair<int, int>> calls;  ///< paired operators that call subgraphs: nodes of the one and the other
};

/// Pairs the main graphs, and from there on the subgraphs that paired operators call; each subgraph has at most one partner.
/// `input_order[i]`: position of the reference's graph input that feeds input i of `quantized`. The main graphs stand first; `rules` are
/// theirs, and outweigh what the models say.
std::vector<GraphPairing> pair_models(const Model& reference, const Model& quantized, const std::vector<int>& input_order,
                                      const std::vector<PairRule>& rules = {});

/// The same, found once for several steps of one analysis: the last answer is kept as long as both models live.
std::shared_ptr<const std::vector<GraphPairing>> pair_models_once(const std::shared_ptr<const Model>& reference,
                                                                  const std::shared_ptr<const Model>& quantized,
                                                                  const std::vector<int>& input_order, const std::vector<PairRule>& rules);

/// How alike the weights of paired operators of the main graphs are: per operator the likeness() of both models' largest constants, over at
/// most `sample` operators spread evenly. Empty where no paired operators have weights of the same size.
std::vector<double> weight_similarities(const Model& reference, const Model& quantized, const Pairing& pairing, std::size_t sample);

}  // namespace visq::quant
