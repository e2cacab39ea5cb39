#include "diagnosis/whole/damage.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "analysis/records/model_runner.h"
#include "analysis/records/owned_map.h"
#include "analysis/records/record_workers.h"
#include "core/as_size.h"
#include "diagnosis/decisions.h"
#include "kernels/op.h"
#include "quant/fake_quantize.h"
#include "visq/run.h"

namespace visq {

bool OutputDamage::harmless() const {
  constexpr std::int64_t kEnough = 50;
  constexpr double kFewChanged = 0.03, kGoodSqnr = 20;
  /// An error so small changes nothing but near ties, and of these chance decides how many there are: two standard deviations are allowed.
  constexpr double kSmallError = 30, kDeviations = 2;
  if (decisions >= kEnough) {
    const double chance = std::sqrt(kFewChanged * (1 - kFewChanged) / static_cast<double>(decisions));
    return changed_share() <= kFewChanged + (sqnr >= kSmallError ? kDeviations * chance : 0);
  }
  return changed_share() <= kFewChanged && sqnr >= kGoodSqnr;
}

namespace diagnosis {
namespace {

/// Real values of a map; nothing where it has none.
std::vector<float> values_of(const FeatureMap& map) {
  std::vector<float> values(as_size(map.shape.elements()));
  if (map.dtype == DType::kFloat32) {
    std::memcpy(values.data(), map.data, values.size() * sizeof(float));
  } else if (map.info != nullptr && map.dtype == map.info->dtype && quant::has_grid(*map.info)) {
    quant::dequantize(map.data, *map.info, map.shape, values.data());
  } else {
    values.clear();
  }
  return values;
}

/// The reference's outputs of one record, by tensor.
class ReferenceOutputs final : public MapSink {
 public:
  Status begin_record(std::int64_t) override {
    values_.clear(), rows_.clear();
    return {};
  }
  Status add(const FeatureMap& map) override {
    values_[map.tensor] = values_of(map);
    if (is_row(map)) rows_.insert(map.tensor);
    return {};
  }
  bool is_row(int tensor) const { return rows_.contains(tensor); }
  static bool is_row(const FeatureMap& map) {
    return map.shape.rank() > 0 && map.shape.back() == map.shape.elements() && map.shape.back() > 1;
  }
  const std::vector<float>* find(int tensor) const {
    const auto found = values_.find(tensor);
    return found == values_.end() ? nullptr : &found->second;
  }

 private:
  std::map<int, std::vector<float>> values_;
  std::set<int> rows_;
};

/// The index of the largest element.
std::ptrdiff_t best_of(std::span<const float> row) { return std::max_element(row.begin(), row.end()) - row.begin(); }

/// Sums over one channel of an output, or over all of it.
struct OutputSums {
  double values = 0, squares = 0, errors = 0, count = 0;

  void add(double f, double q) {
    if (!std::isfinite(f)) return;
    const double d = std::isfinite(q) ? f - q : f;  // what is not finite tells nothing
    values += f, squares += f * f, errors += d * d, ++count;
  }
  double power() const { return count > 0 ? squares / count : 0; }
  /// The power about the mean; all of it where the values do not vary.
  double spread() const {
    const double about_mean = squares - values * values / std::max(count, 1.0);
    return about_mean > 1e-12 * squares ? about_mean : squares;
  }
};

double signal_to_error(double signal, double errors) {
  if (errors <= 0) return HUGE_VAL;
  return signal > 0 ? 10 * std::log10(signal / errors) : -HUGE_VAL;
}

/// Channels this many times smaller than the largest, behind a gap of so many times, are another quantity (scores beside boxes in pixels),
/// and count by themselves. Without a gap they are the faint end of one quantity (bins of a spectrum).
constexpr double kOtherQuantity = 16, kGap = 4;
/// More channels than this are a map, not quantities; those that one operator makes are of one quantity sooner than those that are joined.
constexpr std::size_t kMostJoined = 256, kMostOfOne = 16;

/// The power up to which channels are another quantity; 0: none is.
double other_quantity(const std::vector<OutputSums>& channels) {
  std::vector<double> powers;
  for (const OutputSums& channel : channels) powers.push_back(channel.power());
  std::sort(powers.begin(), powers.end(), std::greater<>());
  for (std::size_t i = 1; i < powers.size(); ++i) {
    const bool small = powers[i] * kOtherQuantity * kOtherQuantity < powers[0];
    if (small && powers[i] * kGap * kGap < powers[i - 1]) return powers[i];
  }
  return 0;
}

/// The worse of an output's large and small channels, in dB.
double worst_quantity(const std::vector<OutputSums>& channels) {
  const double limit = other_quantity(channels);
  double signal[2] = {0, 0}, errors[2] = {0, 0};
  for (const OutputSums& channel : channels) {
    if (channel.power() <= 0 && channel.errors <= 0) continue;
    const std::size_t small = channel.power() <= limit ? 1 : 0;
    signal[small] += channel.spread(), errors[small] += channel.errors;
  }
  return std::min(signal_to_error(signal[0], errors[0]), signal_to_error(signal[1], errors[1]));
}

/// Compares the quantized model's outputs with the reference's of the same record, which are shown first.
class Comparison final : public MapSink {
 public:
  Comparison(const Subject& subject, const ReferenceOutputs& reference) : subject_(subject), reference_(reference) {}

