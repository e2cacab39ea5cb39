// Which feature map of one model stands for which of the other: by name, then by structure.
#pragma once

#include <string>
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

/// Pairs subgraph 0 of both models. `input_order[i]`: position of the reference's graph input that feeds input i of `quantized`.
Pairing pair_models(const Model& reference, const Model& quantized, const std::vector<int>& input_order);

/// How alike the weights of paired operators are: per operator the cosine of both models' largest constant after dequantization,
/// over at most `sample` operators spread evenly. Empty where no paired operators have weights of the same size.
std::vector<double> weight_similarities(const Model& reference, const Model& quantized, const Pairing& pairing, std::size_t sample);

}  // namespace visq::quant
