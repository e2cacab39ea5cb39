// BIAS_OVERFLOW: a bias that its integers cannot hold in the scale of input times weights, or that was cut to fewer bits.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "diagnosis/suspicion.h"

namespace visq::diagnosis::cause_bias_overflow {
namespace {

/// What 32 bits hold.
constexpr double kMost = 2147483647;
/// A code is right where it is off by at most this many steps, or this share; so must be this share of the channels that fit.
constexpr double kSteps = 3, kShare = 0.005, kRightChannels = 0.9;

struct Overflow {
  std::vector<std::size_t> channels;
  double beyond = 0;  ///< the largest code that is needed over what fits
  int bits = 0;       ///< of which the codes are cut off
  bool wrapped = false;
};

bool is_right(double code, double needed) { return std::fabs(code - needed) <= std::max(kSteps, kShare * std::fabs(needed)); }

/// Whether codes look as if they had been cut to `bits`: what does not fit sits at the limit or has wrapped around, all else is right.
Overflow find_overflow(const std::vector<std::int64_t>& codes, const std::vector<double>& scales, const std::vector<float>& wanted,
                       int bits) {
  const double limit = std::ldexp(1.0, bits - 1) - 1, period = std::ldexp(1.0, bits);
  Overflow overflow;
  overflow.bits = bits;
  std::size_t fitting = 0, right = 0;
  for (std::size_t c = 0; c < codes.size(); ++c) {
    const double needed = static_cast<double>(wanted[c]) / scales[c];
    const auto code = static_cast<double>(codes[c]);
    if (!std::isfinite(needed)) return {};
    if (std::fabs(needed) <= limit) {
      ++fitting;
      if (is_right(code, needed)) ++right;
      continue;
    }
    // On whichever side: a conversion that overflows gives INT32_MIN for a large positive number, too.
    const bool stopped = std::fabs(std::fabs(code) - limit) <= 1;
    const bool wrapped = std::fabs(code) <= limit + 1 && is_right(std::remainder(code - needed, period), 0);
    if (!stopped && !wrapped) return {};
    overflow.wrapped = overflow.wrapped || !stopped;
    overflow.channels.push_back(c);
    overflow.beyond = std::max(overflow.beyond, std::fabs(needed) / limit);
  }
  return static_cast<double>(right) >= kRightChannels * static_cast<double>(fitting) ? overflow : Overflow{};
}

void suspect_layer(const Symptoms& symptoms, const ConstantValues& bias, Suspicions& suspicions) {
  const Subject& subject = symptoms.subject();
  const Operator& op = subject.q().op(bias.where.node);
  const auto codes = analysis::bias_codes(subject.q(), op);
  const auto scales = analysis::bias_scales(subject.q(), op);
  if (!codes || !scales || codes->size() != bias.reference.size()) return;
  Overflow overflow = find_overflow(*codes, *scales, bias.reference, 16);
  if (overflow.channels.empty()) overflow = find_overflow(*codes, *scales, bias.reference, 32);
  if (overflow.channels.empty()) return;
  Suspicion& suspicion = suspicions.about_constant(bias.where);
  suspicion.text = fmt::format("its bias needs codes {:.1f} times beyond {} bits in {} of {} channels ({}), first in channel {}",
                               overflow.beyond, overflow.bits, overflow.channels.size(), codes->size(),
                               overflow.wrapped ? "wrapped around" : "cut off", overflow.channels.front());
  suspicion.evidence = {{"beyond", overflow.beyond},
                        {"bits", static_cast<double>(overflow.bits)},
                        {"channels", static_cast<double>(overflow.channels.size())},
                        {"first_channel", static_cast<double>(overflow.channels.front())}};
  suspicion.strong = true;
  const std::string name = in_quotes(subject.names().name(bias.where.tensor));
  Repair bias_only(subject);
  bias_only.rebias(bias.where);
  suspicion.remedies.push_back({"store the bias in all its bits", fmt::format("bias {} = reference", name), bias_only.finish(), false});
  const auto weight = std::find_if(subject.constants().begin(), subject.constants().end(),
                                   [&](const PairedConstant& each) { return each.node == bias.where.node && !each.bias; });
  if (overflow.bits == 16 || weight == subject.constants().end()) return;
  const auto& grid = subject.q().tensor(weight->tensor).quantization;
  std::vector<double> least(grid.scale.begin(), grid.scale.end());
  for (const std::size_t c : overflow.channels) {
    double& scale = least[grid.per_channel() ? c : 0];
    scale = std::max(scale, static_cast<double>(grid.scale[grid.per_channel() ? c : 0]) *
                                std::fabs(static_cast<double>(bias.reference[c])) / ((*scales)[c] * kMost / 2));
  }
  Repair both(subject);
  both.rebias(bias.where);
  if (!both.reweight(*weight, least)) return;
  suspicion.remedies.push_back({"give the weights of these channels a larger scale, so that the bias fits",
                                fmt::format("least_scale {} = {:.6g}", in_quotes(subject.names().name(weight->tensor)),
                                            *std::max_element(least.begin(), least.end())),
                                both.finish(), false});
}

void suspect(const Symptoms& symptoms, const DiagnoseOptions&, Suspicions& suspicions) {
  for (const ConstantValues& bias : symptoms.constants()) {
    if (bias.where.bias) suspect_layer(symptoms, bias, suspicions);
  }
}

constexpr CauseDef kCause{"BIAS_OVERFLOW", 20, suspect};

}  // namespace

std::span<const CauseDef> definitions() { return {&kCause, 1}; }

}  // namespace visq::diagnosis::cause_bias_overflow
