#include "quant/code_table.h"

#include <bit>
#include <vector>

#include "core/simd.h"
#include "quant/fake_quantize.h"

#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // of vectors that GCC 12's own header leaves undefined
#include <immintrin.h>
#pragma GCC diagnostic pop
#define VISQ_VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#endif

namespace visq::quant {
namespace {

using kernels::EvalContext;
using kernels::Kernel;
using kernels::PrepareContext;
using kernels::Tensor;

constexpr std::size_t kCodes = 256;

bool is_byte_grid(const Tensor& tensor) {
  const TensorInfo* const info = tensor.info;
  return tensor.dtype == DType::kFloat32 && info != nullptr && (info->dtype == DType::kInt8 || info->dtype == DType::kUInt8) &&
         has_grid(*info) && !info->quantization.per_channel();
}

/// The output as one number per code of the input, before it is rounded.
Result<std::vector<float>> results_by_code(const PrepareContext& context, const Kernel& kernel) {
  const TensorInfo& declared = *context.input(0).info;
  const Grid grid = grid_of(declared);
  std::vector<float> in(kCodes), out(kCodes);
  for (std::size_t i = 0; i < kCodes; ++i) {
    const bool is_signed = declared.dtype == DType::kInt8;
    in[i] = real_value(grid, is_signed ? static_cast<std::int8_t>(i) : static_cast<std::int32_t>(i));
  }
  const Shape shape{static_cast<std::int64_t>(kCodes)};
  const Tensor source{.shape = shape, .data = reinterpret_cast<std::byte*>(in.data()), .info = &declared};
  Tensor target{.shape = shape, .data = reinterpret_cast<std::byte*>(out.data()), .info = context.output(0).info};
  const Tensor* const inputs[] = {&source};
  Tensor* const outputs[] = {&target};
  std::vector<std::byte> scratch;
  EvalContext eval(inputs, outputs, nullptr, scratch);
  VISQ_TRY(kernel.eval(eval));
  return out;
}

CodeTable round_results(std::vector<float> results, const TensorInfo& output) {
  const Grid grid = grid_of(output);
  CodeTable table{.scale = grid.scale, .zero_point = grid.zero_point, .is_signed = output.dtype == DType::kInt8};
  for (std::size_t i = 0; i < kCodes; ++i) {
    table.beyond[i] = fake_quantize(&results[i], 1, grid, &table.codes[i]) != 0 ? 0xFF : 0;
  }
  return table;
}

class TableKernel final : public Kernel {
 public:
  explicit TableKernel(const CodeTable& table) : table_(table) {}

  Status eval(EvalContext& context) const override {
    Tensor& output = context.output(0);
    const auto values = output.mutable_values<float>();
    context.has_rounded(look_up(table_, context.input(0).codes, values.size(), output.codes, values.data()));
    return {};
  }

 private:
  CodeTable table_;
};

std::int64_t look_up_each(const CodeTable& table, const std::byte* in, std::size_t count, std::byte* codes, float* values) {
  std::int64_t beyond = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = std::to_integer<std::size_t>(in[i]);
    const std::uint8_t code = table.codes[from];
    const std::int32_t whole = table.is_signed ? static_cast<std::int8_t>(code) : static_cast<std::int32_t>(code);
    if (codes != nullptr) codes[i] = std::byte{code};
    values[i] = static_cast<float>(whole - table.zero_point) * table.scale;
    beyond += table.beyond[from] != 0 ? 1 : 0;
  }
  return beyond;
}

#ifdef VISQ_VBMI

constexpr std::size_t kBytes = 64;
constexpr std::size_t kQuarters = 4;

/// A table of 256 bytes in registers.
struct Bytes256 {
  __m512i quarters[kQuarters];
};

VISQ_VBMI inline Bytes256 load(const std::array<std::uint8_t, kCodes>& bytes) {
  Bytes256 table;
  for (std::size_t i = 0; i < kQuarters; ++i) table.quarters[i] = _mm512_loadu_si512(bytes.data() + i * kBytes);
  return table;
}

/// The index's highest bit chooses the half, the others the byte in it.
VISQ_VBMI inline __m512i at(const Bytes256& table, __m512i index) {
  const __m512i low = _mm512_permutex2var_epi8(table.quarters[0], index, table.quarters[1]);
  const __m512i high = _mm512_permutex2var_epi8(table.quarters[2], index, table.quarters[3]);
  return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

/// Whole blocks of 64 codes; returns how many codes they are.
VISQ_VBMI std::size_t look_up_blocks(const CodeTable& table, const std::byte* in, std::size_t count, std::byte* codes, float* values,
                                     std::int64_t& beyond) {
  constexpr std::size_t kLanes = 16;
  const Bytes256 results = load(table.codes), flags = load(table.beyond);
  const __m512 scale = _mm512_set1_ps(table.scale);
  const __m512i zero_point = _mm512_set1_epi32(table.zero_point);
  std::size_t i = 0;
  for (; i + kBytes <= count; i += kBytes) {
    const __m512i index = _mm512_loadu_si512(in + i);
    const __m512i result = at(results, index);
    beyond += std::popcount(static_cast<std::uint64_t>(_mm512_movepi8_mask(at(flags, index))));
    if (codes != nullptr) _mm512_storeu_si512(codes + i, result);
    alignas(kBytes) std::byte parts[kBytes];
    _mm512_store_si512(parts, result);
    for (std::size_t part = 0; part < kBytes; part += kLanes) {
      const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(parts + part));
      const __m512i whole = table.is_signed ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
      _mm512_storeu_ps(values + i + part, _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_sub_epi32(whole, zero_point)), scale));
    }
  }
  return i;
}

#else

std::size_t look_up_blocks(const CodeTable&, const std::byte*, std::size_t, std::byte*, float*, std::int64_t&) { return 0; }

#endif

}  // namespace

bool tables_pay() {
#ifdef VISQ_VBMI
  static const bool known = __builtin_cpu_supports("avx512vbmi") != 0;
  return known && simd::level() == simd::Level::kAvx512;
#else
  return false;
#endif
}

std::int64_t look_up(const CodeTable& table, const std::byte* in, std::size_t count, std::byte* codes, float* values) {
  std::int64_t beyond = 0;
  const std::size_t done = tables_pay() ? look_up_blocks(table, in, count, codes, values, beyond) : 0;
  return beyond + look_up_each(table, in + done, count - done, codes == nullptr ? nullptr : codes + done, values + done);
}

Result<std::unique_ptr<Kernel>> as_code_table(PrepareContext& context, const Kernel& kernel) {
  if (!tables_pay() || !is_byte_grid(context.input(0)) || !is_byte_grid(context.output(0)) || !context.offers_codes(0)) {
    return std::unique_ptr<Kernel>();
  }
  VISQ_ASSIGN(auto results, results_by_code(context, kernel));
  context.read_codes(0);
  return std::unique_ptr<Kernel>(std::make_unique<TableKernel>(round_results(std::move(results), *context.output(0).info)));
}

}  // namespace visq::quant
