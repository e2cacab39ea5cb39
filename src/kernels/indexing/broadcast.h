// Broadcasting: shapes are aligned at their last axes, axes of size one repeat (numpy's rule).
#pragma once

#include <optional>

#include "kernels/indexing/indexing.h"
#include "kernels/op.h"

namespace visq::kernels {

/// The shape that all of `shapes` broadcast to; nothing where they do not.
std::optional<Shape> broadcast_shape(std::span<const Shape* const> shapes);

/// Strides of a dense tensor of shape `from` when walked as `to`; 0 along axes that repeat. `from` must broadcast to `to`.
std::vector<std::int64_t> broadcast_strides(const Shape& from, const Shape& to);

/// The first N inputs of an operator, broadcast to one shape. Along a run each steps by 0 or 1, the dense output by 1.
template <std::size_t N>
class Broadcast {
 public:
  /// Declares output 0 as `output`. Errors: shapes that do not fit together, with their sizes.
  static Result<Broadcast> plan(PrepareContext& context, DType output);

  /// Calls body(offsets, start, length) for every run: where each operand and the output start.
  template <class Body>
  void for_each_run(Body&& body) const {
    const std::int64_t length = loops_.run_length();
    std::int64_t start = 0;
    loops_.for_each_run([&](const auto& offsets) {
      body(offsets, start, length);
      start += length;
    });
  }
  /// Each operand's step along a run, 0 or 1.
  std::array<std::int64_t, N> steps() const { return loops_.run_steps(); }

  /// Many short runs behind each other that all meet the same run of one operand, [224, 224, 3] and [3], or one element of it each,
  /// [224, 224, 3] and [224, 224, 1].
  struct ShortRuns {
    std::size_t repeats;  ///< the operand; all others are dense
    std::int64_t length, count;
    std::int64_t step;  ///< of that operand from run to run, where it stands still in a run; else 0
  };
  std::optional<ShortRuns> short_runs() const;
  /// Where there are short runs: calls body(offsets, start) for every `count` of them.
  template <class Body>
  void for_each_block(const ShortRuns& runs, Body&& body) const {
    std::int64_t start = 0;
    loops_.for_each(loops_.depth() - 2, [&](const auto& offsets) {
      body(offsets, start);
      start += runs.length * runs.count;
    });
  }

 private:
  Loops<N> loops_;
};

}  // namespace visq::kernels
