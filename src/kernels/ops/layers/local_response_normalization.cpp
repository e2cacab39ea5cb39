// LOCAL_RESPONSE_NORMALIZATION: each channel over (bias + alpha * sum of squares of its neighbours up to `radius` away)^beta.
#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/op.h"

namespace visq::kernels::ops_local_response_normalization {
namespace {

constexpr int kInput = 0;

struct Parameters {
  std::int64_t channels, radius;
  float bias, alpha, beta;
};

void normalize_row(const float* in, float* out, const Parameters& p) {
  for (std::int64_t c = 0; c < p.channels; ++c) {
    const std::int64_t first = std::max<std::int64_t>(c - p.radius, 0), last = std::min(c + p.radius, p.channels - 1);
    float squares = 0;
    for (std::int64_t i = first; i <= last; ++i) squares += in[i] * in[i];
    out[c] = in[c] * std::pow(p.bias + p.alpha * squares, -p.beta);
  }
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kInput, "the input", 4));
  const Shape& shape = context.input(kInput).shape;
  const auto real = [&](std::string_view name) { return static_cast<float>(context.attributes().real(name)); };
  const std::int64_t radius = context.attributes().integer("radius");
  if (radius < 0) return context.fail("radius is {}", radius);
  VISQ_TRY(context.set_output(0, DType::kFloat32, shape));
  const Parameters parameters{shape[3], std::min(radius, shape[3]), real("bias"), real("alpha"), real("beta")};
  return make_kernel([parameters](EvalContext& eval) -> Status {
    const auto in = eval.in<float>(kInput);
    const auto out = eval.out<float>(0);
    for (std::size_t start = 0; start < in.size(); start += as_size(parameters.channels)) {
      normalize_row(in.data() + start, out.data() + start, parameters);
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "LOCAL_RESPONSE_NORMALIZATION", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_local_response_normalization
