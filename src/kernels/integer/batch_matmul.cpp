// BATCH_MATMUL in integer runs: stored integers times stored integers, and reals quantized row by row times an int8 matrix.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/constants/row_quantization.h"
#include "kernels/convolution/stored_filter.h"
#include "kernels/fixed_point/output_stage.h"
#include "kernels/matrices/integer_matrices.h"

namespace visq::kernels::integer_batch_matmul {
namespace {

constexpr int kLeft = 0;
constexpr int kRight = 1;

/// The right operand, packed in Prepare where it is known then.
class RightOperand {
 public:
  RightOperand(PrepareContext& context, const MatrixBatch& batch, std::int32_t zero_point) : batch_(batch), zero_point_(zero_point) {
    known_ = context.known(kRight);
    if (!known_) return;
    packed_ = pack_matrices(context.input(kRight), zero_point, batch);
    context.mark_packed(kRight);
  }

  /// Calls body(matrices) in Eval.
  template <class Body>
  void with_matrices(const EvalContext& context, Body&& body) const {
    if (known_) {
      body(packed_);
    } else {
      body(pack_matrices(context.input(kRight), zero_point_, batch_));
    }
  }
  const MatrixBatch& batch() const { return batch_; }

 private:
  MatrixBatch batch_;
  std::int32_t zero_point_;
  bool known_ = false;
  std::vector<backend::PackedMatrix> packed_;
};

/// Calls finish(index, sums) for every product of the batch, with sums [m, n].
template <class Sum, class Finish>
void for_each_product(const RightOperand& right, EvalContext& context, std::span<const std::int16_t> left, Finish&& finish) {
  const MatrixBatch& batch = right.batch();
  const std::int64_t m = batch.product.m, n = batch.product.n, k = batch.product.k;
  auto* sums = reinterpret_cast<Sum*>(context.scratch(as_size(m * n) * sizeof(Sum)));
  right.with_matrices(context, [&](const std::vector<backend::PackedMatrix>& matrices) {
    for (std::int64_t i = 0; i < batch.products(); ++i) {
      const MatrixPair pair = batch.operands(i);
      backend::multiply({left.data() + pair.left * m * k, k, m}, matrices[as_size(pair.right)], sums, n);
      finish(i, sums);
    }
  });
}

/// Where LiteRT looks for what belongs to one of an operand's matrices: not at its number, but at the sum of its coordinates.
std::int64_t sum_of_coordinates(const MatrixBatch& batch, std::int64_t index, std::int64_t BatchAxis::*step, std::int64_t outer_step) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < batch.axes.size(); ++axis) {
    const std::int64_t size = batch.axes[axis].size;
    if (batch.axes[axis].*step != 0) sum += index % size * (axis == 0 ? 1 : outer_step);
    index /= size;
  }
  return sum;
}

template <class Sum, class Out>
std::unique_ptr<Kernel> stored_kernel(RightOperand right, std::int32_t left_zero, double factor, std::int32_t out_zero) {
  const std::vector<double> factors(as_size(right.batch().product.n), factor);
  OutputStage<Sum> stage(Scaling::kFixedPoint, factors, out_zero, range_of<Out>());
  return make_kernel([right = std::move(right), left_zero, stage = std::move(stage)](EvalContext& context) -> Status {
    const MatrixBatch& batch = right.batch();
    const auto left = centered_matrices(context.input(kLeft), left_zero, left_layout(batch));
    const std::vector<Sum> bias(stage.channels(), 0);
    Out* out = context.out<Out>(0).data();
    for_each_product<Sum>(right, context, left, [&](std::int64_t i, const Sum* sums) {
      stage.run(sums, bias.data(), batch.product.m, out + i * batch.product.m * batch.product.n);
    });
    return {};
  });
}

/// Sums of the stored integers as they are, whatever their zero points.
std::unique_ptr<Kernel> raw_kernel(RightOperand right) {
  return make_kernel([right = std::move(right)](EvalContext& context) -> Status {
    const std::int64_t size = right.batch().product.m * right.batch().product.n;
    const auto left = centered_matrices(context.input(kLeft), 0, left_layout(right.batch()));
    std::int32_t* out = context.out<std::int32_t>(0).data();
    for_each_product<std::int32_t>(right, context, left,
                                   [&](std::int64_t i, const std::int32_t* sums) { std::copy_n(sums, size, out + i * size); });
    return {};
  });
}

