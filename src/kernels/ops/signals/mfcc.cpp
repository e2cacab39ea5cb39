// Mfcc, a custom operator that ships with LiteRT: cepstral coefficients of power spectra. Triangular filters, evenly spaced in mel,
// overlap by half: a bin adds to the filter that falls over it and to the next, which rises. Then logarithm and cosine transform.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/custom_options.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_mfcc {
namespace {

constexpr int kSpectrum = 0;
constexpr int kRate = 1;

double mel(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

/// A bin of the spectrum: the filter that falls over it (-1 before the first), and that filter's weight.
struct Bin {
  std::int64_t filter = 0;
  double weight = 0;
};

struct Plan {
  std::int64_t spectra = 0, width = 0, filters = 0, coefficients = 0;
  std::int64_t first = 0;   ///< bin that counts
  std::vector<Bin> bins;    ///< from there on
  bool in_range = true;     ///< false where filters reach beyond the spectrum: LiteRT leaves all coefficients 0 then
  Eigen::MatrixXd cosines;  ///< [coefficients, filters]
};

void compute(const Plan& plan, const float* spectrum, Eigen::VectorXd& filtered, float* out) {
  constexpr double kFloor = 1e-12;
  filtered.setZero(plan.filters);
  for (std::size_t i = 0; i < plan.bins.size(); ++i) {
    const Bin& bin = plan.bins[i];
    const double magnitude = std::sqrt(static_cast<double>(spectrum[plan.first + static_cast<std::int64_t>(i)]));
    const double falling = magnitude * bin.weight;
    if (bin.filter >= 0) filtered[bin.filter] += falling;
    if (bin.filter + 1 < plan.filters) filtered[bin.filter + 1] += magnitude - falling;
  }
  for (double& value : filtered) value = std::log(value < kFloor ? kFloor : value);
  Eigen::Map<Eigen::VectorXf>(out, plan.coefficients) = (plan.cosines * filtered).cast<float>();
}

/// Frequencies are in hertz.
struct Band {
  double low = 0, high = 0;
};

void plan_filters(Plan& plan, const Band& band, double rate) {
  const double hertz_per_bin = 0.5 * rate / static_cast<double>(plan.width - 1);
  const double first = 1.5 + band.low / hertz_per_bin, last = band.high / hertz_per_bin;
  plan.in_range = last < static_cast<double>(plan.width);
  if (!plan.in_range) return;
  plan.first = static_cast<std::int64_t>(first);
  const double low = mel(band.low), spacing = (mel(band.high) - low) / static_cast<double>(plan.filters + 1);
  const auto center = [&](std::int64_t filter) { return low + spacing * static_cast<double>(filter + 1); };
  std::int64_t next = 0;
  for (std::int64_t i = plan.first; i <= static_cast<std::int64_t>(last); ++i) {
    const double at = mel(static_cast<double>(i) * hertz_per_bin);
    while (next < plan.filters && center(next) < at) ++next;
    const double left = next > 0 ? center(next - 1) : low;
    plan.bins.push_back({next - 1, (center(next) - at) / (center(next) - left)});
  }
}

void plan_cosines(Plan& plan) {
  const auto size = static_cast<double>(plan.filters);
  const double norm = std::sqrt(2.0 / size), step = std::numbers::pi / size;
  plan.cosines = Eigen::MatrixXd::NullaryExpr(plan.coefficients, plan.filters, [&](Eigen::Index i, Eigen::Index j) {
    return norm * std::cos(static_cast<double>(i) * step * (static_cast<double>(j) + 0.5));
  });
}

Result<Plan> make_plan(PrepareContext& context) {
  const Shape& shape = context.input(kSpectrum).shape;
  VISQ_ASSIGN(const auto options, CustomOptions::read(context));
  VISQ_ASSIGN(const std::int64_t rate, integer(context, kRate, "the sample rate"));
  Plan plan;
  plan.spectra = shape[0] * shape[1];
  plan.width = shape[2];
  plan.filters = options.integer("filterbank_channel_count");
  plan.coefficients = options.integer("dct_coefficient_count");
  constexpr std::int64_t kMostFilters = 1 << 12;
  if (plan.filters < 1 || plan.filters > kMostFilters || plan.coefficients < 1 || plan.coefficients > plan.filters) {
    return context.fail("{} coefficients of {} filters", plan.coefficients, plan.filters);
  }
  const auto hertz = [&](const char* name) { return static_cast<double>(static_cast<float>(options.integer(name))); };
  const Band band{hertz("lower_frequency_limit"), hertz("upper_frequency_limit")};
  if (band.low < 0 || band.high <= band.low) return context.fail("frequencies from {} to {}", band.low, band.high);
  if (rate < 1 || plan.width < 2) return context.fail("a spectrum of {} bins at a sample rate of {}", plan.width, rate);
  plan_filters(plan, band, static_cast<double>(rate));
  plan_cosines(plan);
  return plan;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.expect_rank(kSpectrum, "the spectrum", 3));
  VISQ_ASSIGN(auto plan, make_plan(context));
  const Shape& shape = context.input(kSpectrum).shape;
  VISQ_TRY(context.set_output(0, DType::kFloat32, {shape[0], shape[1], plan.coefficients}));
  return make_kernel([plan = std::move(plan)](EvalContext& eval) -> Status {
    const auto out = eval.out<float>(0);
    std::fill(out.begin(), out.end(), 0.0F);
    Eigen::VectorXd filtered;
    for (std::int64_t i = 0; i < plan.spectra && plan.in_range; ++i) {
      compute(plan, eval.in<float>(kSpectrum).data() + i * plan.width, filtered, out.data() + i * plan.coefficients);
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "Mfcc", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_mfcc
