#include "visq/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/as_size.h"

namespace visq {
namespace {

/// Up to `fine` a model is fine, beyond `broken` it is broken; of SQNR it is the other way round.
struct Limits {
  double fine, broken;
};
constexpr Limits kAccuracyDropLimits{1, 5}, kDifferingLimits{0.01, 0.1}, kSqnrLimits{20, 10}, kCosineLimits{0.995, 0.95},
    kPsnrLimits{40, 30};

/// A metric that a verdict can rest on.
struct JudgingMetric {
  Score score;
  VerdictBasis basis;
  Limits limits;
};
constexpr JudgingMetric kJudgingMetrics[] = {{Score::kSqnr, VerdictBasis::kSqnr, kSqnrLimits},
                                             {Score::kCosine, VerdictBasis::kCosine, kCosineLimits},
                                             {Score::kPsnr, VerdictBasis::kPsnr, kPsnrLimits}};
/// What is printed as the limit counts as the limit: 92.19 % - 91.19 % is no more than a point.
constexpr double kSlightly = 1e-9;
/// Records from which an accuracy can be told from chance.
constexpr std::int64_t kFewestRecords = 20;

Health health_of(double value, const Limits& limits) {
  const double sign = limits.fine < limits.broken ? 1 : -1;
  if (sign * value <= sign * limits.fine + kSlightly) return Health::kFine;
  return sign * value <= sign * limits.broken + kSlightly ? Health::kNoticeablyOff : Health::kBroken;
}

/// SQNR in dB over all records: infinite where there is no error; nothing where no metric that was asked for says.
std::optional<double> sqnr_of(const CompareResult& result, const MapComparison& map) {
  if (map.integer || map.metrics.empty()) return std::nullopt;
  const MetricValue* sqnr = find_metric(result, map, "sqnr");
  if (sqnr != nullptr) {
    if (sqnr->state == MetricValue::State::kUndefined) return std::nullopt;
    return sqnr->state == MetricValue::State::kInfinite ? HUGE_VAL : sqnr->value;
  }
  const MetricValue* mse = find_metric(result, map, "mse");
  if (mse == nullptr || mse->state != MetricValue::State::kFinite) return std::nullopt;
  const double signal = map.reference_statistics.rms * map.reference_statistics.rms;
  if (mse->value == 0) return HUGE_VAL;
  return signal > 0 ? std::optional(10 * std::log10(signal / mse->value)) : std::nullopt;
}

bool turned_non_finite(const MapComparison& map) {
  return map.quantized_statistics.non_finite > 0 && map.reference_statistics.non_finite == 0;
}

/// The value of the metric that a verdict is to rest on; nothing where no metric that was asked for says.
std::optional<double> judging_value(const CompareResult& result, const MapComparison& map, Score score) {
  if (score == Score::kSqnr) return sqnr_of(result, map);
  const MetricValue* value = map.metrics.empty() ? nullptr : find_metric(result, map, score_info(score).key);
  if (value == nullptr || value->state == MetricValue::State::kUndefined) return std::nullopt;
  return value->state == MetricValue::State::kInfinite ? HUGE_VAL : value->value;
}

void judge_by_metric(const CompareResult& result, const MapComparison& map, PairVerdict& verdict) {
  const auto* asked = std::ranges::find(kJudgingMetrics, result.judged_by, &JudgingMetric::score);
  const JudgingMetric& metric = asked == std::end(kJudgingMetrics) ? kJudgingMetrics[0] : *asked;
  const auto value = judging_value(result, map, metric.score);
  if (!value) return;
  verdict.basis = metric.basis, verdict.value = *value;
  verdict.health = health_of(*value, metric.limits);
}

PairVerdict of_output(const CompareResult& result, int output) {
  const MapComparison& map = compared_output(result, as_size(output));
  PairVerdict verdict;
  verdict.output = output;
  if (!map.not_compared.empty() && map.metrics.empty()) return verdict;
  if (map.integer) {
    verdict.basis = VerdictBasis::kDiffering, verdict.value = map.differing_share;
    verdict.health = health_of(verdict.value, kDifferingLimits);
  } else if (turned_non_finite(map)) {
    verdict.basis = VerdictBasis::kNonFinite, verdict.value = static_cast<double>(map.quantized_statistics.non_finite);
    verdict.health = Health::kBroken;
  } else {
    judge_by_metric(result, map, verdict);
  }
  return verdict;
}

/// Of two outputs' verdicts that of the worse one; what is unknown is no worse than anything known.
bool worse(const PairVerdict& a, const PairVerdict& b) {
  const auto rank = [](const PairVerdict& verdict) { return verdict.health == Health::kUnknown ? -1 : static_cast<int>(verdict.health); };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  const bool by_metric = std::ranges::find(kJudgingMetrics, a.basis, &JudgingMetric::basis) != std::end(kJudgingMetrics);
  return by_metric && a.basis == b.basis && a.value < b.value;
}

void find_first_node(const CompareResult& result, PairVerdict& verdict) {
  if (verdict.health != Health::kNoticeablyOff && verdict.health != Health::kBroken) return;
  const double limit = verdict.health == Health::kBroken ? kSqnrLimits.broken : kSqnrLimits.fine;
  for (std::size_t i = 0; i < result.maps.size(); ++i) {
    const auto sqnr = sqnr_of(result, result.maps[i]);
    if (!turned_non_finite(result.maps[i]) && !(sqnr && *sqnr < limit)) continue;
    verdict.first_node = static_cast<int>(i);
    verdict.first_sqnr = sqnr.value_or(-HUGE_VAL);
    return;
  }
}

/// In dB: twice the error.
constexpr double kMuchLeftOut = 6;

std::optional<std::string> mode_remark(const CompareResult& result) {
  const auto& gap = result.mode_gap;
  if (!gap || gap->fake_quant - gap->integer < kMuchLeftOut) return std::nullopt;
  return fmt::format(
      "the kernels of this model also round what they read, in each run (dynamic range), and fake quantization leaves that "
      "out: in record {} the worst output has {:.1f} dB here and {:.1f} dB with --mode integer, which computes what they do",
      gap->record, gap->fake_quant, gap->integer);
}

bool varies(const MapComparison& map) { return !map.integer && map.not_compared.empty() && !map.reference_repeats; }

}  // namespace

std::string_view name(Health health) {
  constexpr std::array<std::string_view, 4> kNames{"fine", "noticeably off", "broken", "unknown"};
  return kNames[as_size(static_cast<int>(health))];
}

PairVerdict pair_verdict(const CompareResult& result) {
  PairVerdict verdict;
  for (int output = 0; as_size(output) < result.outputs.size(); ++output) {
    const PairVerdict own = of_output(result, output);
    if (output == 0 || worse(own, verdict)) verdict = own;
  }
  const bool by_metric = std::ranges::find(kJudgingMetrics, result.judged_by, &JudgingMetric::score) != std::end(kJudgingMetrics);
  if (result.accuracy && !by_metric) {
    verdict = {health_of(result.accuracy->drop(), kAccuracyDropLimits), VerdictBasis::kAccuracyDrop, result.accuracy->drop(), -1, -1, 0};
  }
  find_first_node(result, verdict);
  return verdict;
}

std::vector<std::string> comparison_remarks(const CompareResult& result) {
  std::vector<std::string> remarks;
  if (auto remark = mode_remark(result)) remarks.push_back(std::move(*remark));
  const std::int64_t records = result.records.last - result.records.first;
  const auto is_input = [](const MapComparison& map) { return map.reference.node < 0 && map.reference.subgraph == 0; };
  const bool inputs_vary =
      std::any_of(result.maps.begin(), result.maps.end(), [&](const MapComparison& map) { return is_input(map) && varies(map); });
  const bool outputs_repeat = !result.outputs.empty() && std::all_of(result.outputs.begin(), result.outputs.end(), [&](int output) {
    return result.maps[as_size(output)].reference_repeats;
  });
  if (inputs_vary && outputs_repeat) {
    remarks.push_back(
        fmt::format("the reference itself gives the same outputs for all {} records: it is dead, or the data are not such as it "
                    "was made for, and what is said of its quantized twin means little",
                    records));
  }
  if (!result.accuracy || !result.accuracy->by_class() || result.accuracy->classes < 2 || result.accuracy->records < kFewestRecords)
    return remarks;
  const double chance = 1 / static_cast<double>(result.accuracy->classes);
  const double deviation = std::sqrt(chance * (1 - chance) / static_cast<double>(result.accuracy->records));
  if (result.accuracy->reference.main <= chance + 2 * deviation) {
    remarks.push_back(
        fmt::format("the reference itself is near chance: top-1 of {:.2f} % among {} classes; the data, their scaling, or the "
                    "labels are not such as it was made for",
                    100 * result.accuracy->reference.main, result.accuracy->classes));
  }
  return remarks;
}

}  // namespace visq
