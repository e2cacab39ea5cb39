// The layers of two models side by side, whatever their weights are: what shows whether the two are one network, trained once.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/model_edit.h"
#include "quant/graph_index.h"

namespace visq::diagnosis {

/// An output channel of a layer: quantized weights = factor * the reference's, as well as that fits.
struct ChannelFit {
  double cosine = 1;  ///< of both models' weights; 1 where both are zero, 0 where one is
  double factor = 1;  ///< least squares
};

/// Two layers of the same kind and shape of weights at the same place in their graphs.
struct LayerPair {
  int reference_node = 0, quantized_node = 0;
  std::size_t elements = 0;
  std::vector<ChannelFit> channels;
  double cosine = 1;            ///< of all weights
  double relative = 0;          ///< |quantized - reference| / |reference|
  std::optional<double> steps;  ///< RMS difference in steps of the weights' grid; rounding alone: at most 1/√12; nothing without one grid
  std::size_t emptied = 0;      ///< weights that are zero in the quantized model and more than a step off zero in the reference
  /// Rounding does not explain the difference.
  bool moved() const { return steps ? *steps > kMovedSteps && relative > kMovedShare : cosine < kMovedCosine; }
  static constexpr double kMovedSteps = 0.4, kMovedShare = 0.01, kMovedCosine = 0.95;
};

/// The layers with weights of both main graphs, the longest common row of them.
struct TwinLayers {
  std::vector<LayerPair> pairs;  ///< in graph order
  std::size_t in_reference = 0, in_quantized = 0;

  /// Every layer has its counterpart; fewer than kFewLayers say nothing.
  bool same_architecture() const { return pairs.size() == in_reference && pairs.size() == in_quantized && pairs.size() >= kFewLayers; }
  /// Middle one of the layers' cosines; 1 where there are none.
  double median_cosine() const;
  std::size_t moved() const;
  bool most_moved() const { return 2 * moved() > pairs.size(); }
  /// Weights that rounding cannot have made zero, as a share of all, and the layers in which they are many (kPrunedShare).
  struct Pruned {
    double share = 0;
    std::size_t layers = 0;
  };
  /// Nothing where the quantized model's weights were not pruned: few are zero, or few layers have them.
  std::optional<Pruned> pruned() const;
  static constexpr double kPrunedShare = 0.05;
  static constexpr std::size_t kFewLayers = 2;
};

/// Compares all weights of the main graphs.
TwinLayers twin_layers(const quant::GraphIndex& reference, const quant::GraphIndex& quantized);

/// The constant that holds a layer's weights; kNoTensor (-1) where it has none, or they are computed.
int weights_of(const quant::GraphIndex& graph, int node);

/// What makes the reference compute with the weights and biases of the quantized model, in float. Nothing where a layer has none in
/// float32.
std::optional<ModelEdit> own_weights(const quant::GraphIndex& reference, const quant::GraphIndex& quantized, const TwinLayers& layers);

}  // namespace visq::diagnosis
