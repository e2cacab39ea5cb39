// CONV_3D and CONV_3D_TRANSPOSE against plain loops in double.
#include <gmock/gmock.h>

#include <array>

#include "support/models/heavy_reference.h"

namespace visq::testing {
namespace {

using Sizes = std::array<std::int64_t, 3>;  ///< depth, height, width

struct VolumeCase {
  std::int64_t batch = 1, channels = 2, outputs = 3;
  Sizes in = {3, 4, 5}, kernel = {2, 3, 2}, stride = {1, 1, 1}, dilation = {1, 1, 1}, out = {3, 4, 5};
  std::string padding = "SAME", activation = "NONE";

  Attributes attributes() const {
    return visq::testing::attributes({{"padding", padding},
                                      {"stride_d", stride[0]},
                                      {"stride_h", stride[1]},
                                      {"stride_w", stride[2]},
                                      {"dilation_d_factor", dilation[0]},
                                      {"dilation_h_factor", dilation[1]},
                                      {"dilation_w_factor", dilation[2]},
                                      {"fused_activation_function", activation}});
  }
};

std::int64_t product(const Sizes& sizes) { return sizes[0] * sizes[1] * sizes[2]; }
Sizes place(const Sizes& sizes, std::int64_t index) {
  return {index / (sizes[1] * sizes[2]), index / sizes[2] % sizes[1], index % sizes[2]};
}
std::int64_t index(const Sizes& sizes, const Sizes& at) { return (at[0] * sizes[1] + at[1]) * sizes[2] + at[2]; }

/// Calls visit(pixel, tap, other) for every pixel of the side that windows slide along and each tap that meets a pixel of the other side.
template <class Visit>
void for_each_pair(const VolumeCase& c, const Sizes& small, const Sizes& large, Visit visit) {
  for (std::int64_t pixel = 0; pixel < product(small); ++pixel) {
    for (std::int64_t tap = 0; tap < product(c.kernel); ++tap) {
      Sizes at{};
      bool inside = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t extent = (c.kernel[axis] - 1) * c.dilation[axis] + 1;
        const std::int64_t padding = std::max<std::int64_t>(0, (small[axis] - 1) * c.stride[axis] + extent - large[axis]);
        const std::int64_t before = c.padding == "SAME" ? padding / 2 : 0;
        at[axis] = place(small, pixel)[axis] * c.stride[axis] - before + place(c.kernel, tap)[axis] * c.dilation[axis];
        inside = inside && at[axis] >= 0 && at[axis] < large[axis];
      }
      if (inside) visit(pixel, tap, index(large, at));
    }
  }
}

/// Adds x[from, :] * filter to y[to, :]; `filter_at(i, o)` is where the filter keeps its element.
template <class FilterAt>
void add(const VolumeCase& c, const std::vector<float>& x, std::int64_t from, const std::vector<float>& filter, FilterAt filter_at,
         std::vector<double>& y, std::int64_t to) {
  for (std::int64_t i = 0; i < c.channels; ++i)
    for (std::int64_t o = 0; o < c.outputs; ++o)
      y[static_cast<std::size_t>(to * c.outputs + o)] += static_cast<double>(x[static_cast<std::size_t>(from * c.channels + i)]) *
                                                         static_cast<double>(filter[static_cast<std::size_t>(filter_at(i, o))]);
}

Shape volume(std::int64_t batch, const Sizes& sizes, std::int64_t channels) { return {batch, sizes[0], sizes[1], sizes[2], channels}; }

TEST(Conv3D, AgreesWithLoops) {
  Numbers numbers(81);
  const std::vector<VolumeCase> cases = {
      {},
      {.batch = 2, .stride = {2, 1, 3}, .out = {2, 4, 2}, .activation = "RELU"},
      {.stride = {1, 2, 1}, .dilation = {2, 1, 3}, .out = {1, 1, 2}, .padding = "VALID"},
      {.channels = 70, .outputs = 1, .in = {2, 9, 9}, .kernel = {1, 3, 3}, .out = {2, 9, 9}, .activation = "TANH"},
  };
  for (const VolumeCase& c : cases) {
    const auto x = numbers.reals(c.batch * product(c.in) * c.channels);
    const auto filter = numbers.reals(product(c.kernel) * c.channels * c.outputs);
    const auto bias = numbers.reals(c.outputs);
    std::vector<double> want(static_cast<std::size_t>(c.batch * product(c.out) * c.outputs), 0);
    for (std::int64_t n = 0; n < c.batch; ++n) {
      for_each_pair(c, c.out, c.in, [&](std::int64_t out, std::int64_t tap, std::int64_t in) {
        const auto at = [&](std::int64_t i, std::int64_t o) { return (tap * c.channels + i) * c.outputs + o; };
        add(c, x, n * product(c.in) + in, filter, at, want, n * product(c.out) + out);
      });
    }
    const auto result =
        run({.type = "CONV_3D",
             .inputs = {activation(volume(c.batch, c.in, c.channels), x),
                        constant({c.kernel[0], c.kernel[1], c.kernel[2], c.channels, c.outputs}, filter), constant({c.outputs}, bias)},
             .attributes = c.attributes()});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->shape, volume(c.batch, c.out, c.outputs));
    expect_near(result->values, add_bias(want, widen(bias)), 1e-5, c.activation);
  }
}

