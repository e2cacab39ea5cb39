// Builds the changes that repair one fault: new grids, new weights, new biases, and whatever must follow them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "diagnosis/subject.h"
#include "model/model_edit.h"

namespace visq::diagnosis {

/// The smallest grid of a type that holds [low, high] and, exactly, zero: asymmetric in 8 bits, zero point 0 in int16 and int4.
Quantization activation_grid(DType type, analysis::RealBounds range);

/// How the scales of weights are chosen.
enum class WeightScales : std::uint8_t { kKeep, kPerTensor, kPerChannel };

class Repair {
 public:
  explicit Repair(const Subject& subject) : subject_(subject) {}

  /// Gives feature maps a new grid.
  void regrid(const std::vector<int>& tensors, const Quantization& grid);
  /// Gives feature maps a grid of 16 bits (32 where they have 16) over exactly this range, since ranges may stand for an activation
  /// (RELU6). Kernels know no such mixture: for fake quantization only.
  void widen(const std::vector<int>& tensors, analysis::RealBounds range);
  /// Quantizes the reference's weights again. False where they cannot be stored in the constant's type.
  bool reweight(const PairedConstant& weight, WeightScales scales);
  /// As above, the scale of each channel at least `scales`.
  bool reweight(const PairedConstant& weight, const std::vector<double>& least_scales);
  /// Stores the reference's weights in 16 bits. For fake quantization only.
  bool widen_weights(const PairedConstant& weight);
  /// Moves the codes of weights down by this many steps (where kernels know zero points, the zero point up). False for other types than
  /// int8 and uint8.
  bool move_codes(const PairedConstant& weight, std::int64_t steps);
  /// Gives a constant that is no layer's weights other values, and the grid that these need. False where they cannot be stored in its type.
  bool replace(int constant, const std::vector<float>& values);
  /// Gives a layer's bias these real values.
  void rebias(int node, std::vector<double> values);
  /// Takes the reference's bias.
  void rebias(const PairedConstant& bias);

  /// All changes: the biases of layers whose input or weights have new scales are quantized again.
  ModelEdit finish();

 private:
  const Quantization& grid_of(int tensor) const;
  void store(const PairedConstant& constant, const std::vector<float>& values, Quantization grid, DType type);
  void follow(int node);
  bool store_bias(int node, int tensor, const std::vector<double>& values);
  /// `edited`: with the changes so far.
  std::vector<double> accumulator_scales(int node, std::size_t channels, bool edited = true) const;
  std::vector<double> unrounded_bias(int node, const std::vector<double>& now, const std::vector<std::int64_t>& codes) const;

  const Subject& subject_;
  ModelEdit edit_;
  std::set<int> touched_;                          ///< layers whose accumulator has another scale
  std::map<int, std::vector<double>> new_biases_;  ///< by node
};

/// The channels of a constant's weights: axis, count, and elements between them.
struct ChannelLayout {
  int axis = 0;
  std::int64_t channels = 1, inner = 1;
  std::size_t channel_of(std::size_t element) const { return element / as_size(inner) % as_size(channels); }
};
ChannelLayout channel_layout(const Operator& op, const TensorInfo& weight);

}  // namespace visq::diagnosis
