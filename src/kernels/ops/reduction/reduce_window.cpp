// REDUCE_WINDOW, STABLEHLO_REDUCE_WINDOW: windows of any rank that slide over a tensor, each folded into one element.
#include <algorithm>
#include <cstring>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/element_types.h"
#include "kernels/elementwise/fold_function.h"
#include "kernels/indexing/interior_padding.h"

namespace visq::kernels::ops_reduce_window {
namespace {

constexpr int kInput = 0;
constexpr int kInitial = 1;

using Types = TypeList<float, double, Bool, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, std::int64_t>;

/// One number per axis.
struct WindowSizes {
  std::vector<std::int64_t> size, stride, dilation;
};

/// Where the windows lie in the tensor that they slide over, and where each result goes.
struct Windows {
  Loops<2> places;  ///< first element of a window, its result
  Loops<1> window;  ///< elements of a window, from its first
};

Result<Windows> plan_windows(PrepareContext& context, const Shape& over, const WindowSizes& sizes) {
  Shape results, window;
  std::vector<std::int64_t> place_steps, element_steps;
  const auto strides = dense_strides(over);
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  for (int axis = 0; axis < over.rank(); ++axis) {
    const auto i = as_size(axis);
    for (const std::int64_t value : {sizes.size[i], sizes.stride[i], sizes.dilation[i]}) {
      if (value < 1 || value > kLargest) {
        return context.fail("axis {} has windows of {}, stride {}, dilation {}", axis, sizes.size[i], sizes.stride[i], sizes.dilation[i]);
      }
    }
    const auto reach = checked_mul(sizes.size[i] - 1, sizes.dilation[i]);
    const bool fits = reach && *reach < over[axis];
    results.push_back(fits ? (over[axis] - *reach - 1) / sizes.stride[i] + 1 : 0);
    place_steps.push_back(results.back() > 1 ? strides[i] * sizes.stride[i] : 0);
    window.push_back(fits ? sizes.size[i] : 1);
    element_steps.push_back(window.back() > 1 ? strides[i] * sizes.dilation[i] : 0);
  }
  VISQ_TRY(context.set_output(0, context.input(kInput).dtype, results));
  return Windows{Loops<2>(results.dims(), {place_steps, dense_strides(results)}), Loops<1>(window.dims(), {element_steps})};
}

void fold_windows(const Windows& windows, const std::byte* from, const std::byte* initial, std::byte* results, const Fold& fold) {
  const auto bytes = [&](std::int64_t elements) { return elements * static_cast<std::ptrdiff_t>(fold.size); };
  const std::int64_t results_in_run = windows.places.run_length(), length = windows.window.run_length();
  const auto steps = windows.places.run_steps();
  const std::int64_t step = windows.window.run_steps()[0];
  windows.places.for_each_run([&](const auto& place) {
    for (std::int64_t r = 0; r < results_in_run; ++r) {
      const std::byte* const first = from + bytes(place[0] + r * steps[0]);
      std::byte* const total = results + bytes(place[1] + r * steps[1]);
      std::memcpy(total, initial, fold.size);
      windows.window.for_each_run([&](const auto& offset) { fold.many(total, first + bytes(offset[0]), length, step); });
    }
  });
}

/// `pad` is null where the windows slide over the input itself.
Result<std::unique_ptr<Kernel>> window_kernel(PrepareContext& context, FoldFunction function, std::shared_ptr<const InteriorPad> pad,
                                              const WindowSizes& sizes) {
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_same_type(kInitial, "the initial value", kInput));
  if (context.input(kInitial).shape.elements() != 1)
    return context.fail("the initial value has the shape {}", to_string(context.input(kInitial).shape));
  VISQ_ASSIGN(const Windows windows, plan_windows(context, pad != nullptr ? pad->padded() : context.input(kInput).shape, sizes));
  return make_kernel([windows, pad, fold = fold_of(context.input(kInput).dtype, function)](EvalContext& eval) -> Status {
    Tensor over = eval.input(kInput);
    if (pad != nullptr) {
      over.shape = pad->padded();
      over.data = eval.scratch(as_size(over.elements()) * fold.size);
      pad->run(eval.input(kInput), eval.input(kInitial), over);
    }
    fold_windows(windows, over.data, eval.input(kInitial).data, eval.output(0).data, fold);
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_reduce_window(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(5, 5));
  struct Entry {
    std::string_view name;
    FoldFunction function;
  };
  static constexpr Entry kFunctions[] = {{"ADD", FoldFunction::kAdd},         {"MUL", FoldFunction::kMultiply},
                                         {"MINIMUM", FoldFunction::kMinimum}, {"MAXIMUM", FoldFunction::kMaximum},
                                         {"ALL", FoldFunction::kAll},         {"ANY", FoldFunction::kAny}};
  const auto name = context.attributes().text("reduce_function");
  const auto* entry = std::find_if(std::begin(kFunctions), std::end(kFunctions), [&](const Entry& e) { return e.name == name; });
  if (entry == std::end(kFunctions)) return context.unsupported("reduce function '{}'", name);
  WindowSizes sizes;
  const std::pair<std::string_view, std::vector<std::int64_t>*> inputs[] = {
      {"the window", &sizes.size}, {"the strides", &sizes.stride}, {"the dilations", &sizes.dilation}};
  int slot = kInitial + 1;
  for (const auto& [role, values] : inputs) {
    VISQ_ASSIGN(*values, context.integers(slot++, role));
    const int rank = context.input(kInput).shape.rank();
    if (values->size() != as_size(rank)) {
      return context.fail("{} has {} values for a tensor of rank {}", role, values->size(), rank);
    }
  }
  return window_kernel(context, entry->function, nullptr, sizes);
}

/// An option with one number per axis, or `per_axis` of them; all `fallback` where it is absent.
Result<std::vector<std::int64_t>> listed(const PrepareContext& context, std::string_view option, std::int64_t fallback, int per_axis = 1) {
  const auto values = context.attributes().integers(option);
  const auto count = as_size(context.input(kInput).shape.rank() * per_axis);
  if (values.empty()) return std::vector<std::int64_t>(count, fallback);
  if (values.size() != count) return context.fail("{} has {} values, expected {}", option, values.size(), count);
  return std::vector<std::int64_t>(values.begin(), values.end());
}

Result<std::unique_ptr<Kernel>> prepare_stablehlo(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_ASSIGN(const auto function, folding_body(context, context.attributes().integer("body_subgraph_index", -1)));
  if (!function) return context.fail("its body has no operators");
  WindowSizes sizes;
  VISQ_ASSIGN(sizes.size, listed(context, "window_dimensions", 0));
  VISQ_ASSIGN(sizes.stride, listed(context, "window_strides", 1));
  VISQ_ASSIGN(sizes.dilation, listed(context, "window_dilations", 1));
  VISQ_ASSIGN(const auto gaps, listed(context, "base_dilations", 1));
  VISQ_ASSIGN(const auto edges, listed(context, "padding", 0, 2));
  std::vector<AxisPadding> paddings;
  bool padded = false;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (gaps[i] < 1) return context.fail("a base dilation of {}", gaps[i]);
    paddings.push_back({edges[2 * i], edges[2 * i + 1], gaps[i] - 1});
    padded = padded || edges[2 * i] != 0 || edges[2 * i + 1] != 0 || gaps[i] != 1;
  }
  VISQ_ASSIGN(auto pad, InteriorPad::plan(context, context.input(kInput).shape, paddings));
  constexpr std::int64_t kMostPadded = std::int64_t{1} << 28;
  if (padded && pad.padded().elements() > kMostPadded) return context.fail("the padded shape {} is too large", to_string(pad.padded()));
  return window_kernel(context, *function, padded ? std::make_shared<const InteriorPad>(std::move(pad)) : nullptr, sizes);
}

constexpr OpDef kDefinitions[] = {
    {.name = "REDUCE_WINDOW", .prepare = prepare_reduce_window, .types = Types::dtypes(), .takes_stored = true},
    {.name = "STABLEHLO_REDUCE_WINDOW", .prepare = prepare_stablehlo, .types = Types::dtypes(), .takes_stored = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_reduce_window
