#include "diagnosis/symptoms.h"

#include <algorithm>
#include <cmath>

#include "analysis/facts/layer_values.h"
#include "diagnosis/weight_steps.h"
#include "quant/fake_quantize.h"

namespace visq::diagnosis {

GridNoise noise_of(const metrics::ValueSketch& values, analysis::RealBounds range, double step) {
  GridNoise noise;
  if (values.count() == 0) return noise;
  const double low = range.low - step / 2, high = range.high + step / 2;
  for (const auto& bucket : values.buckets()) {
    const double value = bucket.middle();
    const double share = static_cast<double>(bucket.count) / static_cast<double>(values.count());
    if (value < low) {
      noise.clipped_low += share * (range.low - value) * (range.low - value);
      noise.clipped_share += share;
    } else if (value > high) {
      noise.clipped_high += share * (value - range.high) * (value - range.high);
      noise.clipped_share += share;
    } else if (value != 0) {
      // Values far below a step are lost whole, not rounded by step/√12.
      noise.rounding += share * (std::fabs(value) < step / 2 ? value * value : step * step / 12);
    }
  }
  return noise;
}

Symptoms::Symptoms(const Subject& subject, const std::map<int, MapValues>& values, const std::map<int, double>& shares)
    : subject_(subject), values_(values), shares_(shares) {
  for (const int tensor : subject.q().feature_maps()) {
    const TensorInfo& info = subject.q().tensor(tensor);
    const auto found = values.find(subject.reference_of(tensor));
    const auto offered = analysis::representable_range(info);
    if (!quant::has_grid(info) || info.quantization.per_channel() || found == values.end()) continue;
    QuantizedMap map;
    map.tensor = tensor;
    map.values = &found->second;
    map.step = static_cast<double>(info.quantization.scale[0]);
    if (offered) map.offered = *offered;
    map.noise = noise_of(map.values->sketch, map.offered, map.step);
    maps_.push_back(map);
  }
  for (const PairedConstant& where : subject.constants()) {
    ConstantValues both{where, {}, {}};
    if (where.bias) {
      const auto wanted = analysis::bias_values(subject.r(), subject.r().op(where.reference_node));
      const auto found = analysis::bias_values(subject.q(), subject.q().op(where.node));
      if (!wanted || !found) continue;
      both.reference.assign(wanted->begin(), wanted->end());
      both.quantized.assign(found->begin(), found->end());
    } else {
      auto wanted = analysis::constant_values(subject.r(), where.reference);
      auto found = analysis::constant_values(subject.q(), where.tensor);
      if (!wanted || !found) continue;
      both.reference = std::move(*wanted);
      both.quantized = std::move(*found);
    }
    if (both.reference.size() == both.quantized.size() && !both.reference.empty()) constants_.push_back(std::move(both));
  }
  usual_difference_ = diagnosis::usual_difference(*this);
}

const QuantizedMap* Symptoms::map(int tensor) const {
  const auto found = std::find_if(maps_.begin(), maps_.end(), [&](const QuantizedMap& map) { return map.tensor == tensor; });
  return found == maps_.end() ? nullptr : &*found;
}

const MapValues* Symptoms::reference_values(int reference_tensor) const {
  const auto found = values_.find(reference_tensor);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<double> Symptoms::share(int tensor) const {
  const auto found = shares_.find(subject_.reference_of(tensor));
  return found == shares_.end() ? std::nullopt : std::optional(found->second);
}

analysis::RealBounds Symptoms::needed(int tensor) const {
  analysis::RealBounds bounds;
  for (const int tied : subject_.tied(tensor)) {
    const QuantizedMap* other = map(tied);
    if (other == nullptr) continue;
    bounds.low = std::min(bounds.low, other->values->low());
    bounds.high = std::max(bounds.high, other->values->high());
  }
  return bounds;
}

analysis::RealBounds Symptoms::range_for(int tensor) const {
  analysis::RealBounds bounds;
  for (const int tied : subject_.tied(tensor)) {
    const QuantizedMap* other = map(tied);
    if (other == nullptr) continue;
    bounds.low = std::min(bounds.low, other->values->fitted.low);
    bounds.high = std::max(bounds.high, other->values->fitted.high);
  }
  return {bounds.low * kMargin, bounds.high * kMargin};
}

int Symptoms::first_of_group(int tensor) const {
  for (const int tied : subject_.tied(tensor)) {
    if (map(tied) != nullptr) return tied;
  }
  return tensor;
}

}  // namespace visq::diagnosis
