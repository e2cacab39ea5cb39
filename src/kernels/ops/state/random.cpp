// RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL, MULTINOMIAL: numbers from a stream that the seeds fix and that goes on from record to record.
// Two seeds of zero ask for numbers that differ from run to run; here they are a seed like any other, so that runs can be repeated.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/as_size.h"
#include "kernels/element_types.h"
#include "kernels/math/philox.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_random {
namespace {

class Stream final : public KernelState {
 public:
  explicit Stream(const PhiloxStream& start) : random(start) {}
  PhiloxStream random;
};

/// Fills output 0 from a stream.
using Draw = void (*)(EvalContext& eval, PhiloxStream& random);

class RandomKernel final : public Kernel {
 public:
  RandomKernel(const Attributes& attributes, Draw draw) : start_(seed(attributes, "seed"), seed(attributes, "seed2")), draw_(draw) {}
  Status eval(EvalContext& context) const override {
    draw_(context, context.state<Stream>().random);
    return {};
  }
  std::unique_ptr<KernelState> make_state() const override { return std::make_unique<Stream>(start_); }

 private:
  /// The format's seeds have 64 bits, of which LiteRT takes 32.
  static std::uint64_t seed(const Attributes& attributes, std::string_view option) {
    return static_cast<std::uint64_t>(static_cast<std::int32_t>(attributes.integer(option)));
  }

  PhiloxStream start_;
  Draw draw_;
};

std::unique_ptr<Kernel> random_kernel(const PrepareContext& context, Draw draw) {
  return std::make_unique<RandomKernel>(context.attributes(), draw);
}

/// In [0, 1), from the lowest 23 bits.
float unit_float(std::uint32_t bits) { return std::bit_cast<float>((bits & 0x7FFFFF) | 0x3F800000) - 1.0F; }

/// In [0, 1), from 52 bits.
double unit_double(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t mantissa = std::uint64_t{high & 0xFFFFF} << 32 | low;
  return std::bit_cast<double>(mantissa | std::uint64_t{1023} << 52) - 1.0;
}

void draw_uniform(EvalContext& eval, PhiloxStream& random) {
  const auto out = eval.out<float>(0);
  for (std::size_t i = 0; i < out.size(); i += 4) {
    const PhiloxBlock block = random.next();
    for (std::size_t j = i; j < std::min(i + 4, out.size()); ++j) out[j] = unit_float(block[j - i]);
  }
}

/// Two independent normal numbers from two uniform ones (Box and Muller).
std::array<float, 2> normal_pair(std::uint32_t radius_bits, std::uint32_t angle_bits) {
  constexpr float kSmallest = 1e-7F;  // keeps the logarithm finite
  const float radius = std::sqrt(-2.0F * std::log(std::max(unit_float(radius_bits), kSmallest)));
  const auto angle = static_cast<float>(2 * std::numbers::pi * static_cast<double>(unit_float(angle_bits)));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

void draw_normal(EvalContext& eval, PhiloxStream& random) {
  const auto out = eval.out<float>(0);
  for (std::size_t i = 0; i < out.size(); i += 4) {
    const PhiloxBlock block = random.next();
    const auto first = normal_pair(block[0], block[1]), second = normal_pair(block[2], block[3]);
    const float four[] = {first[0], first[1], second[0], second[1]};
    for (std::size_t j = i; j < std::min(i + 4, out.size()); ++j) out[j] = four[j - i];
  }
}

template <Draw kDraw>
Result<std::unique_ptr<Kernel>> prepare_random(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "the shape", 1));
  VISQ_ASSIGN(auto shape, context.integers(0, "the shape"));
  VISQ_TRY(context.set_output(0, DType::kFloat32, Shape(std::move(shape))));
  return random_kernel(context, kDraw);
}

/// Running sums of the classes' weights exp(logit); logits that are not finite weigh nothing.
void accumulate_weights(std::span<const float> logits, std::vector<double>& sums) {
  float largest = std::numeric_limits<float>::lowest();
  for (const float logit : logits) {
    if (std::isfinite(logit)) largest = std::max(largest, logit);
  }
  double total = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isfinite(logits[i])) total += std::exp(static_cast<double>(logits[i]) - static_cast<double>(largest));
    sums[i] = total;
  }
}

template <class Out>
void draw_classes(EvalContext& eval, PhiloxStream& random) {
  const auto logits = eval.in<float>(0);
  const auto out = eval.out<Out>(0);
  const auto batches = as_size(eval.output(0).shape[0]), samples = as_size(eval.output(0).shape[1]);
  const auto classes = as_size(eval.input(0).shape[1]);
  constexpr std::size_t kReserved = 512;  // blocks that a call sets aside for every sample, used or not
  PhiloxStream own = random;
  random.skip(batches * ((samples + 3) / 4 * 4) * kReserved);
  std::vector<double> sums(classes);
  PhiloxBlock block{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i % samples == 0) accumulate_weights(logits.subspan(i / samples * classes, classes), sums);
    if (i % 2 == 0) block = own.next();
    const std::size_t half = i % 2 * 2;
    const double wanted = unit_double(block[half], block[half + 1]) * sums.back();
    out[i] = static_cast<Out>(std::upper_bound(sums.begin(), sums.end(), wanted) - sums.begin());
  }
}

Result<std::unique_ptr<Kernel>> prepare_multinomial(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "logits", 2));
  const Shape& logits = context.input(0).shape;
  if (logits[1] < 1) return context.fail("logits have the shape {}, expected one class or more", to_string(logits));
  VISQ_ASSIGN(const std::int64_t samples, integer(context, 1, "the number of samples"));
  const DType type = context.output(0).dtype;
  VISQ_TRY(context.set_output(0, type, {logits[0], samples}));
  return for_dtype(context, type, TypeList<std::int32_t, std::int64_t>(),
                   [&]<class Out>(std::type_identity<Out>) { return random_kernel(context, draw_classes<Out>); });
}

constexpr OpDef kDefinitions[] = {
    {.name = "RANDOM_UNIFORM", .prepare = prepare_random<draw_uniform>, .types = {DType::kInt32}, .stateful = true},
    {.name = "RANDOM_STANDARD_NORMAL", .prepare = prepare_random<draw_normal>, .types = {DType::kInt32}, .stateful = true},
    {.name = "MULTINOMIAL", .prepare = prepare_multinomial, .types = {DType::kFloat32}, .stateful = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_random
