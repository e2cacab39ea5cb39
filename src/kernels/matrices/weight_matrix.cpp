#include "kernels/matrices/weight_matrix.h"

#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/constants/row_quantization.h"
#include "kernels/convolution/convolution.h"
#include "kernels/stored.h"

namespace visq::kernels {
namespace {

using Lanes = float __attribute__((vector_size(64)));
constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(float);
constexpr std::size_t kPanel = 2 * kLanes;  ///< outputs that are summed together

/// products[r, :] = rows[r, :] * panel, a panel being [depth, kPanel].
template <std::size_t kRows>
[[gnu::always_inline]] inline void multiply_panel(const float* rows, std::size_t depth, const float* panel, float* products) {
  Lanes left[kRows] = {}, right[kRows] = {};
  for (std::size_t k = 0; k < depth; ++k) {
    Lanes first, second;
    std::memcpy(&first, panel + k * kPanel, sizeof(Lanes));
    std::memcpy(&second, panel + k * kPanel + kLanes, sizeof(Lanes));
    for (std::size_t r = 0; r < kRows; ++r) {
      left[r] += rows[r * depth + k] * first;
      right[r] += rows[r * depth + k] * second;
    }
  }
  for (std::size_t r = 0; r < kRows; ++r) {
    std::memcpy(products + r * kPanel, &left[r], sizeof(Lanes));
    std::memcpy(products + r * kPanel + kLanes, &right[r], sizeof(Lanes));
  }
}

VISQ_CPU_CLONES void accumulate_panels(const float* rows, std::size_t count, std::size_t depth, const float* panels, std::size_t outputs,
                                       float* sums) {
  float products[2 * kPanel];
  for (std::size_t first = 0; first < outputs; first += kPanel) {
    const float* panel = panels + first * depth;
    const std::size_t width = std::min(kPanel, outputs - first);
    for (std::size_t row = 0; row < count; row += 2) {
      const std::size_t pair = std::min<std::size_t>(2, count - row);
      if (pair == 2) {
        multiply_panel<2>(rows + row * depth, depth, panel, products);
      } else {
        multiply_panel<1>(rows + row * depth, depth, panel, products);
      }
      for (std::size_t r = 0; r < pair; ++r) {
        float* target = sums + (row + r) * outputs + first;
        for (std::size_t i = 0; i < width; ++i) target[i] += products[r * kPanel + i];
      }
    }
  }
}

/// Panels of kPanel outputs, each [depth, kPanel]; the last one is filled up with zeros.
class FloatMatrix final : public WeightMatrix {
 public:
  FloatMatrix(const std::vector<float>& weights, std::size_t outputs, std::size_t depth)
      : depth_(depth), outputs_(outputs), panels_((outputs + kPanel - 1) / kPanel * kPanel * depth) {
    for (std::size_t o = 0; o < outputs; ++o) {
      float* column = panels_.data() + o / kPanel * kPanel * depth + o % kPanel;
      for (std::size_t k = 0; k < depth; ++k) column[k * kPanel] = weights[o * depth + k];
    }
  }

  void accumulate(const float* rows, std::int64_t count, float* sums, std::byte*) const override {
    accumulate_panels(rows, as_size(count), depth_, panels_.data(), outputs_, sums);
  }

 private:
  std::size_t depth_, outputs_;
  std::vector<float> panels_;
};

/// Wraps around, as int32 sums do in TFLite.
template <class T>
[[gnu::always_inline]] inline void multiply_codes(const std::int8_t* codes, std::size_t rows, std::size_t depth, const T* x,
                                                  std::int32_t* sums) {
  for (std::size_t r = 0; r < rows; ++r) {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < depth; ++k) sum += static_cast<std::uint32_t>(codes[r * depth + k] * x[k]);
    sums[r] = static_cast<std::int32_t>(sum);
  }
}
VISQ_CPU_CLONES void multiply_bytes(const std::int8_t* codes, std::size_t rows, std::size_t depth, const std::int8_t* x,
                                    std::int32_t* sums) {
  multiply_codes(codes, rows, depth, x, sums);
}
VISQ_CPU_CLONES void multiply_shorts(const std::int8_t* codes, std::size_t rows, std::size_t depth, const std::int16_t* x,
                                     std::int32_t* sums) {
  multiply_codes(codes, rows, depth, x, sums);
}

/// Matrices of int8, each with a scale of its own; zero points count as 0, as in TFLite.
class HybridMatrix final : public WeightMatrix {
 public:
  HybridMatrix(CodeMatrix codes, std::vector<float> scales, bool asymmetric)
      : codes_(std::move(codes)), scales_(std::move(scales)), asymmetric_(asymmetric) {}

