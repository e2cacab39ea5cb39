// What was measured of the pair before any cause is suspected: the reference's values of every quantized feature map, and both models'
// constants side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/records/real_values.h"
#include "diagnosis/channel_values.h"
#include "diagnosis/subject.h"
#include "metrics/moments.h"
#include "metrics/value_sketch.h"

namespace visq::diagnosis {

/// The reference's values of one feature map, over all records.
struct MapValues {
  metrics::ValueSketch sketch;
  metrics::Moments moments;
  ChannelValues channels;       ///< of the records that ranges are fitted to, too
  analysis::RealBounds fitted;  ///< of the records that ranges are fitted to, with zero
  analysis::RealBounds sums;    ///< of the records' own extremes, with zero
  std::int64_t records = 0;
  /// What calibration gives that takes averages over records instead of their extremes.
  analysis::RealBounds average() const {
    const auto count = static_cast<double>(std::max<std::int64_t>(1, records));
    return {sums.low / count, sums.high / count};
  }
  double low() const { return moments.count > 0 ? std::min(moments.min, 0.0) : 0; }  ///< every grid holds zero
  double high() const { return moments.count > 0 ? std::max(moments.max, 0.0) : 0; }
};

/// Mean squared errors that a grid of `step` over [low, high] causes on values.
struct GridNoise {
  double rounding = 0;  ///< step²/12 of the values within that are not zero
  double clipped_low = 0, clipped_high = 0;
  double clipped_share = 0;  ///< of all values
  double clipped() const { return clipped_low + clipped_high; }
  double total() const { return rounding + clipped(); }
};
GridNoise noise_of(const metrics::ValueSketch& values, analysis::RealBounds range, double step);

/// A feature map of the quantized model that has a grid, where the reference has the same map.
struct QuantizedMap {
  int tensor = 0;
  const MapValues* values = nullptr;
  analysis::RealBounds offered;  ///< what the grid can hold
  double step = 0;
  GridNoise noise;
  double offered_width() const { return offered.high - offered.low; }
  double used_width() const { return values->high() - values->low(); }
};

/// A constant of both models as real values.
struct ConstantValues {
  PairedConstant where;
  std::vector<float> reference, quantized;  ///< a bias as the device reads it
};

/// How far the weights of all layers are off, by their medians: what is usual here. Zeros where there are no layers.
struct UsualDifference {
  double rms = 0;  ///< in steps
  double relative = 0;
  std::size_t layers = 0;
  /// Rounding gives 0.29 steps: more in the median layer means that one of the models was trained further.
  bool retrained() const { return layers >= kFewLayers && rms > kRetrainedSteps; }
  static constexpr double kRetrainedSteps = 0.32;
  static constexpr std::size_t kFewLayers = 3;  ///< a median of fewer says nothing
};

class Symptoms {
 public:
  /// `values`, `shares`: by tensor of the reference. Both must outlive it.
  Symptoms(const Subject& subject, const std::map<int, MapValues>& values, const std::map<int, double>& shares);

  const Subject& subject() const { return subject_; }
  /// In graph order.
  const std::vector<QuantizedMap>& maps() const { return maps_; }
  /// Null where there is none.
  const QuantizedMap* map(int tensor) const;
  /// The reference's values of one of its maps, also of one that is not quantized; null where it was not watched.
  const MapValues* reference_values(int reference_tensor) const;
  /// The share of the outputs' squared error that this map of the quantized model and its operator's weights make alone (see
  /// output_shares()); nothing where that is not known.
  std::optional<double> share(int tensor) const;
  const std::vector<ConstantValues>& constants() const { return constants_; }
  const UsualDifference& usual_difference() const { return usual_difference_; }
  /// The reference's values of all maps tied to this one: what their common grid must hold.
  analysis::RealBounds needed(int tensor) const;
  /// The range to give them: what the records need that ranges are fitted to, and a little more, since others reach a little further.
  analysis::RealBounds range_for(int tensor) const;
  static constexpr double kMargin = 1.05;
  /// The first map of the graph among those that are tied to this one and have values.
  int first_of_group(int tensor) const;

 private:
  const Subject& subject_;
  const std::map<int, MapValues>& values_;
  const std::map<int, double>& shares_;
  std::vector<QuantizedMap> maps_;
  std::vector<ConstantValues> constants_;
  UsualDifference usual_difference_;
};

}  // namespace visq::diagnosis
