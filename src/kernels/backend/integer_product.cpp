// Compiled once per instruction set by Highway's foreach_target.
#include "kernels/backend/integer_product.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "core/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/backend/integer_product.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#ifndef VISQ_INTEGER_PRODUCT_PANELS
#define VISQ_INTEGER_PRODUCT_PANELS
namespace visq::kernels::backend {

/// Channels stand in panels of this many side by side, the rest in narrow ones.
constexpr std::int64_t kWide = 16;
constexpr std::int64_t kNarrow = 4;
constexpr std::int64_t kTileRows = 4;

/// One panel's product with up to kTileRows rows.
struct Tile {
  const std::int16_t* rows;
  std::int64_t row_step;
  const std::int16_t* panel;
  std::int64_t pairs;
  std::int32_t* sums;  ///< [rows, panel width]
};

}  // namespace visq::kernels::backend
#endif

HWY_BEFORE_NAMESPACE();
namespace visq::kernels::backend::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // has no pairs of lanes

void multiply_tile(const Tile& tile, std::int64_t width, std::int64_t rows) {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::uint32_t sums[kWide] = {};
    for (std::int64_t k = 0; k < 2 * tile.pairs; ++k) {
      const std::int32_t value = tile.rows[row * tile.row_step + k];
      const std::int16_t* weights = tile.panel + k / 2 * width * 2 + k % 2;
      for (std::int64_t c = 0; c < width; ++c) sums[c] += static_cast<std::uint32_t>(value * weights[2 * c]);
    }
    for (std::int64_t c = 0; c < width; ++c) tile.sums[row * width + c] = static_cast<std::int32_t>(sums[c]);
  }
}

#else

/// Two neighbouring elements of a row, in every pair of lanes.
template <class D>
HWY_INLINE hn::VFromD<hn::Repartition<std::int16_t, D> > spread_pair(D d, const std::int16_t* values) {
  std::int32_t pair;
  std::memcpy(&pair, values, sizeof(pair));
  return hn::BitCast(hn::Repartition<std::int16_t, D>(), hn::Set(d, pair));
}

/// `width` is the panel's, `lane` the first channel of the vector.
template <class D>
HWY_INLINE void multiply_four(D d, const Tile& tile, std::int64_t width, std::int64_t lane) {
  const hn::Repartition<std::int16_t, D> shorts;
  auto a0 = hn::Zero(d), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
  const std::int16_t* row0 = tile.rows;
  const std::int16_t* row1 = row0 + tile.row_step;
  const std::int16_t* row2 = row1 + tile.row_step;
  const std::int16_t* row3 = row2 + tile.row_step;
  for (std::int64_t pair = 0; pair < tile.pairs; ++pair) {
    const auto weights = hn::LoadU(shorts, tile.panel + (pair * width + lane) * 2);
    a0 = hn::ReorderWidenMulAccumulate(d, spread_pair(d, row0 + 2 * pair), weights, a0, b0);
    a1 = hn::ReorderWidenMulAccumulate(d, spread_pair(d, row1 + 2 * pair), weights, a1, b1);
    a2 = hn::ReorderWidenMulAccumulate(d, spread_pair(d, row2 + 2 * pair), weights, a2, b2);
    a3 = hn::ReorderWidenMulAccumulate(d, spread_pair(d, row3 + 2 * pair), weights, a3, b3);
  }
  hn::StoreU(hn::RearrangeToOddPlusEven(a0, b0), d, tile.sums + lane);
  hn::StoreU(hn::RearrangeToOddPlusEven(a1, b1), d, tile.sums + width + lane);
  hn::StoreU(hn::RearrangeToOddPlusEven(a2, b2), d, tile.sums + 2 * width + lane);
  hn::StoreU(hn::RearrangeToOddPlusEven(a3, b3), d, tile.sums + 3 * width + lane);
}

template <class D>
HWY_INLINE void multiply_one(D d, const Tile& tile, std::int64_t width, std::int64_t lane) {
  const hn::Repartition<std::int16_t, D> shorts;
  auto a = hn::Zero(d), b = a;
  for (std::int64_t pair = 0; pair < tile.pairs; ++pair) {
    const auto weights = hn::LoadU(shorts, tile.panel + (pair * width + lane) * 2);
    a = hn::ReorderWidenMulAccumulate(d, spread_pair(d, tile.rows + 2 * pair), weights, a, b);
  }
  hn::StoreU(hn::RearrangeToOddPlusEven(a, b), d, tile.sums + lane);
}

template <class D>
HWY_INLINE void multiply_panel(D d, const Tile& tile, std::int64_t width, std::int64_t rows) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t lane = 0; lane < width; lane += lanes) {
    if (rows == kTileRows) {
      multiply_four(d, tile, width, lane);
      continue;
    }
    Tile single = tile;
    for (std::int64_t row = 0; row < rows; ++row) {
      multiply_one(d, single, width, lane);
      single.rows += tile.row_step;
      single.sums += width;
    }
  }
}

void multiply_tile(const Tile& tile, std::int64_t width, std::int64_t rows) {
  if (width == kWide) {
    multiply_panel(hn::CappedTag<std::int32_t, kWide>(), tile, width, rows);
  } else {
    multiply_panel(hn::CappedTag<std::int32_t, kNarrow>(), tile, width, rows);
  }
}

