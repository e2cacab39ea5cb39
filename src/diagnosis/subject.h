// The pair of models under diagnosis: which operators and tensors of the main graphs stand for each other, and which tensors of the
// quantized one must share a grid.
#pragma once

#include <memory>
#include <vector>

#include "analysis/facts/map_identity.h"
#include "analysis/trials/quantized_parts.h"
#include "core/as_size.h"
#include "quant/graph_index.h"
#include "quant/pairing.h"

namespace visq::diagnosis {

/// A constant that both models have at the same place of an operator, quantized in the one.
struct PairedConstant {
  int node = 0;  ///< operator of the quantized model
  int slot = 0;
  int tensor = 0;          ///< of the quantized model
  bool bias = false;       ///< its grid is that of the operator's accumulator
  int reference_node = 0;  ///< operator of the reference
  int reference = 0;       ///< tensor of the reference
};

class Subject {
 public:
  /// `pairs`: RunRequest::pairs. Errors: kBadInput where the models have nothing in common.
  static Result<std::unique_ptr<Subject>> create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                 const std::vector<PairRule>& pairs = {});
  /// The same pair with edits in the quantized model, which leave its graph as it is: nothing is paired again.
  std::unique_ptr<Subject> with_edits(std::shared_ptr<const Model> edited) const;

  const Model& reference() const { return *reference_; }
  const Model& quantized() const { return *quantized_; }
  const std::shared_ptr<const Model>& reference_model() const { return reference_; }
  const std::shared_ptr<const Model>& quantized_model() const { return quantized_; }
  const quant::GraphIndex& r() const { return r_; }
  const quant::GraphIndex& q() const { return q_; }
  const analysis::MapNames& names() const { return names_; }
  const analysis::MapNames& reference_names() const { return reference_names_; }
  /// What people are told of a tensor of the quantized model: the short name of the map that it stands for, as compare's tables have it;
  /// its own where there is none.
  const std::string& shown(int quantized_tensor) const {
    const int partner = reference_of(quantized_tensor);
    return partner >= 0 ? reference_names_.display(partner) : names_.display(quantized_tensor);
  }

  /// The reference's feature map that a feature map of the quantized model stands for, also behind QUANTIZE and DEQUANTIZE; -1: none.
  int reference_of(int quantized_tensor) const { return partner_[as_size(quantized_tensor)]; }
  /// In graph order; weights and biases of all paired operators.
  const std::vector<PairedConstant>& constants() const { return constants_; }
  /// The bias of an operator of the quantized model; null where it has none that is paired.
  const PairedConstant* bias_of(int node) const;

  /// Quantized tensors that kernels hand on as stored integers among each other, in graph order; at least the tensor itself.
  const std::vector<int>& tied(int quantized_tensor) const { return groups_[group_[as_size(quantized_tensor)]]; }
  std::size_t group(int quantized_tensor) const { return group_[as_size(quantized_tensor)]; }

 private:
  Subject(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized);
  /// Takes over what a pairing says of the main graphs.
  void use(std::shared_ptr<const quant::GraphPairing> pairing);
  void find_constants();
  bool ties(const Operator& op) const;
  void find_groups();

  std::shared_ptr<const Model> reference_, quantized_;
  quant::GraphIndex r_, q_;
  analysis::MapNames reference_names_, names_;
  std::shared_ptr<const quant::GraphPairing> pairing_;
  std::vector<int> partner_;
  std::vector<PairedConstant> constants_;
  std::vector<std::size_t> group_;
  std::vector<std::vector<int>> groups_;
};

}  // namespace visq::diagnosis
