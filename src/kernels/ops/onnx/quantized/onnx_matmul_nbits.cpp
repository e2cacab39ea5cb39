// MatMulNBits of ONNX Runtime: rows of reals times a constant matrix of 2, 4 or 8 bits, whose rows are cut into blocks with a scale and a
// zero point each. Source: ONNX Runtime's documentation of its contributed operators.
#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/backend/onednn.h"
#include "kernels/op.h"

namespace visq::kernels::ops_onnx_matmul_nbits {
namespace {

constexpr int kRows = 0, kCodes = 1, kScales = 2, kZeroPoints = 3, kGroups = 4, kBias = 5;

/// The matrix is [n, k]; each of its rows has `blocks` of them.
struct Layout {
  std::int64_t n = 0, k = 0, bits = 4, block = 32, blocks = 0;

  std::int64_t row_bytes() const { return blocks * block * bits / 8; }
  /// Of zero points: a row of them begins at a whole byte.
  std::int64_t zero_bytes() const { return (blocks * bits + 7) / 8; }
};

/// Codes stand in bytes with the lowest bits first.
unsigned code_at(std::span<const std::uint8_t> bytes, std::int64_t bits, std::int64_t first_byte, std::int64_t i) {
  const std::int64_t per_byte = 8 / bits;
  return static_cast<unsigned>(bytes[as_size(first_byte + i / per_byte)]) >> (bits * (i % per_byte)) & ((1U << bits) - 1);
}

Result<Layout> layout_of(const PrepareContext& context) {
  const Attributes& attributes = context.attributes();
  Layout layout{attributes.integer("N"), attributes.integer("K"), attributes.integer("bits", 4), attributes.integer("block_size")};
  if (layout.bits != 2 && layout.bits != 4 && layout.bits != 8) return context.unsupported("codes of {} bits", layout.bits);
  if (layout.n < 1 || layout.k < 1 || layout.block < 16 || (layout.block & (layout.block - 1)) != 0) {
    return context.fail("N is {}, K {}, block_size {}", layout.n, layout.k, layout.block);
  }
  layout.blocks = layout.k / layout.block + (layout.k % layout.block != 0 ? 1 : 0);
  const auto elements = checked_mul(layout.n, checked_mul(layout.blocks, layout.block).value_or(-1));
  const std::int64_t bytes = context.input(kCodes).elements();
  if (layout.blocks > bytes || !elements || *elements < 0 || bytes != layout.n * layout.row_bytes()) {
    return context.fail("its matrix of {} x {} has {} bytes", layout.n, layout.k, bytes);
  }
  if (context.input(kScales).elements() != layout.n * layout.blocks) {
    return context.fail("has {} scales, expected {}", context.input(kScales).elements(), layout.n * layout.blocks);
  }
  return layout;
}

Status check_zero_points(PrepareContext& context, const Layout& layout) {
  if (context.has_input(kGroups)) return context.unsupported("its order of groups, g_idx");
  if (!context.has_input(kZeroPoints)) return {};
  VISQ_TRY(context.expect_type(kZeroPoints, "the zero points", {DType::kUInt8, DType::kFloat32}));
  const Tensor& zeros = context.input(kZeroPoints);
  const std::int64_t expected = layout.n * (zeros.dtype == DType::kUInt8 ? layout.zero_bytes() : layout.blocks);
  if (zeros.elements() != expected) return context.fail("has {} zero points, expected {}", zeros.elements(), expected);
  return {};
}

/// [n, k], as the operator states them.
std::vector<float> real_matrix(const Layout& layout, const PrepareContext& context) {
  std::vector<float> matrix(as_size(layout.n * layout.k));
  const auto codes = context.input(kCodes).values<std::uint8_t>();
  const auto scales = context.input(kScales).values<float>();
  const auto zero_point = [&](std::int64_t row, std::int64_t block) {
    if (!context.has_input(kZeroPoints)) return static_cast<float>(1U << (layout.bits - 1));
    const Tensor& zeros = context.input(kZeroPoints);
    if (zeros.dtype == DType::kFloat32) return zeros.values<float>()[as_size(row * layout.blocks + block)];
    return static_cast<float>(code_at(zeros.values<std::uint8_t>(), layout.bits, row * layout.zero_bytes(), block));
  };
  for (std::int64_t row = 0; row < layout.n; ++row) {
    for (std::int64_t block = 0; block < layout.blocks; ++block) {
      const float zero = zero_point(row, block), scale = scales[as_size(row * layout.blocks + block)];
      const std::int64_t first = block * layout.block, last = std::min(layout.k, first + layout.block);
      for (std::int64_t i = first; i < last; ++i) {
        matrix[as_size(row * layout.k + i)] = (static_cast<float>(code_at(codes, layout.bits, row * layout.row_bytes(), i)) - zero) * scale;
      }
    }
  }
  return matrix;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 6));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kCodes, "B", {DType::kUInt8}));
  VISQ_TRY(context.expect_type(kScales, "the scales", {DType::kFloat32}));
  VISQ_ASSIGN(const Layout layout, layout_of(context));
  VISQ_TRY(check_zero_points(context, layout));
  Shape shape = context.input(kRows).shape;
  if (shape.rank() == 0 || shape.back() != layout.k) return context.fail("A has the shape {}, K is {}", to_string(shape), layout.k);
  if (context.has_input(kBias)) {
    VISQ_TRY(context.expect_type(kBias, "the bias", {DType::kFloat32}));
    if (context.input(kBias).elements() != layout.n)
      return context.fail("bias has {} elements, N is {}", context.input(kBias).elements(), layout.n);
  }
  const backend::MatrixProduct product{.m = shape.elements() / layout.k, .n = layout.n, .k = layout.k, .transpose_b = true};
  shape[shape.rank() - 1] = layout.n;
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  for (const int slot : {kCodes, kScales}) VISQ_TRY(context.require_known(slot));
  if (context.has_input(kZeroPoints)) VISQ_TRY(context.require_known(kZeroPoints));
  return make_kernel([product, matrix = real_matrix(layout, context)](EvalContext& eval) -> Status {
    const auto out = eval.out<float>(0);
    if (out.empty()) return {};
    VISQ_TRY(backend::multiply(product, eval.in<float>(kRows).data(), matrix.data(), out.data()));
    if (!eval.has_input(kBias)) return {};
    const auto bias = eval.in<float>(kBias);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += bias[i % bias.size()];
    return {};
  });
}

std::optional<std::int64_t> multiply_adds(const Subgraph& graph, const Operator& op) {
  if (op.inputs.empty() || op.inputs[0] < 0) return std::nullopt;
  const TensorInfo& rows = graph.tensors[as_size(op.inputs[0])];
  return rows.has_rank ? checked_mul(rows.shape.elements(), op.attributes.integer("N")) : std::nullopt;
}

constexpr OpDef kDefinitions[] = {
    {.name = "com.microsoft.MatMulNBits", .prepare = prepare, .types = {DType::kFloat32}, .multiply_adds = multiply_adds}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_matmul_nbits
