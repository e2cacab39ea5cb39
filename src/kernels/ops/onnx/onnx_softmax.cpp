// Softmax, LogSoftmax of ONNX: along one axis since operator set 13, before that along all axes from one on, taken together.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/onnx/translation.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_onnx_softmax {
namespace {

constexpr int kOneAxisSince = 13;

/// Elements that are normalized together stand `inner` apart.
struct Extents {
  std::int64_t outer = 1, size = 1, inner = 1;
};

template <bool kLogarithm>
void normalize(const float* in, float* out, const Extents& e) {
  float top = in[0];
  for (std::int64_t i = 1; i < e.size; ++i) top = std::max(top, in[i * e.inner]);
  double sum = 0;
  for (std::int64_t i = 0; i < e.size; ++i) sum += static_cast<double>(out[i * e.inner] = std::exp(in[i * e.inner] - top));
  if constexpr (kLogarithm) {
    const auto offset = static_cast<float>(std::log(sum));
    for (std::int64_t i = 0; i < e.size; ++i) out[i * e.inner] = in[i * e.inner] - top - offset;
  } else {
    for (std::int64_t i = 0; i < e.size; ++i) out[i * e.inner] = static_cast<float>(static_cast<double>(out[i * e.inner]) / sum);
  }
}

template <bool kLogarithm>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& from = context.input(0).shape;
  const bool one_axis = context.op().version >= kOneAxisSince;
  VISQ_ASSIGN(const int axis, checked_axis(context, context.attributes().integer("axis", one_axis ? -1 : 1), from.rank()));
  if (axis == from.rank() - 1) return Translation(context, kLogarithm ? "LOG_SOFTMAX" : "SOFTMAX").input(0).prepare();
  VISQ_TRY(context.set_output(0, DType::kFloat32, from));
  Extents extents{.outer = from.elements(0, axis), .size = from.elements(axis, from.rank())};
  if (one_axis) extents.size = from[axis], extents.inner = from.elements(axis + 1, from.rank());
  return make_kernel([extents](EvalContext& eval) -> Status {
    const std::int64_t step = extents.size * extents.inner;
    for (std::int64_t outer = 0; outer < extents.outer; ++outer) {
      for (std::int64_t inner = 0; inner < extents.inner; ++inner) {
        const std::int64_t first = outer * step + inner;
        normalize<kLogarithm>(eval.in<float>(0).data() + first, eval.out<float>(0).data() + first, extents);
      }
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.LogSoftmax", .prepare = prepare<true>, .types = {DType::kFloat32}, .kind = OpKind::kLogSoftmax},
    {.name = "ai.onnx.Softmax", .prepare = prepare<false>, .types = {DType::kFloat32}, .kind = OpKind::kSoftmax},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_softmax
