#include "data/channel_order.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"

namespace visq::data {
namespace {

std::vector<std::int64_t> dims_of(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

/// The dimensions with the axis `from` taken to `to`.
Shape with_axis_moved(const Shape& shape, int from, int to) {
  auto dims = dims_of(shape);
  const std::int64_t size = dims[as_size(from)];
  dims.erase(dims.begin() + from);
  dims.insert(dims.begin() + to, size);
  return Shape(std::move(dims));
}

}  // namespace

std::vector<std::int64_t> without_ones(const Shape& shape) {
  auto dims = dims_of(shape);
  std::erase(dims, 1);
  return dims;
}

std::vector<ChannelMove> possible_moves(const Shape& from, const Shape& to, ChannelOrder told) {
  std::vector<ChannelMove> moves;
  const auto wanted = without_ones(to);
  if (without_ones(from) == wanted) moves.push_back({});
  const int rank = from.rank();
  if (rank < 3) return moves;
  const auto add = [&](const Shape& shape, ChannelMove move) {
    if (move.moves() && without_ones(shape) == wanted) moves.push_back(move);
  };
  if (told != ChannelOrder::kFirst) add(with_axis_moved(from, rank - 1, 1), {from.elements(1, rank - 1), from.back()});
  if (told != ChannelOrder::kLast) add(with_axis_moved(from, 1, rank - 1), {from[1], from.elements(2, rank)});
  return moves;
}

ChannelOrder told(const ChannelOrders& orders, const std::string& name) {
  const auto found = orders.find(name);
  return found == orders.end() ? ChannelOrder::kUnknown : found->second;
}

Array moved(const Array& array, const ChannelMove& move, const Shape& to) {
  Array result = array;
  result.shape = to;
  if (!move.moves()) return result;
  const std::int64_t count = array.shape.elements();
  const std::size_t size = array.bytes.size() / as_size(std::max<std::int64_t>(count, 1));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t place = move.place_of(i);
    if (array.strings.empty()) {
      std::memcpy(result.bytes.data() + as_size(place) * size, array.bytes.data() + as_size(i) * size, size);
    } else {
      result.strings[as_size(place)] = array.strings[as_size(i)];
    }
  }
  return result;
}

}  // namespace visq::data
