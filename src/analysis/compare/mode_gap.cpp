// What fake quantization leaves out of a dynamic-range model: its kernels round what they read, over a range taken in each run. Where no
// map is quantized, the default mode is fp32, which is fake quantization there.
#include <algorithm>
#include <cmath>

#include "analysis/facts/quantization_scheme.h"
#include "core/ranks.h"
#include "visq/compare.h"

namespace visq {
namespace {

/// SQNR in dB of the output that has least; nothing where none says, as with NaN.
std::optional<double> worst_sqnr(const CompareResult& result) {
  std::optional<double> worst;
  for (std::size_t i = 0; i < result.outputs.size(); ++i) {
    const MetricValue* sqnr = find_metric(result, compared_output(result, i), "sqnr");
    if (sqnr == nullptr || sqnr->state == MetricValue::State::kUndefined) continue;
    const double value = sqnr->state == MetricValue::State::kInfinite ? HUGE_VAL : sqnr->value;
    worst = std::min(worst.value_or(value), value);
  }
  return worst;
}

/// Of the first record alone; nothing where the mode cannot run the model.
std::optional<double> first_record(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                                   RecordSource& data, const CompareOptions& options, Mode mode) {
  CompareOptions one;
  static_cast<PairRunRequest&>(one) = options;
  one.progress = {};  // told of the comparison's records
  one.records.last = std::min(one.records.last, one.records.first + 1);
  one.quantized_mode = mode;
  one.modes_given = true;
  one.post = options.post;
  one.metrics = {metric_named("sqnr")};
  const auto result = compare(reference, quantized, data, one);
  return result.ok() && !result->interrupted ? worst_sqnr(*result) : std::nullopt;
}

}  // namespace

void measure_mode_gap(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized, RecordSource& data,
                      const CompareOptions& options, CompareResult& result) {
  const bool usual = options.quantized_mode != Mode::kInteger && !options.modes_given && options.tokens == nullptr;
  // Parts of a run and ranks of a job go without: what they give together must not depend on how the records were shared out.
  const bool whole = !options.per_record && !ranks().several();
  if (!usual || !whole || result.interrupted || !has_hybrid_kernels(*quantized)) return;
  const auto here = first_record(reference, quantized, data, options, Mode::kFakeQuant);
  const auto there = here ? first_record(reference, quantized, data, options, Mode::kInteger) : std::nullopt;
  if (there) result.mode_gap = ModeGap{options.records.first, *here, *there};
}

}  // namespace visq
