// What speaks for two operators being the same layer, looked at by themselves: names, weights, biases, options.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "quant/constant_likeness.h"
#include "quant/operator_graph.h"
#include "quant/work.h"

namespace visq::quant {

struct Evidence {
  double name = 0;                ///< 0: nothing in common, 1: a name that both have and nobody else
  std::optional<double> weights;  ///< likeness; nothing where one has none that can be read
  double details = 0;             ///< options, small constants and biases: above 0 where they agree
};

/// Same sizes; an axis that the file leaves open (-1 in the signature) fits any size.
bool shapes_fit(const TensorInfo& a, const TensorInfo& b);
/// Also where one has its channels in front and the other at the end.
bool shapes_fit_turned(const TensorInfo& a, const TensorInfo& b);

/// The same options and integer constants; they tell nothing where they are those of another format.
bool same_details(const GraphIndex& r, int r_op, const GraphIndex& q, int q_op);

class EvidenceBook {
 public:
  /// Both must outlive it.
  EvidenceBook(const OperatorGraph& reference, const OperatorGraph& quantized);
  /// Nothing where they cannot be the same: other work, shapes of outputs, or numbers of weights.
  std::optional<Evidence> look(int r_op, int q_op);

 private:
  /// A name of an operator, and how much it counts.
  using Names = std::unordered_map<std::string_view, double>;
  struct Side {
    const OperatorGraph& graph;
    std::vector<Names> names;                                              ///< per operator
    std::map<std::pair<std::string_view, std::string_view>, int> bearers;  ///< work and name: how many bear it
    std::vector<std::optional<ConstantLook>> weights, biases;
    std::vector<bool> seen;  ///< per operator: weights and biases were looked at
  };
  void read_names(Side& side) const;
  void look_at_constants(Side& side, int op) const;
  double name_evidence(int r_op, int q_op) const;
  double detail_evidence(int r_op, int q_op) const;

  Works works_;
  Side r_, q_;
};

}  // namespace visq::quant
