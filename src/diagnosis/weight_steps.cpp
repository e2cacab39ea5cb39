#include "diagnosis/weight_steps.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "diagnosis/repair.h"

namespace visq::diagnosis {
namespace {

double at_rank(std::vector<double>& values, double share) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace

StepDifference step_difference(const Subject& subject, const ConstantValues& constant) {
  const TensorInfo& tensor = subject.q().tensor(constant.where.tensor);
  const ChannelLayout layout = channel_layout(subject.q().op(constant.where.node), tensor);
  std::vector<double> sums(as_size(layout.channels), 0), counts(sums.size(), 0), moves;
  double dd = 0, rr = 0;
  for (std::size_t i = 0; i < constant.reference.size(); ++i) {
    const std::size_t c = layout.channel_of(i);
    const auto step = static_cast<double>(tensor.quantization.scale[tensor.quantization.per_channel() ? c : 0]);
    const double d = static_cast<double>(constant.quantized[i]) - static_cast<double>(constant.reference[i]);
    const double move = step > 0 && std::isfinite(d / step) ? d / step : 0;
    moves.push_back(move);
    sums[c] += move * move, counts[c] += 1;
    dd += d * d, rr += static_cast<double>(constant.reference[i]) * static_cast<double>(constant.reference[i]);
  }
  StepDifference result;
  double total = 0;
  for (const double move : moves) result.mean += move / static_cast<double>(moves.size());
  for (std::size_t c = 0; c < sums.size(); ++c) {
    total += sums[c];
    const double rms = counts[c] > 0 ? std::sqrt(sums[c] / counts[c]) : 0;
    if (rms > result.worst_channel) result.worst_channel = rms, result.channel = static_cast<int>(c);
  }
  result.rms = std::sqrt(total / static_cast<double>(moves.size()));
  result.relative = rr > 0 ? std::sqrt(dd / rr) : 0;
  result.median = at_rank(moves, 0.5);
  result.spread = (at_rank(moves, 0.75) - at_rank(moves, 0.25)) / 2;
  return result;
}

double cosine_of(const ConstantValues& constant) {
  double fq = 0, ff = 0, qq = 0;
  for (std::size_t i = 0; i < constant.reference.size(); ++i) {
    const auto f = static_cast<double>(constant.reference[i]), q = static_cast<double>(constant.quantized[i]);
    fq += f * q, ff += f * f, qq += q * q;
  }
  return ff > 0 && qq > 0 ? fq / std::sqrt(ff * qq) : (ff == qq ? 1 : 0);
}

UsualDifference usual_difference(const Symptoms& symptoms) {
  std::vector<double> rms, relative;
  for (const ConstantValues& constant : symptoms.constants()) {
    const TensorInfo& tensor = symptoms.subject().q().tensor(constant.where.tensor);
    if (constant.where.bias || tensor.shape.rank() < 2) continue;
    const StepDifference difference = step_difference(symptoms.subject(), constant);
    rms.push_back(difference.rms);
    relative.push_back(difference.relative);
  }
  if (rms.empty()) return {};
  return {at_rank(rms, 0.5), at_rank(relative, 0.5), rms.size()};
}

std::vector<double> channel_reaches(const Subject& subject, const ConstantValues& constant) {
  const ChannelLayout layout = channel_layout(subject.q().op(constant.where.node), subject.q().tensor(constant.where.tensor));
  std::vector<double> reaches(as_size(layout.channels), 0);
  for (std::size_t i = 0; i < constant.reference.size(); ++i) {
    double& reach = reaches[layout.channel_of(i)];
    reach = std::max(reach, std::fabs(static_cast<double>(constant.reference[i])));
  }
  return reaches;
}

std::vector<float> rounded_behind_factors(const ConstantValues& weights, std::size_t rows, const std::vector<double>& factor) {
  std::vector<float> values = weights.reference;
  std::vector<double> reach(rows, 0);
  const std::size_t width = values.size() / rows;
  const auto scaled = [&](std::size_t i) { return static_cast<double>(values[i]) * factor[i % factor.size()]; };
  for (std::size_t i = 0; i < values.size(); ++i) reach[i / width] = std::max(reach[i / width], std::fabs(scaled(i)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double step = reach[i / width] / 127;
    if (step > 0) values[i] = static_cast<float>(std::round(scaled(i) / step) * step / factor[i % factor.size()]);
  }
  return values;
}

}  // namespace visq::diagnosis
