// RFFT2D: two-dimensional Fourier transform of real images; of each row the half that determines the rest.
#include <algorithm>
#include <bit>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/math/fft.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_rfft2d {
namespace {

constexpr int kInput = 0;

using Complex = std::complex<double>;

struct Plan {
  std::int64_t rows = 0, columns = 0;  ///< of an input image, as far as the transform takes it
  std::int64_t row_step = 0, image_step = 0;
  Fft down, along;
  std::int64_t kept() const { return along.points() / 2 + 1; }
};

/// `field` holds down.points() rows of kept() numbers, `line` one row or column.
void transform(const Plan& plan, const float* image, Complex* field, Complex* line, std::complex<float>* out) {
  const std::int64_t kept = plan.kept(), height = plan.down.points();
  std::fill_n(field, height * kept, Complex());
  for (std::int64_t row = 0; row < plan.rows; ++row) {
    std::fill_n(line, plan.along.points(), Complex());
    for (std::int64_t i = 0; i < plan.columns; ++i) line[i] = image[row * plan.row_step + i];
    plan.along.run(line);
    std::copy_n(line, kept, field + row * kept);
  }
  for (std::int64_t column = 0; column < kept; ++column) {
    for (std::int64_t row = 0; row < height; ++row) line[row] = field[row * kept + column];
    plan.down.run(line);
    for (std::int64_t row = 0; row < height; ++row) out[row * kept + column] = std::complex<float>(line[row]);
  }
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  const Shape& shape = context.input(kInput).shape;
  if (shape.rank() < 2) return context.fail("the input has rank {}, expected 2 or more", shape.rank());
  VISQ_ASSIGN(const auto points, integers_of(context, 1, "the transform's length", 2));
  constexpr std::int64_t kMost = std::int64_t{1} << 24;  // of points in one image
  for (const std::int64_t count : points) {
    if (count < 1 || count > kMost || !std::has_single_bit(static_cast<std::uint64_t>(count))) {
      return context.fail("a transform of {} points, expected a power of two", count);
    }
  }
  if (points[0] * points[1] > kMost) return context.fail("a transform of {} x {} points is too large", points[0], points[1]);
  const int rank = shape.rank();
  Shape spectrum = shape;
  spectrum[rank - 2] = points[0];
  spectrum[rank - 1] = points[1] / 2 + 1;
  VISQ_TRY(context.set_output(0, DType::kComplex64, std::move(spectrum)));
  Plan plan{std::min(shape[rank - 2], points[0]),
            std::min(shape[rank - 1], points[1]),
            shape[rank - 1],
            shape[rank - 2] * shape[rank - 1],
            Fft(points[0]),
            Fft(points[1])};
  return make_kernel([plan = std::move(plan), images = shape.elements(0, rank - 2)](EvalContext& eval) -> Status {
    const std::int64_t out_step = plan.down.points() * plan.kept();
    const std::int64_t longest = std::max(plan.down.points(), plan.along.points());
    auto* field = reinterpret_cast<Complex*>(eval.scratch(as_size(out_step + longest) * sizeof(Complex)));
    for (std::int64_t i = 0; i < images; ++i) {
      transform(plan, eval.in<float>(kInput).data() + i * plan.image_step, field, field + out_step,
                eval.out<std::complex<float>>(0).data() + i * out_step);
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "RFFT2D", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_rfft2d
