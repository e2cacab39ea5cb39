// LOGISTIC, TANH on stored integers: for 8 bits tables of the float function, for int16 lines between 256 samples of the logistic
// function at steps of 1/24.
#include <vector>

#include "kernels/elementwise/stored_elementwise.h"
#include "kernels/fixed_point/lookup_table.h"

namespace visq::kernels::integer_sigmoid {
namespace {

struct Logistic {
  float operator()(float x) const { return 1.0F / (1.0F + std::exp(-x)); }
};
struct Tanh {
  float operator()(float x) const { return std::tanh(x); }
};

template <class Function>
Result<std::unique_ptr<Kernel>> byte_kernel(PrepareContext& context) {
  const StoredGrid in = stored_grid(context.input(0)), out = stored_grid(context.output(0));
  return for_type(context, 0, StoredBytes(), [&]<class T>(std::type_identity<T>) {
    return stored_map<T>(context, StoredFunction<T, Function>{in, out, Function()});
  });
}

/// logistic(i / 24) * 2^16, raised by half of what the line to the next sample errs in the middle.
const std::array<std::uint32_t, 256>& samples() {
  static const auto table = [] {
    const auto exact = [](double i) { return 65536.0 / (1.0 + std::exp(-i / 24.0)); };
    std::array<std::uint32_t, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<double>(i);
      const double error = exact(at + 0.5) - (exact(at) + exact(at + 1)) / 2;
      values[i] = static_cast<std::uint32_t>(std::lround(exact(at) + error / 2));
    }
    values.back() = 65535;
    return values;
  }();
  return table;
}

/// The way from stored integers to steps of 1 / (3 * 2^12).
struct InputScaling {
  std::int32_t factor = 0;
  int shift = 0;
  std::int32_t operator()(std::int16_t q) const {
    const auto product = static_cast<std::int32_t>(static_cast<std::uint32_t>(q) * static_cast<std::uint32_t>(factor));
    return shift == 0 ? product : static_cast<std::int32_t>(static_cast<std::uint32_t>(product) + (1U << (shift - 1))) >> shift;
  }
};

/// A scale of 2^-12, times up to 2^largest_shift, takes an exact factor; others one of 15 bits.
InputScaling input_scaling(float scale, int largest_shift) {
  const auto exponent = near_power_of_two(scale);
  if (exponent && *exponent >= -12 && *exponent <= -12 + largest_shift) return {3 << (*exponent + 12), 0};
  double factor = static_cast<double>(scale) * 4096.0 * 3.0;
  int shift = 0;
  for (; factor <= 32767.0 / 2 && shift <= 30; factor *= 2) ++shift;
  return {to_int32(factor), shift};
}

std::uint32_t magnitude(std::int32_t x) { return x < 0 ? 0U - static_cast<std::uint32_t>(x) : static_cast<std::uint32_t>(x); }

struct FixedLogistic {
  InputScaling scaling;
  std::int16_t operator()(std::int16_t q) const {
    constexpr int kBits = 9;  // within an interval
    const std::int32_t x = scaling(q);
    const std::uint32_t at = magnitude(x) >> kBits, rest = magnitude(x) & ((1U << kBits) - 1);
    const auto& table = samples();
    const std::uint32_t value = at >= 255 ? 0x7FFFU << (kBits + 1) : (table[at] << kBits) + rest * (table[at + 1] - table[at]);
    constexpr std::uint32_t kHalf = 1U << kBits;
    return static_cast<std::int16_t>((x >= 0 ? value + kHalf : (1U << (16 + kBits)) - value + kHalf - 1) >> (kBits + 1));
  }
};

/// 2 logistic(2 x) - 1.
struct FixedTanh {
  InputScaling scaling;
  std::int16_t operator()(std::int16_t q) const {
    constexpr int kBits = 8;
    const std::int32_t x = scaling(q);
    const std::uint32_t at = magnitude(x) >> kBits, rest = magnitude(x) & ((1U << kBits) - 1);
    const auto& table = samples();
    const std::uint32_t raw = at >= 255 ? 0xFFFFU << kBits : (table[at] << kBits) + rest * (table[at + 1] - table[at]);
    const auto value = static_cast<std::int32_t>(raw) - (1 << (15 + kBits));
    constexpr std::int32_t kHalf = 1 << (kBits - 1);
    return static_cast<std::int16_t>((x >= 0 ? value + kHalf : -value + kHalf - 1) >> kBits);
  }
};

template <class Function, class Fixed>
Result<std::unique_ptr<Kernel>> fixed_kernel(PrepareContext& context, int largest_shift) {
  const float scale = context.output(0).info->quantization.scale[0];
  if (near_power_of_two(scale) != -15) return context.unsupported("the output has the scale {}, expected 2^-15", scale);
  return stored_map<std::int16_t>(context, Fixed{input_scaling(context.input(0).info->quantization.scale[0], largest_shift)});
}

Result<std::unique_ptr<Kernel>> prepare_logistic(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  if (context.input(0).dtype == DType::kInt16) return fixed_kernel<Logistic, FixedLogistic>(context, 0);
  const double scale = stored_grid(context.output(0)).scale;
  if (scale != 1.0 / 256) return context.unsupported("the output has the scale {}, expected 1/256", scale);
  return byte_kernel<Logistic>(context);
}

Result<std::unique_ptr<Kernel>> prepare_tanh(PrepareContext& context) {
  VISQ_TRY(expect_grids(context, 1));
  return context.input(0).dtype == DType::kInt16 ? fixed_kernel<Tanh, FixedTanh>(context, 1) : byte_kernel<Tanh>(context);
}

constexpr OpDef kDefinitions[] = {
    {.name = "LOGISTIC", .prepare = prepare_logistic, .types = StoredTypes::dtypes()},
    {.name = "TANH", .prepare = prepare_tanh, .types = StoredTypes::dtypes()},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::integer_sigmoid
