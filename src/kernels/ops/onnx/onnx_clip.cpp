// ONNX operators that limit or cut numbers of any type: Clip, Shrink.
#include <algorithm>
#include <limits>

#include "core/as_size.h"
#include "kernels/elementwise/wide_numbers.h"

namespace visq::kernels::ops_onnx_clip {
namespace {

template <class T>
struct Limit {
  T low, high;
  T operator()(T x) const {
    const T raised = x < low ? low : x;  // NaN stays
    return high < raised ? high : raised;
  }
};

/// A number of a wide type, whatever an input stores it in.
template <class T>
T first_number(const Tensor& tensor) {
  T number;
  auto* const to = reinterpret_cast<std::byte*>(&number);
  is_narrow(tensor.dtype) ? widen_numbers(tensor.dtype, tensor.data, to, 1) : static_cast<void>(std::copy_n(tensor.data, sizeof(T), to));
  return number;
}

/// An end of the range: an attribute up to operator set 10, then an input that may be left out.
template <class T>
Result<T> end_of_range(PrepareContext& context, std::string_view name, int slot, T open) {
  if (!context.has_input(slot)) {
    if (context.attributes().find(name) == nullptr || !std::is_floating_point_v<T>) return open;
    return static_cast<T>(context.attributes().real(name));
  }
  VISQ_TRY(context.expect_same_type(slot, name, 0));
  VISQ_TRY(context.require_known(slot));
  if (context.input(slot).elements() != 1) return context.fail("{} has the shape {}", name, to_string(context.input(slot).shape));
  return first_number<T>(context.input(slot));
}

Result<std::unique_ptr<Kernel>> prepare_clip(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 3));
  VISQ_TRY(context.expect_outputs(1));
  const DType type = context.input(0).dtype;
  return for_dtype(context, wide_type(type), WideTypes(), [&]<class T>(std::type_identity<T>) -> Result<std::unique_ptr<Kernel>> {
    Limit<T> limit{};
    VISQ_ASSIGN(limit.low, end_of_range<T>(context, "min", 1, std::numeric_limits<T>::lowest()));
    VISQ_ASSIGN(limit.high, end_of_range<T>(context, "max", 2, std::numeric_limits<T>::max()));
    std::unique_ptr<const MapRun> run = std::make_unique<MapOf<T, T, Limit<T>>>(limit);
    return map_kernel(context, type, type, through_wide(type, false, std::move(run)));
  });
}

struct Shrink {
  double lambd, bias;
  template <class T>
  T operator()(T x) const {
    const auto value = static_cast<double>(x);
    return value < -lambd ? nearest_number<T>(value + bias) : value > lambd ? nearest_number<T>(value - bias) : T{0};
  }
};

Result<std::unique_ptr<Kernel>> prepare_shrink(PrepareContext& context) {
  return map_numbers<WideTypes>(context, Shrink{context.attributes().real("lambd", 0.5), context.attributes().real("bias", 0)});
}

constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.Clip", .prepare = prepare_clip, .types = kNumbers},
    {.name = "ai.onnx.Shrink", .prepare = prepare_shrink, .types = kNumbers, .pointwise = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_clip
