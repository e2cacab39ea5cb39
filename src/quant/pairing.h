// Which feature map of one model stands for which of the other: by name, then by structure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "visq/compare.h"
#include "visq/model.h"

namespace visq::quant {

struct TensorMatch {
  int reference = 0;  ///< tensor indices
  int quantized = 0;
  PairedBy by = PairedBy::kName;
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
};

/// A pair of subgraphs and what is paired in it.
struct GraphPairing {
  int reference_subgraph = 0, quantized_subgraph = 0;
  Pairing pairing;
  std::vector<std::pair<int, int>> calls;  ///< paired operators that call subgraphs: nodes of the one and the other
};

/// Pairs the main graphs, and from there on the subgraphs that paired operators call; each subgraph has at most one partner.
/// `input_order[i]`: position of the reference's graph input that feeds input i of `quantized`. The main graphs stand first.
std::vector<GraphPairing> pair_models(const Model& reference, const Model& quantized, const std::vector<int>& input_order);

/// How alike the weights of paired operators of the main graphs are: per operator the cosine of both models' largest constant after
/// dequantization, over at most `sample` operators spread evenly. Empty where no paired operators have weights of the same size.
std::vector<double> weight_similarities(const Model& reference, const Model& quantized, const Pairing& pairing, std::size_t sample);

}  // namespace visq::quant
