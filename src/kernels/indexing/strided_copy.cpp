#include "kernels/indexing/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "core/cpu_clones.h"

namespace visq::kernels {
namespace {

struct Element16 {
  std::uint64_t parts[2];
};

template <class T>
void copy_run(const T* source, std::int64_t source_step, T* target, std::int64_t target_step, std::int64_t length) {
  constexpr std::int64_t kShort = 16;  // below, a call of memcpy costs more than the loop
  if (source_step == 1 && target_step == 1 && length >= kShort) {
    std::copy_n(source, length, target);
  } else if (source_step == 0 && target_step == 1) {
    std::fill_n(target, length, *source);
  } else {
    for (std::int64_t i = 0; i < length; ++i) target[i * target_step] = source[i * source_step];
  }
}

/// A plane: `rows` along which the source is contiguous, `columns` along which the target is.
struct Plane {
  std::int64_t rows, columns, source_column_step, target_row_step;
};

template <class T>
void transpose_tile(const T* source, T* target, const Plane& plane, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      target[row * plane.target_row_step + column] = source[column * plane.source_column_step + row];
    }
  }
}

/// Eight rows of eight 32-bit elements at once.
[[gnu::always_inline]] inline void transpose_8x8(const std::uint32_t* source, std::uint32_t* target, const Plane& plane) {
  using Eight = std::uint32_t __attribute__((vector_size(32)));
  Eight a[8], b[8];
  for (std::int64_t i = 0; i < 8; ++i) std::memcpy(&a[i], source + i * plane.source_column_step, sizeof(Eight));
  for (int i = 0; i < 8; i += 2) {  // neighbours, then pairs, then halves change places
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int k = 0; k < 2; ++k) {
      a[i + 2 * k] = __builtin_shufflevector(b[i + k], b[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      a[i + 2 * k + 1] = __builtin_shufflevector(b[i + k], b[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (std::int64_t i = 0; i < 4; ++i) {
    b[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    b[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
  for (std::int64_t i = 0; i < 8; ++i) std::memcpy(target + i * plane.target_row_step, &b[i], sizeof(Eight));
}

VISQ_CPU_CLONES void transpose_blocks(const std::uint32_t* source, std::uint32_t* target, const Plane& plane, std::int64_t rows,
                                      std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; row += 8) {
    for (std::int64_t column = 0; column < columns; column += 8) {
      transpose_8x8(source + column * plane.source_column_step + row, target + row * plane.target_row_step + column, plane);
    }
  }
}

void transpose_tile(const std::uint32_t* source, std::uint32_t* target, const Plane& plane, std::int64_t rows, std::int64_t columns) {
  const std::int64_t full_rows = rows / 8 * 8, full_columns = columns / 8 * 8;
  transpose_blocks(source, target, plane, full_rows, full_columns);
  if (full_columns < columns) {
    transpose_tile<std::uint32_t>(source + full_columns * plane.source_column_step, target + full_columns, plane, full_rows,
                                  columns - full_columns);
  }
  transpose_tile<std::uint32_t>(source + full_rows, target + full_rows * plane.target_row_step, plane, rows - full_rows, columns);
}

/// Tile by tile, so that the lines of both sides stay in the first cache while they are used.
template <class T>
void transpose_plane(const T* source, T* target, const Plane& plane) {
  constexpr std::int64_t kTile = 32;
  for (std::int64_t row = 0; row < plane.rows; row += kTile) {
    for (std::int64_t column = 0; column < plane.columns; column += kTile) {
      transpose_tile(source + column * plane.source_column_step + row, target + row * plane.target_row_step + column, plane,
                     std::min(kTile, plane.rows - row), std::min(kTile, plane.columns - column));
    }
  }
}

}  // namespace

Walk dense_walk(const Shape& shape) { return {0, dense_strides(shape)}; }

StridedCopy::StridedCopy(const Shape& region, const Walk& source, const Walk& target)
    : loops_(region.dims(), {source.strides, target.strides}), source_offset_(source.offset), target_offset_(target.offset) {
  if (loops_.empty() || loops_.depth() < 2 || loops_.run_steps()[kSource] == 1 || loops_.run_steps()[kTarget] != 1) return;
  for (std::size_t axis = 0; axis + 1 < loops_.depth(); ++axis) {
    if (loops_.steps(axis)[kSource] != 1) continue;
    transposed_ = true;
    rows_ = loops_.size(axis);
    target_row_step_ = loops_.steps(axis)[kTarget];
    loops_ = loops_.without(axis);
    return;
  }
}

template <class T>
void StridedCopy::run_tiles(const T* source, T* target) const {
  const Plane plane{rows_, loops_.run_length(), loops_.run_steps()[kSource], target_row_step_};
  loops_.for_each_run([&](const auto& offsets) { transpose_plane(source + offsets[kSource], target + offsets[kTarget], plane); });
}

template <class T>
void StridedCopy::run_as(const T* source, T* target) const {
  source += source_offset_;
  target += target_offset_;
  if (transposed_) return run_tiles(source, target);
  const std::int64_t length = loops_.run_length();
  const auto steps = loops_.run_steps();
  loops_.for_each_run(
      [&](const auto& offsets) { copy_run(source + offsets[kSource], steps[kSource], target + offsets[kTarget], steps[kTarget], length); });
}

void StridedCopy::run(const Tensor& source, Tensor& target, std::int64_t shift, std::int64_t source_shift) const {
  if (loops_.empty()) return;
  if (source.strings != nullptr) return run_as(source.strings->data() + source_shift, target.strings->data() + shift);
  const auto as = [&]<class T>(T*) {
    run_as(reinterpret_cast<const T*>(source.data) + source_shift, reinterpret_cast<T*>(target.data) + shift);
  };
  switch (size_of(source.dtype)) {
    case 1:
      return as(static_cast<std::uint8_t*>(nullptr));
    case 2:
      return as(static_cast<std::uint16_t*>(nullptr));
    case 4:
      return as(static_cast<std::uint32_t*>(nullptr));
    case 8:
      return as(static_cast<std::uint64_t*>(nullptr));
    default:
      return as(static_cast<Element16*>(nullptr));
  }
}

std::unique_ptr<Kernel> copy_kernel(std::vector<StridedCopy> copies) {
  return make_kernel([copies = std::move(copies)](EvalContext& eval) -> Status {
    for (const StridedCopy& copy : copies) copy.run(eval.input(0), eval.output(0));
    return {};
  });
}

std::unique_ptr<Kernel> whole_copy_kernel(int slot) {
  return make_kernel([slot](EvalContext& eval) -> Status {
    copy_elements(eval.input(slot), 0, eval.output(0), 0, eval.output(0).elements());
    return {};
  });
}

void copy_elements(const Tensor& source, std::int64_t from, Tensor& target, std::int64_t to, std::int64_t count) {
  if (source.strings != nullptr) {
    std::copy_n(source.strings->begin() + from, count, target.strings->begin() + to);
    return;
  }
  const auto size = static_cast<std::int64_t>(size_of(source.dtype));
  if (count > 0) std::memcpy(target.data + to * size, source.data + from * size, as_size(count * size));
}

}  // namespace visq::kernels
