// AVERAGE_POOL_2D and MAX_POOL_2D in integer runs: on stored integers as they are, whatever the grids of input and output. Averages are
// rounded half away from zero.
#include <algorithm>

#include "core/as_size.h"
#include "core/cpu_clones.h"
#include "kernels/convolution/sliding_window.h"
#include "kernels/element_types.h"
#include "kernels/fixed_point/output_stage.h"

namespace visq::kernels::integer_pool_2d {
namespace {

using backend::ConvolutionAxis;
using Stored = TypeList<std::int8_t, std::uint8_t, std::int16_t>;

/// The part of a window that lies inside the input.
struct Span {
  std::int64_t first, last;
};
Span inside(const ConvolutionAxis& axis, std::int64_t position) {
  const std::int64_t origin = position * axis.stride - axis.before;
  return {std::max<std::int64_t>(0, origin), std::min(axis.in, origin + axis.kernel)};
}

struct Maximum {
  using Value = std::int32_t;
  static constexpr Value kStart = std::numeric_limits<Value>::min();
  static Value fold(Value a, Value b) { return std::max(a, b); }
  static Value finish(Value value, std::int64_t) { return value; }
};

struct Average {
  using Value = std::int64_t;
  static constexpr Value kStart = 0;
  static Value fold(Value a, Value b) { return a + b; }
  static Value finish(Value sum, std::int64_t count) { return (sum + (sum > 0 ? count / 2 : -(count / 2))) / count; }
};

/// One output pixel: folds the pixels of a window, which starts at `values`, channel by channel.
struct PoolWindow {
  std::int64_t rows, columns, channels;
  std::int64_t row_step;
};
template <class T, class Fold>
VISQ_CPU_CLONES void fold_window(const PoolWindow& window, const T* __restrict values, StoredRange range,
                                 typename Fold::Value* __restrict folded, T* __restrict out) {
  using Value = typename Fold::Value;
  std::fill_n(folded, window.channels, Fold::kStart);
  for (std::int64_t y = 0; y < window.rows; ++y) {
    for (std::int64_t x = 0; x < window.columns; ++x) {
      const T* pixel = values + y * window.row_step + x * window.channels;
      for (std::int64_t c = 0; c < window.channels; ++c) folded[c] = Fold::fold(folded[c], Value{pixel[c]});
    }
  }
  const std::int64_t count = window.rows * window.columns;
  for (std::int64_t c = 0; c < window.channels; ++c) {
    out[c] = static_cast<T>(std::min(std::max(Fold::finish(folded[c], count), Value{range.low}), Value{range.high}));
  }
}

template <class T, class Fold>
Status pool(EvalContext& context, const backend::ConvolutionShape& shape, StoredRange range) {
  const T* in = context.in<T>(0).data();
  T* out = context.out<T>(0).data();
  const std::int64_t channels = shape.in_channels, line = shape.width.in * channels;
  using Value = typename Fold::Value;
  auto* folded = reinterpret_cast<Value*>(context.scratch(as_size(channels) * sizeof(Value)));
  for (std::int64_t image = 0; image < shape.batch; ++image, in += shape.height.in * line) {
    for (std::int64_t y = 0; y < shape.height.out; ++y) {
      const Span rows = inside(shape.height, y);
      for (std::int64_t x = 0; x < shape.width.out; ++x, out += channels) {
        const Span columns = inside(shape.width, x);
        fold_window<T, Fold>({rows.last - rows.first, columns.last - columns.first, channels, line},
                             in + rows.first * line + columns.first * channels, range, folded, out);
      }
    }
  }
  return {};
}

template <class Fold>
Result<std::unique_ptr<Kernel>> prepare_pool(PrepareContext& context) {
  VISQ_ASSIGN(const backend::ConvolutionShape shape, pooling_shape(context));
  VISQ_TRY(check_map_sizes(context, shape));
  VISQ_ASSIGN(const Activation activation, fused_activation(context));
  VISQ_TRY(context.set_output(0, context.input(0).dtype, {shape.batch, shape.height.out, shape.width.out, shape.out_channels}));
  VISQ_TRY(expect_per_tensor(context, context.output(0), "the output"));
  VISQ_ASSIGN(const StoredRange range, stored_range(context, context.output(0), activation));
  return for_type(context, 0, Stored(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    return make_kernel([=](EvalContext& eval) { return pool<T, Fold>(eval, shape, range); });
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "AVERAGE_POOL_2D", .prepare = prepare_pool<Average>, .types = Stored::dtypes()},
    {.name = "MAX_POOL_2D", .prepare = prepare_pool<Maximum>, .types = Stored::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_pool_2d