/// A left operand of reals, quantized row by row.
struct QuantizedRows {
  std::vector<std::int16_t> centered;
  std::vector<RowGrid> grids;  ///< one per row of each matrix
};
QuantizedRows quantize_left(const Tensor& left, const MatrixLayout& layout, bool asymmetric) {
  const auto values = left.values<float>();
  const auto rows = untransposed(std::vector<float>(values.begin(), values.end()), layout);
  QuantizedRows result{std::vector<std::int16_t>(rows.size() + 1, 0), {}};
  const auto length = as_size(layout.columns);
  for (std::size_t first = 0; first + length <= rows.size() && length > 0; first += length) {
    result.grids.push_back(center_row(rows.data() + first, length, asymmetric, result.centered.data() + first));
  }
  return result;
}

/// Sums of each row of each right matrix, for asymmetric left operands.
std::vector<std::int64_t> row_sums(const Tensor& right, const MatrixBatch& batch) {
  const MatrixLayout layout = right_layout(batch);
  const auto values = centered_matrices(right, 0, layout);
  std::vector<std::int64_t> sums(as_size(right.elements() / layout.columns), 0);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) sums[i / as_size(layout.columns)] += values[i];
  return sums;
}

/// What a hybrid product needs beside its operands.
struct Hybrid {
  bool asymmetric = false;
  std::vector<float> scales = {};       ///< of the right operand, per column of the result
  std::vector<std::int64_t> sums = {};  ///< row_sums(), where it is constant and the left asymmetric
  std::int64_t outer_step = 1;          ///< see scale_matrix()
};

class HybridKernel final : public Kernel {
 public:
  HybridKernel(RightOperand right, Hybrid hybrid) : right_(std::move(right)), hybrid_(std::move(hybrid)) {}

  Status eval(EvalContext& context) const override {
    const MatrixBatch& batch = right_.batch();
    const QuantizedRows left = quantize_left(context.input(kLeft), left_layout(batch), hybrid_.asymmetric);
    float* out = context.out<float>(0).data();
    for_each_product<std::int32_t>(right_, context, left.centered, [&](std::int64_t i, const std::int32_t* sums) {
      finish(left, i, sums, out + i * batch.product.m * batch.product.n);
    });
    return {};
  }

 private:
  /// Scales a product. The scales and zero points of its rows, and the sums of its columns' weights, come from where LiteRT looks for them:
  /// for more than one leading axis these may be those of another matrix.
  void finish(const QuantizedRows& left, std::int64_t index, const std::int32_t* sums, float* out) const {
    const MatrixBatch& batch = right_.batch();
    const auto& [m, n, k, adj_x, adj_y] = batch.product;
    const MatrixPair own = batch.operands(index);
    const std::int64_t used_left = sum_of_coordinates(batch, index, &BatchAxis::left_step, hybrid_.outer_step);
    const std::int64_t used_right = sum_of_coordinates(batch, index, &BatchAxis::right_step, 1);
    for (std::int64_t row = 0; row < m; ++row) {
      const RowGrid& grid = left.grids[as_size(used_left * m + row)];
      const std::int32_t own_zero = left.grids[as_size(own.left * m + row)].zero_point;
      for (std::int64_t column = 0; column < n; ++column) {
        std::int64_t sum = *sums++;
        if (hybrid_.asymmetric) {
          sum += std::int64_t{own_zero} * hybrid_.sums[as_size(own.right * n + column)] -
                 std::int64_t{grid.zero_point} * hybrid_.sums[as_size(used_right * n + column)];
        }
        *out++ = static_cast<float>(sum) * (grid.scale * hybrid_.scales[as_size(column)]);
      }
    }
  }

  RightOperand right_;
  Hybrid hybrid_;
};

