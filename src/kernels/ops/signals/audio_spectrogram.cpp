// AudioSpectrogram, a custom operator that ships with LiteRT: power or magnitude spectra of windows that slide over samples.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/as_size.h"
#include "kernels/custom_options.h"
#include "kernels/math/fft.h"

namespace visq::kernels::ops_audio_spectrogram {
namespace {

using Complex = std::complex<double>;

struct Plan {
  std::int64_t channels = 0, windows = 0, stride = 1;
  std::vector<double> weights;  ///< of a window's samples (Hann)
  Fft transform;
  bool squared = false;
  std::int64_t bins() const { return transform.points() / 2 + 1; }
};

/// Samples are [samples, channels], spectra [channels, windows, bins]. `line` has room for one transform.
void compute(const Plan& plan, const float* samples, Complex* line, float* out) {
  for (std::int64_t channel = 0; channel < plan.channels; ++channel) {
    for (std::int64_t window = 0; window < plan.windows; ++window) {
      const float* from = samples + window * plan.stride * plan.channels + channel;
      std::fill_n(line, plan.transform.points(), Complex());
      for (std::size_t i = 0; i < plan.weights.size(); ++i) line[i] = from[static_cast<std::int64_t>(i) * plan.channels] * plan.weights[i];
      plan.transform.run(line);
      for (std::int64_t bin = 0; bin < plan.bins(); ++bin) {
        const auto power = static_cast<float>(line[bin].real() * line[bin].real() + line[bin].imag() * line[bin].imag());
        *out++ = plan.squared ? power : std::sqrt(power);
      }
    }
  }
}

std::vector<double> hann(std::int64_t size) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < size; ++i) {
    weights.push_back(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(size)));
  }
  return weights;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(0, "the samples", 2));
  VISQ_ASSIGN(const auto options, CustomOptions::read(context));
  const std::int64_t window = options.integer("window_size"), stride = options.integer("stride");
  constexpr std::int64_t kLargest = std::int64_t{1} << 24;
  if (window < 2 || window > kLargest || stride < 1) return context.fail("window_size is {}, stride {}", window, stride);
  const Shape& samples = context.input(0).shape;
  const std::int64_t windows = samples[0] < window ? 0 : (samples[0] - window) / stride + 1;
  const auto points = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(window)));
  VISQ_TRY(context.set_output(0, DType::kFloat32, {samples[1], windows, points / 2 + 1}));
  const std::int64_t used = windows > 0 ? points : 1;  // no tables for nothing
  Plan plan{samples[1], windows, stride, hann(windows > 0 ? window : 0), Fft(used), options.flag("magnitude_squared")};
  return make_kernel([plan = std::move(plan)](EvalContext& eval) -> Status {
    auto* line = reinterpret_cast<Complex*>(eval.scratch(as_size(plan.transform.points()) * sizeof(Complex)));
    compute(plan, eval.in<float>(0).data(), line, eval.out<float>(0).data());
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "AudioSpectrogram", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_audio_spectrogram
