// What operators become in another precision: which of them kernels take there, on which grids and with which weights, and what it costs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/trials/partial_models.h"
#include "visq/recommend.h"

namespace visq::diagnosis {

/// One of precision_kinds(). Errors: kUsage where there is none of that name.
Result<const PrecisionKind*> precision_named(const std::string& name);

/// What a set of operators in the other precision costs, beyond the quantized model.
struct PrecisionCost {
  std::int64_t bytes = 0;      ///< of constants
  std::int64_t map_bytes = 0;  ///< of maps in one run, with the copies at borders
  int conversions = 0;         ///< of these
  double mac_bits = 0;
  std::int64_t all_bytes() const { return bytes + map_bytes; }
};

class PrecisionForms {
 public:
  /// The models must outlive it; their parts get the other form. Errors: kBadInput where no operator can have it.
  static Result<PrecisionForms> create(analysis::PartialModels& models, const PrecisionKind& kind);

  const PrecisionKind& kind() const { return *kind_; }
  /// Operators that can have it, in graph order.
  const std::set<int>& candidates() const { return candidates_; }
  /// Groups of candidates that free something together: those around a map, and those at the model's inputs and outputs.
  std::vector<std::set<int>> groups() const;
  /// What is quantized, and how, where these candidates have the other precision.
  analysis::PartSet with(const std::set<int>& chosen) const;
  PrecisionCost cost_of(const std::set<int>& chosen) const;
  /// Whether the model's inputs, or outputs, have the other precision too.
  bool inputs_follow(const std::set<int>& chosen) const;
  bool outputs_follow(const std::set<int>& chosen) const;
  double weight_bytes() const { return weight_bytes_; }
  double mac_bits() const { return mac_bits_; }

 private:
  using Node = analysis::QuantizedParts::Node;
  struct Map {
    int tensor = 0;
    int maker = -1;  ///< quantized operator; -1: none
    bool input = false, output = false;
    std::vector<std::pair<int, int>> readers;  ///< quantized operators, and the slots where they read it
  };
  PrecisionForms(analysis::PartialModels& models, const PrecisionKind& kind) : models_(models), kind_(&kind) {}
  bool takes(const Node& node) const;
  PrecisionCost cost_of_node(const Node& node);
  void find_maps();
  TensorInfo wide_grid(const Map& map) const;
  bool follows(const Map& map, const std::set<int>& chosen) const;
  void add_map_cost(const Map& map, const std::set<int>& chosen, PrecisionCost& cost) const;

  analysis::PartialModels& models_;
  const PrecisionKind* kind_;
  std::set<int> candidates_;
  std::map<int, PrecisionCost> costs_;
  std::vector<Map> maps_;  ///< that have a grid
  double weight_bytes_ = 0, mac_bits_ = 0;
};

/// Weights as they are stored with this many bits: symmetric, the largest of each group on the largest code. `group` says which group an
/// element belongs to. Source: the AI Edge Quantizer's symmetric min/max quantization.
std::vector<float> rounded_weights(std::vector<float> values, int bits, const std::function<std::size_t(std::size_t element)>& group);

}  // namespace visq::diagnosis
