// Random networks, each drawn up twice as two converters would, with the truth about which feature map is which.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/models/small_model.h"

namespace visq::testing {

/// What a network computes, whoever wrote the file. Layers are in an order in which they can run.
struct NetworkLayer {
  enum class Kind : std::uint8_t { kConv, kDepthwise, kAdd, kGate, kConcat, kPool, kSquash, kSplit };
  Kind kind = Kind::kConv;
  std::vector<int> inputs;  ///< layers; -1: the network's input
  int size = 8, channels = 8;
  bool batch_norm = false, relu = false;
  int window = 1;          ///< of pools
  int part = 0;            ///< kSplit: which of two halves of the channels
  int branch = -1;         ///< layers of different branches at the same place have equal shapes
  std::uint32_t seed = 0;  ///< of its weights
};
struct Network {
  std::vector<NetworkLayer> layers;
  std::vector<int> outputs;
  int input_channels = 3;
};

Network random_network(std::mt19937& random);

/// How a converter writes networks.
struct Handwriting {
  enum class Names : std::uint8_t { kOwn, kSuffixed, kLists, kLost, kCrossed, kEmpty };
  Names names = Names::kOwn;
  bool quantized = false;    ///< int8 weights and maps, QUANTIZE and DEQUANTIZE at the ends
  bool requantizes = false;  ///< QUANTIZE before some operators
  bool fuses = false;        ///< activations into the operators before them
  bool drops_relu = false;   ///< and leaves out those that the range of the map does already
  bool folds = false;        ///< batch norms into weights and biases
  bool transposes = false;   ///< TRANSPOSE before and behind some operators
  bool cuts = false;         ///< STRIDED_SLICE in place of SPLIT
  bool shuffles = false;     ///< another order of operators, of the inputs of ADD, and of the graph's outputs
  float weight_noise = 0;    ///< of weights, relative: trained on
  std::string prefix = "net/";
};

Handwriting random_float_handwriting(std::mt19937& random);
Handwriting random_twin_handwriting(std::mt19937& random);

struct WrittenNetwork {
  std::shared_ptr<const Model> model;
  /// What stands in each feature map: the same word for the same values, whoever wrote them.
  std::map<int, std::string> meaning;
};

WrittenNetwork write_network(const Network& network, const Handwriting& hand, std::mt19937& random);

}  // namespace visq::testing