Result<std::unique_ptr<Kernel>> prepare_hybrid(PrepareContext& context, const MatrixBatch& batch) {
  const Tensor& right = context.input(kRight);
  const Shape& left_shape = context.input(kLeft).shape;
  VISQ_TRY(context.expect_type(kRight, "the right operand", {DType::kInt8}));
  VISQ_TRY(context.set_output(0, DType::kFloat32, batch.output));
  const int axis = right.shape.rank() - (batch.product.transpose_b ? 2 : 1);
  VISQ_ASSIGN(const auto scales, channel_scales(context, right, "the right operand", axis, batch.product.n));
  Hybrid hybrid{.asymmetric = context.attributes().flag("asymmetric_quantize_inputs"), .scales = {scales.begin(), scales.end()}};
  if (hybrid.asymmetric) {
    VISQ_TRY(context.require_known(kRight));
    if (batch.product.k > 0) hybrid.sums = row_sums(right, batch);
  }
  // LiteRT counts the innermost leading axis among the rows where the right operand does not step along it.
  const bool merged = !batch.product.transpose_a && left_shape.rank() > 2 && right.shape.rank() > 2 && batch.axes[0].right_step == 0;
  if (merged) hybrid.outer_step = batch.axes[0].size;
  if (batch.product.k == 0) {
    return make_kernel([](EvalContext& eval) -> Status {
      std::fill(eval.out<float>(0).begin(), eval.out<float>(0).end(), 0.0F);
      return {};
    });
  }
  return std::unique_ptr<Kernel>(std::make_unique<HybridKernel>(RightOperand(context, batch, 0), std::move(hybrid)));
}

/// left scale * right scale / output scale. LiteRT multiplies in float32, and takes the scale of an operand with many as 0.
Result<double> stored_factor(const PrepareContext& context) {
  const Tensor& left = context.input(kLeft);
  const Tensor& right = context.input(kRight);
  VISQ_TRY(expect_per_tensor(context, left, "the left operand"));
  VISQ_TRY(expect_per_tensor(context, context.output(0), "the output"));
  if (right.info->quantization.per_channel()) return 0.0;
  VISQ_TRY(expect_per_tensor(context, right, "the right operand"));
  const float product = static_cast<float>(stored_grid(left).scale) * static_cast<float>(stored_grid(right).scale);
  return static_cast<double>(product) / stored_grid(context.output(0)).scale;
}

Result<std::unique_ptr<Kernel>> prepare_stored(PrepareContext& context, const MatrixBatch& batch) {
  const Tensor& left = context.input(kLeft);
  const bool wide = left.dtype == DType::kInt16;
  VISQ_TRY(wide ? context.expect_type(kRight, "the right operand", {DType::kInt16, DType::kInt8})
                : context.expect_type(kRight, "the right operand", {DType::kInt8}));
  const bool raw = !wide && context.output(0).info->dtype == DType::kInt32;
  VISQ_TRY(context.set_output(0, raw ? DType::kInt32 : left.dtype, batch.output));
  if (raw) return raw_kernel(RightOperand(context, batch, 0));
  VISQ_ASSIGN(const double factor, stored_factor(context));
  VISQ_ASSIGN(const std::int32_t left_zero, centering_zero_point(context, left, "the left operand"));
  VISQ_ASSIGN(const std::int32_t right_zero, centering_zero_point(context, context.input(kRight), "the right operand"));
  RightOperand right(context, batch, right_zero);
  const std::int32_t out_zero = stored_grid(context.output(0)).zero_point;
  return wide ? stored_kernel<std::int64_t, std::int16_t>(std::move(right), left_zero, factor, out_zero)
              : stored_kernel<std::int32_t, std::int8_t>(std::move(right), left_zero, factor, out_zero);
}

Result<std::unique_ptr<Kernel>> prepare_batch_matmul(PrepareContext& context) {
  VISQ_ASSIGN(const MatrixBatch batch, matrix_batch(context));
  return context.input(kLeft).dtype == DType::kFloat32 ? prepare_hybrid(context, batch) : prepare_stored(context, batch);
}

constexpr OpDef kDefinitions[] = {
    {.name = "BATCH_MATMUL", .prepare = prepare_batch_matmul, .types = {DType::kFloat32, DType::kInt8, DType::kInt16}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_batch_matmul
