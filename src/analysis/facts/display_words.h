// A tensor's name read as converters write it: paths of layers, joined by ';', with the word of an operator at their end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace visq::analysis {

/// A layer's place in the network, and what is computed there: "model/dense_58/Tensordot/MatMul" is the layer "dense_58".
/// A path of PyTorch modules ("nets.Decoder/torch.nn.modules.linear.Linear_dn") is its attributes' path, "decoder.dn"; of a node of its
/// traced graph ("torch.nn.modules.linear.Linear::linear_1") it is the node, "linear_1".
class LayerPath {
 public:
  /// `path`: without what converters append to it; `op`: the operator type that makes the tensor, empty: none; `count`: a converter's
  /// number for one of many operators of a place, empty: none.
  LayerPath(std::string_view path, std::string_view op, std::string_view count = {});

  /// The path without what is computed there: equal for all that belongs to one layer.
  const std::string& layer() const { return layer_; }
  /// What is computed there, as the name says it; empty where it does not.
  const std::string& work() const { return work_; }
  /// What to call it, the best first: the layer's own word; with its work; with the words before it, the nearest first.
  std::vector<std::string> choices() const;

 private:
  std::vector<std::string> words_;  ///< of the layer
  std::string layer_, work_, count_;
  std::string_view separator_ = "/";
};

/// One of the names that a joined name is made of.
struct NamePart {
  LayerPath path;
  int kinship = 0;  ///< 2: its work is the operator's; 1: a bias, which operators with weights have; 0: anything else
};

/// Nothing for a name that says nothing (empty, or made up by a converter).
std::vector<NamePart> name_parts_of(std::string_view name, std::string_view op);

}  // namespace visq::analysis
