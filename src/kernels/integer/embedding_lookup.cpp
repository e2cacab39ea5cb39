// EMBEDDING_LOOKUP in integer runs: float rows of a quantized table, which has one scale, one per row or one per block of a row and
// no zero point, and rows of
// stored integers as they are.
#include <algorithm>

#include "kernels/constants/dequantize_constant.h"
#include "kernels/convolution/stored_filter.h"
#include "kernels/indexing/index_values.h"
#include "kernels/indexing/strided_copy.h"

namespace visq::kernels::integer_embedding_lookup {
namespace {

constexpr int kIds = 0;
constexpr int kTable = 1;

struct Rows {
  std::int64_t count = 0;  ///< of the table
  std::int64_t length = 1;
  std::int64_t block = 1;          ///< elements with one scale: a whole row, or part of it (blockwise tables)
  std::vector<float> scales = {};  ///< one per block of the table; empty: the output has the table's own integers
};

/// Where a row starts. LiteRT starts at a whole byte of the packed table: early where the row before ends within one.
std::int64_t start_of(const Tensor& table, std::int64_t row, std::int64_t length) {
  const std::int64_t start = row * length;
  return start - start % (8 / bits(table.dtype));
}

Status look_up(EvalContext& eval, const Rows& rows, const std::string& place) {
  const Tensor& ids = eval.input(kIds);
  const Tensor& table = eval.input(kTable);
  for (std::int64_t i = 0; i < ids.elements(); ++i) {
    const std::int64_t row = index_value(ids, i);
    if (row < 0 || row >= rows.count) return bad_input("{}: index {} is out of range for an axis of size {}", place, row, rows.count);
    if (rows.scales.empty()) {
      copy_elements(table, row * rows.length, eval.output(0), i * rows.length, rows.length);
      continue;
    }
    // uint8 tables too, in which old models keep signed weights.
    const auto* codes = reinterpret_cast<const std::int8_t*>(table.data) + start_of(table, row, rows.length);
    const float* scales = rows.scales.data() + row * (rows.length / rows.block);
    float* out = eval.out<float>(0).data() + i * rows.length;
    for (std::int64_t k = 0; k < rows.length; ++k) out[k] = static_cast<float>(codes[k]) * scales[k / rows.block];
  }
  return {};
}

Status read_scales(const PrepareContext& context, const Tensor& table, Rows& rows) {
  const Quantization& q = table.info->quantization;
  rows.block = q.block_size == 0 ? std::max<std::int64_t>(1, rows.length) : q.block_size;
  if (q.block_size != 0) {
    if (rows.block < 1 || table.shape.rank() != 2 || rows.length % rows.block != 0) {
      return context.fail("the table of shape {} has blocks of {} elements", to_string(table.shape), rows.block);
    }
    VISQ_ASSIGN(rows.scales, dequantize_constant(context.declared(q.block_scales), context.place()));
    return {};
  }
  VISQ_ASSIGN(const auto scales, channel_scales(context, table, "the table", 0, rows.count));
  rows.scales.assign(scales.begin(), scales.end());
  VISQ_ASSIGN(const std::int32_t zero_point, centering_zero_point(context, table, "the table"));
  if (zero_point != 0) return context.unsupported("the table has the zero point {}, expected 0", zero_point);
  return {};
}

Result<std::unique_ptr<Kernel>> prepare_embedding_lookup(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kIds, "the ids", {DType::kInt32}));
  VISQ_TRY(context.expect_rank(kIds, "the ids", 1));
  const Tensor& table = context.input(kTable);
  if (table.shape.rank() < 1) return context.fail("the table has rank 0, expected 1 or more");
  Rows rows{.count = table.shape[0], .length = table.shape.elements(1, table.shape.rank())};
  Shape shape = table.shape;
  shape[0] = context.input(kIds).elements();
  const bool real = context.output(0).dtype == DType::kFloat32;
  VISQ_TRY(context.set_output(0, real ? DType::kFloat32 : table.dtype, std::move(shape)));
  if (real) {
    VISQ_TRY(context.expect_type(kTable, "the table", {DType::kInt8, DType::kUInt8, DType::kInt4, DType::kInt2}));
    VISQ_TRY(read_scales(context, table, rows));
  }
  return make_kernel([rows = std::move(rows), place = context.place()](EvalContext& eval) { return look_up(eval, rows, place); });
}

constexpr OpDef kDefinitions[] = {{.name = "EMBEDDING_LOOKUP",
                                   .prepare = prepare_embedding_lookup,
                                   .types = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt4, DType::kInt2},
                                   .main_input = kTable}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_embedding_lookup
