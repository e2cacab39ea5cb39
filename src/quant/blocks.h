// Parts of two graphs that compute the same by other operators: a normalization that one converter writes as one operator, another as five.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "quant/pair_side.h"

namespace visq::quant {

/// What makes a map from the nearest maps before it that have partners.
struct Block {
  std::vector<int> operators;  ///< ascending, without QUANTIZE and DEQUANTIZE
  std::set<int> begins;        ///< tensors with partners, or graph inputs without
};

/// Nothing where there are more operators than a layer takes.
std::optional<Block> block_behind(const PairSide& side, int tensor);

/// Both maps are made from the same paired maps, with the same constants, by blocks of which each takes at least one operator.
bool same_block(const PairSide& r, int r_tensor, const PairSide& q, int q_tensor);

/// "before 'linear' stand there MUL, MEAN, RSQRT": for an operator without partner whose work leads to a map with one. Empty where the
/// other graph has nothing in its place.
std::string done_otherwise(const PairSide& own, int op, const PairSide& other);

}  // namespace visq::quant
