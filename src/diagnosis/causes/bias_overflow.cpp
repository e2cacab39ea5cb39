// BIAS_OVERFLOW: a bias that its integers cannot hold in the scale of input times weights, or that was cut to fewer bits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/layer_values.h"
#include "diagnosis/suspicion.h"

namespace visq::diagnosis {
namespace {

/// What a bias of 16 and of 32 bits can hold.
constexpr double kShort = 32767, kInt = 2147483647;
/// A code counts as off where it misses what is needed by more than this share.
constexpr double kOff = 0.05;

struct Overflow {
  std::vector<std::size_t> channels;
  double beyond = 0;  ///< the largest code that is needed over what fits
  bool narrow = false;
};

Overflow find_overflow(const std::vector<std::int64_t>& codes, const std::vector<double>& scales, const std::vector<float>& wanted) {
  Overflow overflow;
  const bool narrow =
      std::all_of(codes.begin(), codes.end(), [](std::int64_t code) { return std::abs(code) <= static_cast<std::int64_t>(kShort) + 1; });
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const double needed = static_cast<double>(wanted[c]) / scales[c];
    const double limit = narrow && std::fabs(needed) < kInt ? kShort : kInt;
    const bool off = std::fabs(static_cast<double>(codes[c]) - needed) > kOff * std::fabs(needed);
    if (!std::isfinite(needed) || std::fabs(needed) <= limit || !off) continue;
    overflow.channels.push_back(c);
    overflow.beyond = std::max(overflow.beyond, std::fabs(needed) / limit);
    overflow.narrow = limit == kShort;
  }
  return overflow;
}

void suspect_layer(const Symptoms& symptoms, const ConstantValues& bias, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const Operator& op = subject.q().op(bias.where.node);
  const auto codes = analysis::bias_codes(subject.q(), op);
  const auto scales = analysis::bias_scales(subject.q(), op);
  if (!codes || !scales || codes->size() != bias.reference.size() || bits(subject.q().tensor(bias.where.tensor).dtype) != 32) return;
  const Overflow overflow = find_overflow(*codes, *scales, bias.reference);
  if (overflow.channels.empty()) return;
  Suspicion& suspicion = suspicions.about_constant(bias.where);
  suspicion.text =
      fmt::format("its bias needs codes {:.1f} times beyond {} bits in {} of {} channels, first in channel {}", overflow.beyond,
                  overflow.narrow ? 16 : 32, overflow.channels.size(), codes->size(), overflow.channels.front());
  suspicion.evidence = {{"beyond", overflow.beyond},
                        {"bits", overflow.narrow ? 16.0 : 32.0},
                        {"channels", static_cast<double>(overflow.channels.size())},
                        {"first_channel", static_cast<double>(overflow.channels.front())}};
  suspicion.strong = true;
  const std::string name = quoted(subject.names().name(bias.where.tensor));
  Repair bias_only(subject);
  bias_only.rebias(bias.where);
  suspicion.remedies.push_back({"store the bias in all 32 bits", fmt::format("bias {} = reference", name), bias_only.finish(), false});
  const auto weight = std::find_if(subject.constants().begin(), subject.constants().end(),
                                   [&](const PairedConstant& each) { return each.node == bias.where.node && !each.bias; });
  if (overflow.narrow || weight == subject.constants().end()) return;
  const auto& grid = subject.q().tensor(weight->tensor).quantization;
  std::vector<double> least(grid.scale.begin(), grid.scale.end());
  for (const std::size_t c : overflow.channels) {
    double& scale = least[grid.per_channel() ? c : 0];
    scale = std::max(scale, static_cast<double>(grid.scale[grid.per_channel() ? c : 0]) *
                                std::fabs(static_cast<double>(bias.reference[c])) / ((*scales)[c] * kInt / 2));
  }
  Repair both(subject);
  both.rebias(bias.where);
  if (!both.reweight(*weight, least)) return;
  suspicion.remedies.push_back(
      {"give the weights of these channels a larger scale, so that the bias fits",
       fmt::format("least_scale {} = {:.6g}", quoted(subject.names().name(weight->tensor)), *std::max_element(least.begin(), least.end())),
       both.finish(), false});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const ConstantValues& bias : symptoms.constants()) {
    if (bias.where.bias) suspect_layer(symptoms, bias, suspicions);
  }
}

constexpr CauseDef kCause{"BIAS_OVERFLOW", 20, suspect};

}  // namespace

std::span<const CauseDef> cause_bias_overflow() { return {&kCause, 1}; }

}  // namespace visq::diagnosis
