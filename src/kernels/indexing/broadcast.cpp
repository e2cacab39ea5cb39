#include "kernels/indexing/broadcast.h"

#include "core/as_size.h"

namespace visq::kernels {

std::optional<Shape> broadcast_shape(std::span<const Shape* const> shapes) {
  int rank = 0;
  for (const Shape* shape : shapes) rank = std::max(rank, shape->rank());
  std::vector<std::int64_t> dims(as_size(rank), 1);
  for (const Shape* shape : shapes) {
    for (int axis = 0; axis < shape->rank(); ++axis) {
      std::int64_t& size = dims[as_size(rank - shape->rank() + axis)];
      if ((*shape)[axis] == 1 || (*shape)[axis] == size) continue;
      if (size != 1) return std::nullopt;
      size = (*shape)[axis];
    }
  }
  return Shape(std::move(dims));
}

std::vector<std::int64_t> broadcast_strides(const Shape& from, const Shape& to) {
  const auto dense = dense_strides(from);
  std::vector<std::int64_t> strides(as_size(to.rank()), 0);
  const auto lead = as_size(to.rank() - from.rank());
  for (std::size_t axis = 0; axis < dense.size(); ++axis) {
    if (from[static_cast<int>(axis)] != 1) strides[lead + axis] = dense[axis];
  }
  return strides;
}

template <std::size_t N>
Result<Broadcast<N>> Broadcast<N>::plan(PrepareContext& context, DType output) {
  std::array<const Shape*, N> shapes;
  for (std::size_t i = 0; i < N; ++i) shapes[i] = &context.input(static_cast<int>(i)).shape;
  auto shape = broadcast_shape(shapes);
  if (!shape) {
    std::string list;
    for (const Shape* one : shapes) list += (list.empty() ? "" : " and ") + to_string(*one);
    return context.fail("shapes {} do not broadcast", list);
  }
  VISQ_TRY(context.set_output(0, output, *shape));
  std::array<std::vector<std::int64_t>, N> strides;
  for (std::size_t i = 0; i < N; ++i) strides[i] = broadcast_strides(*shapes[i], *shape);
  Broadcast broadcast;
  broadcast.loops_ = Loops<N>(shape->dims(), strides);
  return broadcast;
}

template <std::size_t N>
std::optional<typename Broadcast<N>::ShortRuns> Broadcast<N>::short_runs() const {
  constexpr std::int64_t kShort = 64, kMany = 8;  // elements, runs: below, laying out the operand costs what it saves
  const std::int64_t length = loops_.run_length();
  if (loops_.depth() < 2 || length > kShort || loops_.size(loops_.depth() - 2) < kMany) return std::nullopt;
  std::optional<std::size_t> repeats;
  for (std::size_t i = 0; i < N; ++i) {
    if (steps()[i] == 1 && loops_.steps(loops_.depth() - 2)[i] == length) continue;
    if (repeats || (steps()[i] == 1 && loops_.steps(loops_.depth() - 2)[i] != 0)) return std::nullopt;
    repeats = i;
  }
  if (!repeats) return std::nullopt;
  return ShortRuns{*repeats, length, loops_.size(loops_.depth() - 2), loops_.steps(loops_.depth() - 2)[*repeats]};
}

template class Broadcast<2>;
template class Broadcast<3>;

}  // namespace visq::kernels