#endif

}  // namespace visq::kernels::backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace visq::kernels::backend {
VISQ_SIMD_COPIES(multiply_tile);

namespace {

constexpr int kSplitBits = 8;
constexpr std::int64_t kSplit = 1 << kSplitBits;

std::int64_t panel_width(std::int64_t channel, std::int64_t channels) { return channels - channel >= kWide ? kWide : kNarrow; }
std::int64_t pairs_of(std::int64_t depth) { return (depth + 1) / 2; }

/// Copies take(value) of each element into its place; what fills the last panel and the last pair is 0.
template <class Take>
std::vector<std::int16_t> pack(std::span<const std::int16_t> values, std::int64_t channels, std::int64_t depth, Take take) {
  const std::int64_t pairs = pairs_of(depth);
  const std::int64_t padded = (channels + kNarrow - 1) / kNarrow * kNarrow;
  std::vector<std::int16_t> packed(as_size(padded * pairs * 2), 0);
  for (std::int64_t first = 0; first < channels; first += panel_width(first, channels)) {
    const std::int64_t width = panel_width(first, channels);
    std::int16_t* panel = packed.data() + first * pairs * 2;
    for (std::int64_t c = first; c < std::min(channels, first + width); ++c) {
      const std::int16_t* row = values.data() + c * depth;
      for (std::int64_t k = 0; k < depth; ++k) panel[(k / 2 * width + c - first) * 2 + k % 2] = take(row[k]);
    }
  }
  return packed;
}

/// Where one tile's sums go.
struct Target {
  std::int64_t rows, channels, step;
};

/// Adds the tile times 2^shift.
template <class Sum>
void add_tile(const std::int32_t* tile, std::int64_t width, const Target& target, int shift, Sum* sums) {
  using Bits = std::make_unsigned_t<Sum>;
  for (std::int64_t r = 0; r < target.rows; ++r) {
    for (std::int64_t c = 0; c < target.channels; ++c) {
      Sum& sum = sums[r * target.step + c];
      sum = static_cast<Sum>(static_cast<Bits>(sum) + (static_cast<Bits>(tile[r * width + c]) << shift));
    }
  }
}

/// Pairs of products of an int16 by a number in [-255, 255] that cannot leave int32 in sum.
constexpr std::int64_t kExactPairs = 127;

/// Adds rows * part * 2^shift to the sums.
template <class Sum>
void add_product(const IntegerRows& rows, const PackedMatrix& matrix, const std::vector<std::int16_t>& part, int shift, Sum* sums,
                 std::int64_t sum_step) {
  const std::int64_t pairs = pairs_of(matrix.depth());
  const std::int64_t chunk = sizeof(Sum) == sizeof(std::int32_t) ? std::max<std::int64_t>(pairs, 1) : kExactPairs;
  alignas(64) std::int32_t tile[kTileRows * kWide];
  for (std::int64_t c = 0; c < matrix.channels(); c += panel_width(c, matrix.channels())) {
    const std::int64_t width = panel_width(c, matrix.channels());
    const std::int16_t* panel = part.data() + c * pairs * 2;
    for (std::int64_t r = 0; r < rows.count; r += kTileRows) {
      const Target target{std::min(kTileRows, rows.count - r), std::min(width, matrix.channels() - c), sum_step};
      for (std::int64_t pair = 0; pair < pairs; pair += chunk) {
        VISQ_SIMD(multiply_tile)
        ({rows.values + r * rows.step + 2 * pair, rows.step, panel + pair * width * 2, std::min(chunk, pairs - pair), tile}, width,
         target.rows);
        add_tile(tile, width, target, shift, sums + r * sum_step + c);
      }
    }
  }
}

template <class Sum>
void multiply_parts(const IntegerRows& rows, const PackedMatrix& matrix, Sum* sums, std::int64_t sum_step) {
  for (std::int64_t r = 0; r < rows.count; ++r) std::fill_n(sums + r * sum_step, matrix.channels(), Sum{0});
  add_product(rows, matrix, matrix.low(), 0, sums, sum_step);
  if (!matrix.high().empty()) add_product(rows, matrix, matrix.high(), kSplitBits, sums, sum_step);
}

}  // namespace

PackedMatrix::PackedMatrix(std::span<const std::int16_t> values, std::int64_t channels, std::int64_t depth)
    : channels_(channels), depth_(depth) {
  const bool small = std::all_of(values.begin(), values.end(), [](std::int16_t v) { return v > -kSplit && v < kSplit; });
  if (small) {
    low_ = pack(values, channels, depth, [](std::int16_t v) { return v; });
    return;
  }
  low_ = pack(values, channels, depth, [](std::int16_t v) { return static_cast<std::int16_t>(v & (kSplit - 1)); });
  high_ = pack(values, channels, depth, [](std::int16_t v) { return static_cast<std::int16_t>(v >> kSplitBits); });
}

void multiply(const IntegerRows& rows, const PackedMatrix& matrix, std::int32_t* sums, std::int64_t sum_step) {
  multiply_parts(rows, matrix, sums, sum_step);
}

void multiply(const IntegerRows& rows, const PackedMatrix& matrix, std::int64_t* sums, std::int64_t sum_step) {
  multiply_parts(rows, matrix, sums, sum_step);
}

}  // namespace visq::kernels::backend
#endif
