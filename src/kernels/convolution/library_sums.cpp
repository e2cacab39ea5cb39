#include "kernels/convolution/library_sums.h"

#include "core/as_size.h"
#include "kernels/convolution/integer_sums.h"
#include "kernels/convolution/primitive_kernel.h"

namespace visq::kernels {
namespace {

class LibraryKernel final : public PrimitiveKernel {
 public:
  LibraryKernel(std::unique_ptr<backend::OneDnnPrimitive> primitive, const ConvolutionSpec& spec, StoredResult<std::int32_t> result)
      : PrimitiveKernel(std::move(primitive)), spec_(spec), result_(std::move(result)) {}

  Status eval(EvalContext& context) const override {
    std::byte* scratch = context.scratch(scratch_bytes());
    auto* sums = reinterpret_cast<std::int32_t*>(scratch + primitive_scratch());
    VISQ_TRY(run(context, {.source = context.input(spec_.slots.input).data, .target = sums, .scratch = scratch}));
    result_.write(context, sums, spec_.shape.out_pixels(), 0);
    return {};
  }
  std::size_t scratch_bytes() const override {
    const auto elements = as_size(spec_.shape.out_pixels() * spec_.shape.out_channels);
    return primitive_scratch() + elements * sizeof(std::int32_t);
  }

 private:
  ConvolutionSpec spec_;
  StoredResult<std::int32_t> result_;
};

}  // namespace

std::unique_ptr<Kernel> make_library_sums(const PrepareContext& context, const ConvolutionSpec& spec, std::int32_t input_zero,
                                          std::span<const std::int16_t> filter, StoredResult<std::int32_t> result) {
  constexpr std::int64_t kMostSums = std::int64_t{8} << 20;  // they stand in memory all at once
  const backend::ConvolutionShape& shape = spec.shape;
  const DType source = context.input(spec.slots.input).dtype;
  if (!backend::exact_int8_sums() || (source != DType::kInt8 && source != DType::kUInt8)) return nullptr;
  if (shape.transposed || spec.layout != backend::FilterLayout::kOhwi || shape.taps() == 0) return nullptr;
  if (shape.out_pixels() > kMostSums / shape.out_channels) return nullptr;
  const IntegerSums sums{.source = source, .source_zero_point = input_zero, .filter = {filter.begin(), filter.end()}};
  if (largest_sum(sums, shape, spec.layout) >= kExactFloat) return nullptr;
  const Int8Filter weights = to_int8(sums, shape, spec.layout);
  if (!weights.offsets.empty()) return nullptr;
  auto primitive = backend::make_onednn_convolution({.shape = shape,
                                                     .layout = spec.layout,
                                                     .source = source,
                                                     .source_zero_point = input_zero,
                                                     .target = DType::kInt32,
                                                     .filter = weights.values.data()});
  if (primitive == nullptr || !primitive->generated()) return nullptr;
  return std::make_unique<LibraryKernel>(std::move(primitive), spec, std::move(result));
}

}  // namespace visq::kernels
