// RESIZE_BILINEAR on stored integers: uint8 by float weights, int8 and int16 by weights of 10 bits. Both stay on the input's grid.
#include <algorithm>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/images/resize.h"

namespace visq::kernels::integer_resize_bilinear {
namespace {

constexpr int kInput = 0;

/// A pixel's place between two of the input, in 2^-10 of their distance.
struct FixedNeighbours {
  std::int64_t low = 0, high = 0;
  std::int32_t weight = 0;
};

FixedNeighbours fixed_neighbours(const ResizeAxis& axis, std::int64_t position) {
  constexpr std::int64_t kOne = 1 << 10;
  const bool aligned = axis.align_corners && axis.out > 1;
  const std::int64_t in = aligned ? axis.in - 1 : axis.in, out = aligned ? axis.out - 1 : axis.out;
  const std::int64_t scale = (kOne * in + out / 2) / out;
  const std::int64_t exact = position * scale + (axis.half_pixel_centers ? scale / 2 - kOne / 2 : 0);
  const std::int64_t at = std::min(exact, kOne * (axis.in - 1));  // a rounded scale may lead beyond the last pixel
  const std::int64_t low = std::max(at / kOne, std::int64_t{0});
  return {low, std::min((at + kOne - 1) / kOne, axis.in - 1), static_cast<std::int32_t>(at - kOne * low)};
}

/// One pixel from its four neighbours, channel by channel.
template <class T>
struct Corners {
  const T *top_low, *top_high, *bottom_low, *bottom_high;
};

template <class T>
void blend(const Corners<T>& in, T* out, std::int64_t channels, std::int32_t row_weight, std::int32_t column_weight) {
  using Sum = std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>;
  constexpr Sum kOne = 1 << 10, kSquare = kOne * kOne;
  const Sum w00 = (kOne - row_weight) * (kOne - column_weight), w01 = (kOne - row_weight) * column_weight;
  const Sum w10 = row_weight * (kOne - column_weight), w11 = Sum{row_weight} * column_weight;
  for (std::int64_t c = 0; c < channels; ++c) {
    const Sum sum = in.top_low[c] * w00 + in.top_high[c] * w01 + in.bottom_low[c] * w10 + in.bottom_high[c] * w11;
    out[c] = static_cast<T>((sum + (sum > 0 ? kSquare / 2 : -kSquare / 2)) / kSquare);
  }
}

void blend(const Corners<std::uint8_t>& in, std::uint8_t* out, std::int64_t channels, float row_weight, float column_weight) {
  const auto weighted = [](std::uint8_t value, float row, float column) { return static_cast<float>(value) * row * column; };
  for (std::int64_t c = 0; c < channels; ++c) {
    const float sum = weighted(in.top_low[c], 1 - row_weight, 1 - column_weight) +
                      weighted(in.bottom_low[c], row_weight, 1 - column_weight) + weighted(in.top_high[c], 1 - row_weight, column_weight) +
                      weighted(in.bottom_high[c], row_weight, column_weight) + 0.5F;
    out[c] = static_cast<std::uint8_t>(sum);
  }
}

/// find(axis, position) gives the neighbours.
template <class T, class Find>
Status resize_all(EvalContext& eval, const Resize& resize, Find find) {
  using Place = decltype(find(resize.rows, 0));
  if (eval.output(0).elements() == 0) return {};
  const std::int64_t width = resize.columns.out, channels = resize.channels, row_elements = resize.columns.in * channels;
  auto* columns = reinterpret_cast<Place*>(eval.scratch(as_size(width) * sizeof(Place)));
  for (std::int64_t x = 0; x < width; ++x) columns[x] = find(resize.columns, x);
  T* out = eval.out<T>(0).data();
  for (std::int64_t batch = 0; batch < resize.batches; ++batch) {
    const T* image = eval.in<T>(kInput).data() + batch * resize.rows.in * row_elements;
    for (std::int64_t y = 0; y < resize.rows.out; ++y) {
      const Place row = find(resize.rows, y);
      const T *top = image + row.low * row_elements, *bottom = image + row.high * row_elements;
      for (std::int64_t x = 0; x < width; ++x, out += channels) {
        const std::int64_t low = columns[x].low * channels, high = columns[x].high * channels;
        blend(Corners<T>{top + low, top + high, bottom + low, bottom + high}, out, channels, row.weight, columns[x].weight);
      }
    }
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_ASSIGN(const Resize resize, read_bilinear_resize(context));
  if (context.input(kInput).dtype == DType::kUInt8) {
    return make_kernel([resize](EvalContext& eval) { return resize_all<std::uint8_t>(eval, resize, neighbours); });
  }
  return for_type(context, kInput, TypeList<std::int8_t, std::int16_t>(), [&]<class T>(std::type_identity<T>) {
    return make_kernel([resize](EvalContext& eval) { return resize_all<T>(eval, resize, fixed_neighbours); });
  });
}

constexpr OpDef kDefinitions[] = {{.name = "RESIZE_BILINEAR", .prepare = prepare, .types = {DType::kInt8, DType::kUInt8, DType::kInt16}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_resize_bilinear
