// ConvInteger of ONNX: convolution of codes, each less its zero point, exact in int32; what lies beyond the map counts as its zero point.
#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/backend/integer_product.h"
#include "kernels/multiply_adds.h"
#include "kernels/onnx/window.h"

namespace visq::kernels::ops_onnx_integer_conv {
namespace {

using backend::ConvolutionAxis;

constexpr int kMap = 0, kFilter = 1, kMapZero = 2, kFilterZero = 3;
constexpr int kSpace = 2;
constexpr DTypes kCodes = {DType::kInt8, DType::kUInt8};

struct Windows {
  std::vector<ConvolutionAxis> axes = {};
  std::int64_t batch = 0, groups = 1, channels = 0, filters = 0;  ///< channels and filters of a group
  std::int64_t in = 1, out = 1, taps = 1;                         ///< places of a map, positions, elements of the window
};

std::int64_t code_at(const Tensor& tensor, std::int64_t i) {
  return tensor.dtype == DType::kInt8 ? tensor.values<std::int8_t>()[as_size(i)] : tensor.values<std::uint8_t>()[as_size(i)];
}
std::int64_t zero_of(const EvalContext& eval, int slot, std::int64_t channel) {
  if (!eval.has_input(slot)) return 0;
  return code_at(eval.input(slot), eval.input(slot).elements() == 1 ? 0 : channel);
}

/// For every position and tap the place in the map, -1 beyond it: [out, taps].
std::vector<std::int64_t> places_of(const Windows& windows) {
  std::vector<std::int64_t> places(as_size(windows.out * windows.taps), 0);
  std::int64_t in_step = windows.in, out_step = windows.out, tap_step = windows.taps;
  for (const ConvolutionAxis& axis : windows.axes) {
    in_step /= std::max<std::int64_t>(1, axis.in), out_step /= axis.out, tap_step /= axis.kernel;
    for (std::int64_t i = 0; i < windows.out * windows.taps; ++i) {
      const std::int64_t position = i / windows.taps / out_step % axis.out, tap = i % windows.taps / tap_step % axis.kernel;
      const std::int64_t at = position * axis.stride - axis.before + tap * axis.dilation;
      std::int64_t& place = places[as_size(i)];
      place = at < 0 || at >= axis.in || place < 0 ? -1 : place + at * in_step;
    }
  }
  return places;
}

Result<Windows> plan(PrepareContext& context) {
  const Shape &map = context.input(kMap).shape, &filter = context.input(kFilter).shape;
  if (map.rank() != filter.rank() || map.rank() < 3) return context.fail("input {} and filter {}", to_string(map), to_string(filter));
  Windows windows{.batch = map[0], .groups = context.attributes().integer("group", 1)};
  const std::int64_t groups = windows.groups;
  if (groups < 1 || map[1] % groups != 0 || filter[0] % groups != 0 || filter[1] != map[1] / groups) {
    return context.fail("input {}, filter {} and {} groups do not fit together", to_string(map), to_string(filter), groups);
  }
  windows.channels = filter[1], windows.filters = filter[0] / groups;
  const std::vector<std::int64_t> kernel(filter.dims().begin() + kSpace, filter.dims().end());
  const auto given = context.attributes().integers("kernel_shape");
  if (!given.empty() && !std::ranges::equal(given, kernel)) return context.fail("kernel_shape is {}", to_string(Shape(given)));
  VISQ_ASSIGN(windows.axes, slide_onnx(context, kernel));
  Shape shape{map[0], filter[0]};
  for (const ConvolutionAxis& axis : windows.axes) shape.push_back(axis.out);
  VISQ_TRY(context.set_output(0, DType::kInt32, shape));
  windows.in = map.elements(kSpace, map.rank()), windows.out = shape.elements(kSpace, shape.rank());
  windows.taps = filter.elements(kSpace, filter.rank());
  const auto unfolded = checked_mul(windows.out, filter.elements(1, filter.rank()));
  if (!unfolded || !checked_mul(*unfolded, 16))
    return context.fail("windows of {} over {} are too many", to_string(filter), to_string(map));
  return windows;
}

Status expect_zeros(const PrepareContext& context) {
  for (const auto& [slot, codes] : {std::pair(kMapZero, kMap), {kFilterZero, kFilter}}) {
    if (!context.has_input(slot)) continue;
    VISQ_TRY(context.expect_same_type(slot, "the zero point", codes));
    const std::int64_t count = context.input(slot).elements();
    const bool fits = count == 1 || (slot == kFilterZero && count == context.input(kFilter).shape[0]);
    if (!fits) return context.fail("{} zero points for the shape {}", count, to_string(context.input(codes).shape));
  }
  return {};
}

backend::PackedMatrix pack_filters(const EvalContext& eval, const Windows& windows, std::int64_t group) {
  const std::int64_t depth = windows.channels * windows.taps;
  std::vector<std::int16_t> values(as_size(windows.filters * depth));
  for (std::int64_t i = 0; i < windows.filters * depth; ++i) {
    const std::int64_t channel = group * windows.filters + i / depth;
    values[as_size(i)] =
        static_cast<std::int16_t>(code_at(eval.input(kFilter), group * windows.filters * depth + i) - zero_of(eval, kFilterZero, channel));
  }
  return {values, windows.filters, depth};
}

/// The windows' elements of one group of one map: [out, channels, taps], and one element more.
void unfold(const EvalContext& eval, const Windows& windows, const std::vector<std::int64_t>& places, std::int64_t first,
            std::vector<std::int16_t>& rows) {
  const std::int64_t zero = zero_of(eval, kMapZero, 0);
  std::int16_t* row = rows.data();
  for (std::int64_t position = 0; position < windows.out; ++position) {
    const std::int64_t* const tap_places = places.data() + position * windows.taps;
    for (std::int64_t channel = 0; channel < windows.channels; ++channel) {
      for (std::int64_t tap = 0; tap < windows.taps; ++tap, ++row) {
        const std::int64_t place = tap_places[tap];
        *row =
            place < 0 ? std::int16_t{0} : static_cast<std::int16_t>(code_at(eval.input(kMap), first + channel * windows.in + place) - zero);
      }
    }
  }
}

void convolve(EvalContext& eval, const Windows& windows) {
  const auto places = places_of(windows);
  const std::int64_t depth = windows.channels * windows.taps;
  std::vector<std::int16_t> rows(as_size(windows.out * depth) + 1, 0);
  std::vector<std::int32_t> sums(as_size(windows.out * windows.filters));
  for (std::int64_t group = 0; group < windows.groups; ++group) {
    const backend::PackedMatrix filters = pack_filters(eval, windows, group);
    for (std::int64_t image = 0; image < windows.batch; ++image) {
      const std::int64_t part = image * windows.groups + group;
      unfold(eval, windows, places, part * windows.channels * windows.in, rows);
      backend::multiply({rows.data(), depth, windows.out}, filters, sums.data(), windows.filters);
      std::int32_t* const out = eval.out<std::int32_t>(0).data() + part * windows.filters * windows.out;
      for (std::int64_t i = 0; i < windows.out * windows.filters; ++i) {
        out[i % windows.filters * windows.out + i / windows.filters] = sums[as_size(i)];
      }
    }
  }
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 4));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_type(kFilter, "the filter", {DType::kInt8, DType::kUInt8}));
  VISQ_ASSIGN(Windows windows, plan(context));
  VISQ_TRY(expect_zeros(context));
  return make_kernel([windows = std::move(windows)](EvalContext& eval) -> Status {
    const auto out = eval.out<std::int32_t>(0);
    if (windows.channels == 0) std::ranges::fill(out, 0);
    if (!out.empty() && windows.channels > 0) convolve(eval, windows);
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.ConvInteger", .prepare = prepare, .types = kCodes, .weights = WeightSlots{}, .multiply_adds = filter_multiply_adds}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_integer_conv