  std::size_t scratch_bytes() const override { return codes_.rows() * sizeof(std::int32_t) + codes_.depth() * sizeof(std::int16_t); }

  void accumulate(const float* rows, std::int64_t count, float* sums, std::byte* scratch) const override {
    const std::size_t outputs = codes_.rows(), depth = codes_.depth();
    auto* products = reinterpret_cast<std::int32_t*>(scratch);
    auto* x = reinterpret_cast<std::int16_t*>(products + outputs);
    for (std::int64_t row = 0; row < count; ++row, rows += depth, sums += outputs) {
      const RowGrid grid = center_row(rows, depth, asymmetric_, x);
      codes_.multiply(x, products);
      for (std::size_t o = 0; o < outputs; ++o) sums[o] += static_cast<float>(products[o]) * (grid.scale * scales_[o]);
    }
  }

 private:
  CodeMatrix codes_;
  std::vector<float> scales_;  ///< per output
  bool asymmetric_;
};

Result<std::unique_ptr<WeightMatrix>> read_float(PrepareContext& context, std::span<const int> slots, std::string_view role) {
  const Shape& shape = context.input(slots[0]).shape;
  std::vector<float> all;
  for (const int slot : slots) {
    VISQ_ASSIGN(const auto values, take_constant(context, slot, role));
    all.insert(all.end(), values.begin(), values.end());
  }
  const auto outputs = as_size(shape[0]) * slots.size();
  return std::unique_ptr<WeightMatrix>(std::make_unique<FloatMatrix>(all, outputs, as_size(shape[1])));
}

Result<std::unique_ptr<WeightMatrix>> read_hybrid(PrepareContext& context, std::span<const int> slots, std::string_view role,
                                                  bool asymmetric) {
  const Shape& shape = context.input(slots[0]).shape;
  std::vector<std::int8_t> all;
  std::vector<float> scales;
  for (const int slot : slots) {
    const Tensor& tensor = context.input(slot);
    VISQ_TRY(expect_per_tensor(context, tensor, role));
    scales.insert(scales.end(), as_size(shape[0]), tensor.info->quantization.scale[0]);
    const auto codes = tensor.values<std::int8_t>();
    all.insert(all.end(), codes.begin(), codes.end());
    context.mark_packed(slot);
  }
  CodeMatrix matrix(std::move(all), shape[0] * static_cast<std::int64_t>(slots.size()), shape[1]);
  return std::unique_ptr<WeightMatrix>(std::make_unique<HybridMatrix>(std::move(matrix), std::move(scales), asymmetric));
}

}  // namespace

CodeMatrix::CodeMatrix(std::vector<std::int8_t> codes, std::int64_t rows, std::int64_t depth)
    : codes_(std::move(codes)), depth_(as_size(depth)), row_sums_(as_size(rows)) {
  for (std::size_t r = 0; r < row_sums_.size(); ++r) {
    std::uint32_t sum = 0;
    for (std::size_t k = 0; k < depth_; ++k) sum += static_cast<std::uint32_t>(codes_[r * depth_ + k]);
    row_sums_[r] = static_cast<std::int32_t>(sum);
  }
}

void CodeMatrix::multiply(const std::int8_t* x, std::int32_t* sums) const { multiply_bytes(codes_.data(), rows(), depth_, x, sums); }

void CodeMatrix::multiply(const std::int16_t* x, std::int32_t* sums) const { multiply_shorts(codes_.data(), rows(), depth_, x, sums); }

Result<std::unique_ptr<WeightMatrix>> read_weights(PrepareContext& context, std::span<const int> slots, std::string_view role,
                                                   bool asymmetric) {
  for (const int slot : slots) {
    VISQ_TRY(context.expect_type(slot, role, {DType::kFloat32, DType::kInt8}));
    VISQ_TRY(context.expect_same_type(slot, role, slots[0]));
    VISQ_TRY(context.require_known(slot));
  }
  if (context.input(slots[0]).dtype == DType::kFloat32) return read_float(context, slots, role);
  return read_hybrid(context, slots, role, asymmetric);
}

Result<CodeMatrix> read_codes(PrepareContext& context, int slot, std::string_view role) {
  VISQ_TRY(context.expect_type(slot, role, {DType::kInt8}));
  VISQ_TRY(context.require_known(slot));
  const Tensor& tensor = context.input(slot);
  const auto codes = tensor.values<std::int8_t>();
  context.mark_packed(slot);
  return CodeMatrix({codes.begin(), codes.end()}, tensor.shape[0], tensor.shape[1]);
}

}  // namespace visq::kernels
