// EMBEDDING_LOOKUP in integer runs: float rows of a quantized table, which has one scale or one per row and no zero point, and rows of
// stored integers as they are.
#include "kernels/index_values.h"
#include "kernels/stored_filter.h"
#include "kernels/strided_copy.h"

namespace visq::kernels {
namespace {

constexpr int kIds = 0;
constexpr int kTable = 1;

struct Rows {
  std::int64_t count = 0;  ///< of the table
  std::int64_t length = 1;
  std::vector<double> scales;  ///< empty: the output has the table's own integers
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
    const auto scale = static_cast<float>(rows.scales[static_cast<std::size_t>(row)]);
    float* out = eval.out<float>(0).data() + i * rows.length;
    for (std::int64_t k = 0; k < rows.length; ++k) out[k] = static_cast<float>(codes[k]) * scale;
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare_embedding_lookup(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kIds, "the ids", {DType::kInt32}));
  VISQ_TRY(context.expect_rank(kIds, "the ids", 1));
  const Tensor& table = context.input(kTable);
  if (table.shape.rank() < 1) return context.fail("the table has rank 0, expected 1 or more");
  Rows rows{table.shape[0], table.shape.elements(1, table.shape.rank()), {}};
  Shape shape = table.shape;
  shape[0] = context.input(kIds).elements();
  const bool real = context.output(0).dtype == DType::kFloat32;
  VISQ_TRY(context.set_output(0, real ? DType::kFloat32 : table.dtype, std::move(shape)));
  if (real) {
    VISQ_TRY(context.expect_type(kTable, "the table", {DType::kInt8, DType::kUInt8, DType::kInt4, DType::kInt2}));
    VISQ_ASSIGN(rows.scales, channel_scales(context, table, "the table", 0, rows.count));
    VISQ_ASSIGN(const std::int32_t zero_point, centering_zero_point(context, table, "the table"));
    if (zero_point != 0) return context.unsupported("the table has the zero point {}, expected 0", zero_point);
  }
  return make_kernel([rows = std::move(rows), place = context.place()](EvalContext& eval) { return look_up(eval, rows, place); });
}

constexpr OpDef kDefinitions[] = {{.name = "EMBEDDING_LOOKUP",
                                   .prepare = prepare_embedding_lookup,
                                   .types = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kInt32, DType::kInt4, DType::kInt2},
                                   .main_input = kTable}};

}  // namespace

std::span<const OpDef> integer_embedding_lookup() { return kDefinitions; }

}  // namespace visq::kernels
