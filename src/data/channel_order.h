// Maps that hold the same values with their channels in another place: NCHW and NHWC, NCL and NLC.
#pragma once

#include <cstdint>
#include <vector>

#include "visq/dumps/dump_layout.h"
#include "visq/shape.h"
#include "visq/tensor.h"

namespace visq::data {

/// How the elements of one map stand in another: a permutation of [batch, rows, columns] to [batch, columns, rows], or none.
struct ChannelMove {
  std::int64_t rows = 1, columns = 1;
  bool moves() const { return rows > 1 && columns > 1; }
  /// Where element `i` of the map stands in the other.
  std::int64_t place_of(std::int64_t i) const {
    const std::int64_t plane = rows * columns, within = i % plane;
    return i - within + within % columns * rows + within / columns;
  }
};

/// The shape without axes of size 1.
std::vector<std::int64_t> without_ones(const Shape& shape);

/// The ways in which a map of shape `from` may be one of shape `to`, axes of size 1 aside: as it is, with the channels moved to the front
/// (not where they are told to be there), or moved to the end (likewise). Maps of fewer than three axes have no channels to move.
std::vector<ChannelMove> possible_moves(const Shape& from, const Shape& to, ChannelOrder told);

ChannelOrder told(const ChannelOrders& orders, const std::string& name);

/// The array with its elements moved, in this shape, which has as many.
Array moved(const Array& array, const ChannelMove& move, const Shape& to);

}  // namespace visq::data
