#include "kernels/onnx/window.h"

#include <algorithm>
#include <limits>

#include "core/as_size.h"

namespace visq::kernels {
namespace {

using backend::ConvolutionAxis;

constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
constexpr int kSpace = 2;  ///< the first axis of space

/// The numbers that an attribute has for each axis.
struct WindowNumbers {
  bool same = false, upper = false;  ///< auto_pad is SAME_UPPER or SAME_LOWER: pads are to be found
  std::vector<std::int64_t> strides, dilations, pads, output_padding;
};

Result<std::vector<std::int64_t>> numbers(const PrepareContext& context, std::string_view name, std::size_t count, std::int64_t otherwise,
                                          std::int64_t least) {
  const auto given = context.attributes().integers(name);
  if (given.empty()) return std::vector<std::int64_t>(count, otherwise);
  if (given.size() != count) return context.fail("has {} {}, expected {}", given.size(), name, count);
  for (const std::int64_t value : given) {
    if (value < least || value > kLargest) return context.fail("{} holds {}", name, value);
  }
  return std::vector<std::int64_t>(given.begin(), given.end());
}

using Sizes = std::span<const std::int64_t>;

/// The axes of space of input 0.
Sizes space_of(const PrepareContext& context) {
  const auto dims = context.input(0).shape.dims();
  return dims.subspan(std::min<std::size_t>(dims.size(), kSpace));
}

Result<WindowNumbers> read_numbers(const PrepareContext& context, Sizes sizes, Sizes kernel) {
  const std::size_t axes = kernel.size();
  if (sizes.size() != axes) return context.fail("the map has {} axes of space, the window {}", sizes.size(), axes);
  for (std::size_t i = 0; i < axes; ++i) {
    const bool fits = kernel[i] >= 1 && kernel[i] <= kLargest && sizes[i] >= 0 && sizes[i] <= kLargest;
    if (!fits) return context.fail("a window of {} on an axis of {}", kernel[i], sizes[i]);
  }
  WindowNumbers all;
  VISQ_ASSIGN(all.strides, numbers(context, "strides", axes, 1, 1));
  VISQ_ASSIGN(all.dilations, numbers(context, "dilations", axes, 1, 1));
  VISQ_ASSIGN(all.pads, numbers(context, "pads", 2 * axes, 0, 0));
  VISQ_ASSIGN(all.output_padding, numbers(context, "output_padding", axes, 0, 0));
  const auto mode = context.attributes().text("auto_pad", "NOTSET");
  all.upper = mode == "SAME_UPPER";
  all.same = all.upper || mode == "SAME_LOWER";
  if (!all.same && mode != "NOTSET" && mode != "VALID") return context.fail("auto_pad is {}", mode);
  if (mode == "VALID") std::ranges::fill(all.pads, 0);
  return all;
}

/// SAME_UPPER and SAME_LOWER differ in who gets what is left of an odd border.
void pad_same(ConvolutionAxis& axis, bool lower) {
  axis.out = (axis.in + axis.stride - 1) / axis.stride;
  const std::int64_t border = std::max<std::int64_t>(0, (axis.out - 1) * axis.stride + axis.extent() - axis.in);
  axis.before = lower ? border - border / 2 : border / 2;
  axis.after = border - axis.before;
}

void slide(ConvolutionAxis& axis, bool ceil) {
  const std::int64_t free = axis.in + axis.before + axis.after - axis.extent();
  axis.out = (ceil ? free + axis.stride - 1 : free) / axis.stride + 1;
  if (ceil && (axis.out - 1) * axis.stride >= axis.in + axis.before) --axis.out;  // no window begins in the border behind
}

/// The attribute output_shape, which some files write with batch and channels; empty where it is absent.
Result<std::vector<std::int64_t>> stated_outputs(const PrepareContext& context, std::size_t axes) {
  auto given = context.attributes().integers("output_shape");
  if (given.size() == axes + kSpace) given = given.subspan(kSpace);
  if (!given.empty() && given.size() != axes) return context.fail("output_shape has {} sizes, the window {} axes", given.size(), axes);
  for (const std::int64_t size : given) {
    if (size < 1 || size > kLargest) return context.fail("output_shape holds {}", size);
  }
  return std::vector<std::int64_t>(given.begin(), given.end());
}

/// What the output is smaller than the `full` one is cut off at both ends; the smaller half of an odd rest before, of SAME_UPPER, or
/// behind.
void cut_to_size(ConvolutionAxis& axis, std::int64_t full, std::int64_t output_padding, bool upper) {
  const std::int64_t rest = std::max<std::int64_t>(0, full + output_padding - axis.out);
  axis.before = upper ? rest / 2 : rest - rest / 2;
  axis.after = full - axis.out - axis.before;
}

}  // namespace

Result<std::vector<ConvolutionAxis>> slide_onnx(const PrepareContext& context, std::span<const std::int64_t> kernel) {
  return slide_onnx_over(context, space_of(context), kernel);
}

Result<std::vector<ConvolutionAxis>> slide_onnx_over(const PrepareContext& context, std::span<const std::int64_t> sizes,
                                                     std::span<const std::int64_t> kernel) {
  VISQ_ASSIGN(const WindowNumbers all, read_numbers(context, sizes, kernel));
  std::vector<ConvolutionAxis> axes;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    ConvolutionAxis axis{.in = sizes[i], .kernel = kernel[i], .stride = all.strides[i], .dilation = all.dilations[i]};
    if (all.same) {
      pad_same(axis, !all.upper);
    } else {
      axis.before = all.pads[i];
      axis.after = all.pads[kernel.size() + i];
      if (axis.extent() > axis.in + axis.before + axis.after) {
        return context.fail("window of {} exceeds the map's {} and its borders of {} and {}", axis.extent(), axis.in, axis.before,
                            axis.after);
      }
      slide(axis, context.attributes().integer("ceil_mode") != 0);
    }
    axes.push_back(axis);
  }
  return axes;
}

Result<std::vector<ConvolutionAxis>> slide_onnx_transposed(const PrepareContext& context, std::span<const std::int64_t> kernel) {
  const Sizes sizes = space_of(context);
  VISQ_ASSIGN(const WindowNumbers all, read_numbers(context, sizes, kernel));
  VISQ_ASSIGN(const auto outputs, stated_outputs(context, kernel.size()));
  std::vector<ConvolutionAxis> axes;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    ConvolutionAxis axis{.in = sizes[i], .kernel = kernel[i], .stride = all.strides[i], .dilation = all.dilations[i]};
    const std::int64_t full = axis.stride * (axis.in - 1) + axis.extent();
    if (!outputs.empty() || all.same) {
      axis.out = outputs.empty() ? axis.in * axis.stride : outputs[i];
      cut_to_size(axis, full, all.output_padding[i], all.upper);
    } else {
      axis.before = all.pads[i];
      axis.after = all.pads[kernel.size() + i] - all.output_padding[i];
      axis.out = full - axis.before - axis.after;
    }
    if (axis.out < 1 || axis.out > kLargest) return context.fail("an axis of {} would become {}", axis.in, axis.out);
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace visq::kernels
