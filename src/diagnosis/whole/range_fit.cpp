#include "diagnosis/whole/range_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/records/model_runner.h"
#include "core/as_size.h"
#include "diagnosis/suspicion.h"
#include "diagnosis/whole/pre_processing.h"

namespace visq::diagnosis {
namespace {

/// Factors: data that miss the ranges by less fit them; those after a change must fit so well (better still where the change
/// leaves the input's range as it is), and so much better (as a share of the logarithm). One map counts at most kMost.
constexpr double kFits = 1.28, kMustFit = 1.42, kMustFitMoved = 1.3, kMuchBetter = 0.65, kMost = 1000;
/// A change that leaves an input so far off its range is not tried.
constexpr double kFarInput = 4;
/// An input that misses its range by less may come from other records, not from another scale.
constexpr double kOtherUnits = 2;
constexpr std::size_t kFewestMaps = 3;
constexpr std::int64_t kMostRecords = 24;

using Bounds = std::map<int, analysis::RealBounds>;

/// A feature map with a range of its own.
struct Ranged {
  int reference = 0;  ///< tensor of the reference
  bool symmetric = false;
  analysis::RealBounds offered;  ///< what its grid can hold
};

std::vector<Ranged> ranged_maps(const Symptoms& symptoms) {
  const Subject& subject = symptoms.subject();
  std::vector<Ranged> maps;
  for (const QuantizedMap& map : symptoms.maps()) {
    const bool own = symptoms.first_of_group(map.tensor) == map.tensor && !has_fixed_grid(subject, map.tensor);
    if (!own || map.offered_width() <= 0) continue;
    maps.push_back({subject.reference_of(map.tensor), subject.q().tensor(map.tensor).dtype == DType::kInt16, map.offered});
  }
  return maps;
}

/// ln(1 + how far both ends are off / the smaller of both widths): where the one end is the same, ln of the larger over the smaller width.
double miss_of(const Ranged& map, const Bounds& bounds) {
  const auto found = bounds.find(map.reference);
  if (found == bounds.end()) return 0;
  auto [low, high] = found->second;
  auto [offered_low, offered_high] = map.offered;
  if (map.symmetric) {
    high = std::max(-low, high), low = 0;
    offered_high = std::max(-offered_low, offered_high), offered_low = 0;
  }
  const double least = std::min(high - low, offered_high - offered_low);
  const double off = std::fabs(low - offered_low) + std::fabs(high - offered_high);
  return least > 0 ? std::min(std::log1p(off / least), std::log(kMost)) : std::log(kMost);
}

std::optional<PreProcessing> stretch_of(const Symptoms& symptoms, const std::vector<Ranged>& maps) {
  const auto& inputs = symptoms.subject().reference().main().inputs;
  if (inputs.size() != 1) return std::nullopt;
  const bool ranged = std::any_of(maps.begin(), maps.end(), [&](const Ranged& each) { return each.reference == inputs[0]; });
  for (const QuantizedMap& map : symptoms.maps()) {
    if (!ranged || symptoms.subject().reference_of(map.tensor) != inputs[0]) continue;
    const Ranged input{inputs[0], false, map.offered};
    const auto& moments = map.values->moments;
    const bool far = miss_of(input, {{inputs[0], {map.values->low(), map.values->high()}}}) >= std::log(kOtherUnits);
    if (far && moments.max > moments.min) return stretched(moments.min, moments.max, map.offered.low, map.offered.high);
  }
  return std::nullopt;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// ln of RangeFit::miss.
double total_miss(const Model& reference, const std::vector<Ranged>& maps, const Bounds& bounds) {
  const auto& graph_inputs = reference.main().inputs;
  std::vector<double> inputs, others;
  for (const Ranged& map : maps) {
    const bool input = std::find(graph_inputs.begin(), graph_inputs.end(), map.reference) != graph_inputs.end();
    (input ? inputs : others).push_back(miss_of(map, bounds));
  }
  if (inputs.empty() || others.empty()) return median(inputs.empty() ? others : inputs);
  return (median(inputs) + median(others)) / 2;
}

class Fitter {
 public:
  Fitter(const Symptoms& symptoms, RecordSource& data, const RunRequest& request)
      : subject_(symptoms.subject()), data_(data), request_(request), maps_(ranged_maps(symptoms)) {}

  const std::vector<Ranged>& maps() const { return maps_; }
  double miss(const Bounds& bounds) const { return total_miss(subject_.reference(), maps_, bounds); }

  /// What the float model's maps hold on the data after a change (null: none). Nothing where the input would be far off its range.
  Result<std::optional<Bounds>> bounds(const PreProcessing* change) const {
    const Model &reference = subject_.reference(), &quantized = subject_.quantized();
    std::vector<const PreProcessing*> steps;
    if (change != nullptr) steps.push_back(change);
    VISQ_ASSIGN(const auto source, changed_records(data_, reference, quantized, steps, {}));
    VISQ_ASSIGN(const auto feed, InputFeed::create(reference, &quantized));
    analysis::ModelRunner runner(subject_.reference_model(), Mode::kFp32);
    Bounds bounds;
    std::vector<float> scratch;
    const std::int64_t last = std::min(request_.records.last, request_.records.first + kMostRecords);
    for (std::int64_t index = request_.records.first; index < last; ++index) {
      VISQ_ASSIGN(const Record record, source->read(index));
      VISQ_ASSIGN(const auto inputs, feed.for_model(record));
      if (change != nullptr && !near_range(inputs)) return std::optional<Bounds>();
      VISQ_TRY(runner.run(inputs, [&](int tensor, const runtime::Executor& executor) -> Status {
        const float* values = analysis::real_values(executor.tensor(tensor), scratch);
        if (values == nullptr) return {};
        analysis::RealBounds& range = bounds[tensor];
        for (std::size_t i = 0; i < as_size(executor.tensor(tensor).elements()); ++i) {
          if (!std::isfinite(values[i])) continue;
          range.low = std::min(range.low, static_cast<double>(values[i]));
          range.high = std::max(range.high, static_cast<double>(values[i]));
        }
        return {};
      }));
    }
    return std::optional(std::move(bounds));
  }

 private:
  bool near_range(const std::vector<Array>& inputs) const {
    Bounds bounds;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].dtype != DType::kFloat32) continue;
      analysis::RealBounds& range = bounds[subject_.reference().main().inputs[i]];
      for (const float value : inputs[i].values<float>()) {
        range.low = std::min(range.low, static_cast<double>(value)), range.high = std::max(range.high, static_cast<double>(value));
      }
    }
    return std::all_of(maps_.begin(), maps_.end(), [&](const Ranged& map) { return miss_of(map, bounds) < std::log(kFarInput); });
  }

