// Index iteration: nested loops over strided operands with as few and as long innermost runs as possible.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "visq/shape.h"

namespace visq::kernels {

/// Elements between neighbours along each axis of a dense row-major tensor.
std::vector<std::int64_t> dense_strides(const Shape& shape);

/// Loops over one index space that N operands share, each with its own strides (in elements; 0 repeats, negative runs backwards).
/// Axes of size one vanish, and neighbouring axes that every operand walks evenly become one.
template <std::size_t N>
class Loops {
 public:
  using Offsets = std::array<std::int64_t, N>;

  Loops() = default;
  Loops(std::span<const std::int64_t> sizes, const std::array<std::vector<std::int64_t>, N>& strides) {
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      Offsets steps;
      for (std::size_t i = 0; i < N; ++i) steps[i] = strides[i][axis];
      append(sizes[axis], steps);
    }
  }

  bool empty() const { return empty_; }
  std::size_t depth() const { return axes_.size(); }
  std::int64_t size(std::size_t axis) const { return axes_[axis].size; }
  const Offsets& steps(std::size_t axis) const { return axes_[axis].steps; }
  /// The innermost axis: its length (1 where nothing is left to loop over) and each operand's step along it.
  std::int64_t run_length() const { return axes_.empty() ? 1 : axes_.back().size; }
  Offsets run_steps() const { return axes_.empty() ? Offsets{} : axes_.back().steps; }
  /// The same loops without one axis.
  Loops without(std::size_t axis) const {
    Loops copy = *this;
    copy.axes_.erase(copy.axes_.begin() + static_cast<std::ptrdiff_t>(axis));
    return copy;
  }

  /// Calls body(offsets) for every point of the outer `outer` axes, in row-major order.
  template <class Body>
  void for_each(std::size_t outer, Body&& body) const {
    if (empty_) return;
    std::array<std::int64_t, kMaxAxes> counters{};
    Offsets offsets{};
    while (true) {
      body(offsets);
      std::size_t axis = outer;
      while (axis > 0 && ++counters[axis - 1] == axes_[axis - 1].size) {
        --axis;
        counters[axis] = 0;
        for (std::size_t i = 0; i < N; ++i) offsets[i] -= axes_[axis].steps[i] * (axes_[axis].size - 1);
      }
      if (axis == 0) return;
      for (std::size_t i = 0; i < N; ++i) offsets[i] += axes_[axis - 1].steps[i];
    }
  }
  /// Calls body(offsets) for the start of every innermost run.
  template <class Body>
  void for_each_run(Body&& body) const {
    for_each(axes_.empty() ? 0 : axes_.size() - 1, std::forward<Body>(body));
  }

 private:
  struct Axis {
    std::int64_t size = 0;
    Offsets steps{};
  };
  /// Axes of two or more elements whose product is an int64.
  static constexpr std::size_t kMaxAxes = 63;

  void append(std::int64_t size, const Offsets& steps) {
    if (size == 0) empty_ = true;
    if (empty_) axes_.clear();
    if (size == 1 || empty_) return;
    const auto walks_evenly = [&](const Axis& outer) {
      for (std::size_t i = 0; i < N; ++i) {
        if (outer.steps[i] != steps[i] * size) return false;
      }
      return true;
    };
    if (!axes_.empty() && walks_evenly(axes_.back())) {
      axes_.back() = {axes_.back().size * size, steps};
    } else {
      axes_.push_back({size, steps});
    }
  }

  std::vector<Axis> axes_;
  bool empty_ = false;
};

}  // namespace visq::kernels