  Status begin_record(std::int64_t) override {
    ++damage_.records;
    return {};
  }
  Status add(const FeatureMap& map) override {
    if (map.tensor == subject_.quantized().main().outputs[0]) compare_rows(map);
    const int twin = subject_.reference_of(map.tensor);
    const std::vector<float>* wanted = twin < 0 ? nullptr : reference_.find(twin);
    const std::vector<float> found = values_of(map);
    if (wanted == nullptr || wanted->empty() || wanted->size() != found.size()) return {};
    const std::size_t width = map.shape.rank() > 0 ? as_size(map.shape.back()) : 1;
    std::vector<OutputSums>& sums = sums_[twin];
    const bool map_of_one = width > (kind_of_maker(subject_, twin) == kernels::OpKind::kConcatenate ? kMostJoined : kMostOfOne);
    if (sums.empty()) sums.resize(decides(twin) || map_of_one ? 1 : width);
    for (std::size_t i = 0; i < found.size(); ++i) {
      sums[i % sums.size()].add(static_cast<double>((*wanted)[i]), static_cast<double>(found[i]));
    }
    if (decides(twin)) decisions_.count(*wanted, found, width);
    return {};
  }
  OutputDamage result() const {
    OutputDamage damage = damage_;
    damage.decisions = decisions_.all, damage.changed = decisions_.changed;
    damage.sqnr = HUGE_VAL;
    for (const auto& [tensor, sums] : sums_) {
      const OutputSums& first = sums.front();
      damage.sqnr = std::min(damage.sqnr, decides(tensor) ? signal_to_error(first.squares, first.errors) : worst_quantity(sums));
    }
    if (sums_.empty()) damage.records = 0, damage.sqnr = 0;  // nothing was compared but rows
    return damage;
  }

 private:
  bool decides(int reference_output) const { return classes_of(subject_, reference_output) > 0; }
  /// The first outputs of both, whether they are the same map or not: scores of one model, probabilities of the other.
  void compare_rows(const FeatureMap& map) {
    if (subject_.reference().main().outputs.empty()) return;
    const int first = subject_.reference().main().outputs[0];
    const std::vector<float>* wanted = reference_.find(first);
    const std::vector<float> found = values_of(map);
    if (wanted == nullptr || found.empty() || wanted->size() != found.size()) return;
    if (!reference_.is_row(first) || !ReferenceOutputs::is_row(map)) return;
    damage_.classes = map.shape.back();
    ++damage_.rows;
    damage_.same_best += best_of(*wanted) == best_of(found) ? 1 : 0;
  }

  const Subject& subject_;
  const ReferenceOutputs& reference_;
  OutputDamage damage_;
  Decisions decisions_;
  std::map<int, std::vector<OutputSums>> sums_;  ///< per channel, by output of the reference
};

/// The graph outputs of both models in one record.
struct PairOutputs {
  std::vector<Array> reference, quantized;
};

/// Runs both models over the records, no map of theirs but the outputs looked at.
OutputDamage damage_with(const Subject& subject, RecordSource& data, const RunRequest& request, Mode mode,
                         const SequenceOptions& sequence) {
  const auto feed = analysis::SequenceFeed::create(subject.reference(), &subject.quantized(), sequence);
  if (!feed.ok()) return {};
  ReferenceOutputs reference;
  Comparison comparison(subject, reference);
  const auto make_worker = [&]() -> Result<analysis::RecordWorker<PairOutputs>> {
    using Side = analysis::SequenceFeed::Side;
    const auto f = std::make_shared<analysis::ModelRunner>(subject.reference_model(), Mode::kFp32);
    const auto q = std::make_shared<analysis::ModelRunner>(subject.quantized_model(), mode);
    return analysis::RecordWorker<PairOutputs>([&, f, q](const Record& record) -> Result<PairOutputs> {
      const auto ignore = [](int, const runtime::Executor&) { return Status(); };
      VISQ_TRY(f->run(record, *feed, Side::kModel, ignore));
      VISQ_TRY(q->run(record, *feed, Side::kTwin, ignore));
      PairOutputs outputs;
      VISQ_ASSIGN(outputs.reference, analysis::copy_outputs(f->executor(), subject.reference()));
      VISQ_ASSIGN(outputs.quantized, analysis::copy_outputs(q->executor(), subject.quantized()));
      return outputs;
    });
  };
  const auto fold = [&](std::int64_t record, PairOutputs&& outputs) -> Status {
    VISQ_TRY(analysis::send_outputs(subject.reference(), record, outputs.reference, reference));
    return analysis::send_outputs(subject.quantized(), record, outputs.quantized, comparison);
  };
  analysis::RecordWorkers<PairOutputs> workers(data, request.records, make_worker, fold, request.stop);
  const bool in_order = feed->in_order({&subject.reference(), &subject.quantized()});
  const auto done = workers.run(in_order ? 1 : analysis::thread_count(request.threads, request.records));
  return done.ok() ? comparison.result() : OutputDamage();
}

}  // namespace

OutputDamage output_damage(const Subject& subject, RecordSource& data, const RunRequest& request, Mode mode, std::int64_t sequence_length) {
  SequenceOptions given;
  given.length = sequence_length;
  const OutputDamage damage = damage_with(subject, data, request, mode, given);
  const bool in_order = keeps_state(subject.reference()) || keeps_state(subject.quantized());
  if (damage.harmless() || !in_order || sequence_length > 0) return damage;
  SequenceOptions each;
  each.length = 1;
  OutputDamage fresh = damage_with(subject, data, request, mode, each);
  fresh.fresh_state = true;
  return fresh.harmless() ? fresh : damage;
}

}  // namespace diagnosis
}  // namespace visq