  const Subject& subject_;
  RecordSource& data_;
  const RunRequest& request_;
  std::vector<Ranged> maps_;
};

}  // namespace

std::optional<PreProcessing> stretch_to_range(const Symptoms& symptoms) { return stretch_of(symptoms, ranged_maps(symptoms)); }

Result<std::optional<RangeFit>> fit_ranges(const Symptoms& symptoms, RecordSource& data, const RunRequest& request) {
  const Fitter fitter(symptoms, data, request);
  if (fitter.maps().size() < kFewestMaps) return std::optional<RangeFit>();
  VISQ_ASSIGN(const auto as_they_are, fitter.bounds(nullptr));
  RangeFit fit{fitter.maps().size(), std::exp(fitter.miss(*as_they_are)), "", 1, std::nullopt};
  if (fit.miss < kFits) return std::optional<RangeFit>();
  double best = std::min(std::log(kMustFit), kMuchBetter * std::log(fit.miss));
  const auto try_all = [&](const std::vector<const PreProcessing*>& changes) -> Status {
    for (const PreProcessing* change : changes) {
      VISQ_ASSIGN(const auto bounds, fitter.bounds(change));
      const double miss = bounds ? fitter.miss(*bounds) : best;
      if (miss >= best || (change->moves && miss >= std::log(kMustFitMoved))) continue;
      best = miss;
      fit.change = change->words;
      fit.undo = *change;
      fit.changed_miss = std::exp(miss);
    }
    return {};
  };
  VISQ_TRY(try_all(usual_changes(symptoms.subject().reference())));
  const auto stretch = stretch_of(symptoms, fitter.maps());
  if (fit.change.empty() && stretch) VISQ_TRY(try_all({&*stretch}));  // by its own making right at the input
  return std::optional(std::move(fit));
}

}  // namespace visq::diagnosis
