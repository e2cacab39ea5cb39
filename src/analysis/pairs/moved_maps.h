// Which feature maps hold the values of other ones in another order, so that they need no look of their own.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/pairs/map_pair.h"
#include "core/as_size.h"
#include "visq/model.h"

namespace visq::analysis {

inline constexpr std::size_t kNotMoved = as_size(-1);

/// Per pair: the one whose maps both models put in another order to get this one's (TRANSPOSE, RESHAPE; OpDef::reorders), the same order
/// in both and on the same grid, so that sums over the pairs of elements are the same but for their rounding. kNotMoved where there is
/// none, or where it is not wanted.
std::vector<std::size_t> find_moved(const Model& reference, const Model& quantized, const std::vector<MapPair>& pairs,
                                    const std::vector<bool>& wanted);

}  // namespace visq::analysis