TEST(Conv3DTranspose, AgreesWithLoops) {
  Numbers numbers(82);
  const std::vector<VolumeCase> cases = {
      {},
      {.batch = 2, .in = {2, 3, 2}, .stride = {2, 1, 3}, .out = {4, 3, 5}, .activation = "RELU6"},
      {.in = {2, 2, 2}, .stride = {1, 2, 1}, .dilation = {2, 1, 3}, .out = {4, 5, 5}, .padding = "VALID"},
  };
  for (const VolumeCase& c : cases) {
    const auto x = numbers.reals(c.batch * product(c.in) * c.channels);
    const auto filter = numbers.reals(product(c.kernel) * c.channels * c.outputs);
    std::vector<double> want(static_cast<std::size_t>(c.batch * product(c.out) * c.outputs), 0);
    for (std::int64_t n = 0; n < c.batch; ++n) {
      for_each_pair(c, c.in, c.out, [&](std::int64_t in, std::int64_t tap, std::int64_t out) {
        const auto at = [&](std::int64_t i, std::int64_t o) { return (tap * c.outputs + o) * c.channels + i; };
        add(c, x, n * product(c.in) + in, filter, at, want, n * product(c.out) + out);
      });
    }
    const auto result = run({.type = "CONV_3D_TRANSPOSE",
                             .inputs = {integer_constant({5}, DType::kInt32, {c.batch, c.out[0], c.out[1], c.out[2], c.outputs}),
                                        constant({c.kernel[0], c.kernel[1], c.kernel[2], c.outputs, c.channels}, filter),
                                        activation(volume(c.batch, c.in, c.channels), x)},
                             .attributes = c.attributes()});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->shape, volume(c.batch, c.out, c.outputs));
    expect_near(result->values, want, 1e-5, c.activation);
  }
}

TEST(Conv3D, BadParametersNameThePlace) {
  const auto error = [](Shape filter, std::int64_t biases, const Sizes& stride, const std::string& padding = "SAME") {
    const VolumeCase c{.stride = stride, .padding = padding};
    const auto count = static_cast<std::size_t>(filter.elements());
    return error_of(
        {.type = "CONV_3D",
         .inputs = {activation({1, 3, 4, 5, 2}, std::vector<float>(120)), constant(std::move(filter), std::vector<float>(count)),
                    constant({biases}, std::vector<float>(static_cast<std::size_t>(biases)))},
         .attributes = c.attributes()});
  };
  const std::string place = "m.tflite: subgraph 0, node 0 CONV_3D: ";
  EXPECT_EQ(error({1, 1, 1, 2, 3}, 3, {1, 1, 1}), "");
  EXPECT_EQ(error({1, 1, 2, 3}, 3, {1, 1, 1}), place + "filter has rank 4, expected 5");
  EXPECT_EQ(error({1, 1, 1, 3, 3}, 3, {1, 1, 1}), place + "input has 2 channels, the filter 3");
  EXPECT_EQ(error({1, 1, 1, 2, 3}, 2, {1, 1, 1}), place + "bias has 2 elements, expected 3");
  EXPECT_EQ(error({1, 1, 1, 2, 3}, 3, {0, 1, 1}), place + "stride of the depth is 0");
  EXPECT_EQ(error({4, 1, 1, 2, 3}, 3, {1, 1, 1}, "VALID"), place + "window of 4 exceeds the input's depth of 3");
}

}  // namespace
}  // namespace visq::testing
