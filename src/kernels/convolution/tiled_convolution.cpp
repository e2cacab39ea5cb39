#include "kernels/convolution/tiled_convolution.h"

#include <utility>

#include "core/as_size.h"
#include "core/repeated.h"

namespace visq::kernels {
namespace {

using backend::ConvolutionShape;

/// Input lines whose products TiledKernel holds at once: as many as fit into a cache, and a divisor of their number.
std::int64_t lines_at_once(const ConvolutionShape& shape) {
  constexpr std::int64_t kElements = std::int64_t{64} << 10;
  const std::int64_t lines = shape.batch * shape.height.in;
  const std::int64_t line = shape.width.in * shape.height.kernel * shape.width.kernel * shape.out_channels;
  std::int64_t count = std::clamp<std::int64_t>(kElements / std::max<std::int64_t>(line, 1), 1, lines);
  while (lines % count != 0) --count;
  return count;
}

class TiledKernel final : public Kernel {
 public:
  TiledKernel(std::unique_ptr<Kernel> products, const ConvolutionSpec& spec)
      : products_(std::move(products)), spec_(spec), lines_(lines_at_once(spec.shape)), output_(products_of_pixels(spec).output) {}

  struct State final : KernelState {
    std::unique_ptr<KernelState> products;
    std::vector<float> values;
    std::vector<std::byte> scratch;
  };
  std::unique_ptr<KernelState> make_state() const override {
    auto state = std::make_unique<State>();
    state->products = products_->make_state();
    state->values.resize(as_size(output_.elements()));
    return state;
  }

  Status eval(EvalContext& context) const override {
    const ConvolutionShape& shape = spec_.shape;
    const std::int64_t in_block = lines_ * shape.width.in * shape.in_channels;
    auto& state = context.state<State>();
    Tensor products = context.output(0);
    products.shape = output_;
    products.data = reinterpret_cast<std::byte*>(state.values.data());
    Tensor* const outputs[] = {&products};
    Tensor source = context.input(spec_.slots.input);
    source.shape = {in_block / shape.in_channels, shape.in_channels};
    std::vector<const Tensor*> inputs;
    for (int slot = 0; slot < context.input_count(); ++slot) inputs.push_back(context.has_input(slot) ? &context.input(slot) : nullptr);
    inputs[as_size(spec_.slots.input)] = &source;
    for (std::int64_t line = 0; line < shape.batch * shape.height.in; line += lines_) {
      EvalContext inner(inputs, outputs, state.products.get(), state.scratch);
      VISQ_TRY(products_->eval(inner));
      lay_out(state.values.data(), line, context.out<float>(0).data());
      source.data += in_block * static_cast<std::int64_t>(sizeof(float));
      if (source.codes != nullptr) source.codes += in_block;  // one byte each: of others no kernel sums integers
    }
    return {};
  }

 private:
  void lay_out(const float* from, std::int64_t first, float* target) const {
    const ConvolutionShape& shape = spec_.shape;
    const std::int64_t row = shape.width.kernel * shape.out_channels;  // of one tile
    for (std::int64_t line = first; line < first + lines_; ++line) {
      for (std::int64_t x = 0; x < shape.width.in; ++x) {
        float* to = target + line * shape.height.kernel * shape.width.in * row + x * row;
        for (std::int64_t y = 0; y < shape.height.kernel; ++y, from += row) std::copy_n(from, row, to + y * shape.width.in * row);
      }
    }
  }

  std::unique_ptr<Kernel> products_;
  ConvolutionSpec spec_;
  std::int64_t lines_;
  Shape output_;  ///< of one block's products
};

}  // namespace

bool tiles_output(const ConvolutionShape& shape) {
  const auto tiles = [](const backend::ConvolutionAxis& axis) {
    return axis.kernel == axis.stride && axis.dilation == 1 && axis.before == 0 && axis.out == axis.in * axis.stride;
  };
  return shape.transposed && shape.groups == 1 && tiles(shape.height) && tiles(shape.width);
}

ConvolutionSpec products_of_pixels(const ConvolutionSpec& spec) {
  const std::int64_t pixels = lines_at_once(spec.shape) * spec.shape.width.in;
  ConvolutionSpec products = spec;
  products.shape = {.in_channels = spec.shape.in_channels,
                    .out_channels = spec.shape.out_channels * spec.shape.height.kernel * spec.shape.width.kernel,
                    .height = {},
                    .width = {.in = pixels, .out = pixels}};
  products.output = {pixels, products.shape.out_channels};
  return products;
}

void repeat_for_taps(std::vector<float>& channels, const ConvolutionShape& shape) {
  channels = repeated(std::span<const float>(channels), as_size(shape.height.kernel * shape.width.kernel));
}

std::unique_ptr<Kernel> make_tiled(std::unique_ptr<Kernel> products, const ConvolutionSpec& spec) {
  return std::make_unique<TiledKernel>(std::move(products), spec);
}

}  // namespace visq::kernels
