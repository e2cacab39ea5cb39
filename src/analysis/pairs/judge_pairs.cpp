// Values as the last judge of pairs that names, weights and structure leave open.
#include <algorithm>
#include <map>

#include "analysis/facts/correlation.h"
#include "analysis/records/model_runner.h"
#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "core/error.h"
#include "quant/graph_index.h"
#include "quant/pairing.h"
#include "visq/mode.h"
#include "visq/pairing.h"

namespace visq {
namespace {

constexpr double kPlausible = 0.5;  ///< correlation from which a pair may stay
constexpr double kSurely = 0.8;     ///< from which another map is the partner,
constexpr double kAhead = 0.1;      ///< where it is so much better
constexpr std::int64_t kMostValues = 8192;

using Samples = std::map<int, std::vector<float>>;  ///< by tensor

/// Values of some of a model's maps in a record.
Result<Samples> sample(const std::shared_ptr<const Model>& model, const Record& record, const analysis::SequenceFeed& feed,
                       analysis::SequenceFeed::Side side, const std::vector<int>& maps) {
  Samples samples;
  std::vector<float> scratch;
  analysis::ModelRunner runner(model, default_mode(*model));
  VISQ_TRY(runner.run(record, feed, side, [&](int tensor, const runtime::Executor& executor) -> Status {
    if (executor.graph().subgraph_index() != 0 || std::find(maps.begin(), maps.end(), tensor) == maps.end()) return {};
    const float* const values = analysis::real_values(executor.tensor(tensor), scratch);
    if (values == nullptr) return {};
    const std::int64_t count = executor.tensor(tensor).elements(), stride = std::max<std::int64_t>(1, count / kMostValues);
    auto& kept = samples[tensor];
    kept.clear();
    for (std::int64_t i = 0; i < count; i += stride) kept.push_back(values[i]);
    return {};
  }));
  return samples;
}

/// Nothing where one does not vary, or is not finite, or they are not as long.
std::optional<double> likeness_of(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return std::nullopt;
  analysis::Correlation sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.add(static_cast<double>(a[i]), static_cast<double>(b[i]));
  return sum.value();
}

class PairJudge {
 public:
  PairJudge(const std::vector<quant::TensorMatch>& open, const Model& reference, const Samples& r, const Samples& q)
      : open_(open), index_(reference.main()) {
    for (std::size_t i = 0; i < open.size(); ++i) {
      auto& row = likeness_.emplace_back(open.size());
      for (std::size_t j = 0; j < open.size(); ++j) {
        const auto a = r.find(open[i].reference), b = q.find(open[j].quantized);
        if (a != r.end() && b != q.end() && (i == j || exchangeable(i, j))) row[j] = likeness_of(a->second, b->second);
      }
    }
  }

  std::vector<PairRule> judge() {
    const std::vector<std::size_t> partner = best_partners();
    std::vector<bool> taken(open_.size(), false);
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (partner[i] != i) taken[partner[i]] = true;
    }
    std::vector<PairRule> rules;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::size_t j = partner[i];
      const auto likely = likeness_[i][j];
      if (!likely) continue;
      const bool lost = j == i && taken[i], plausible = *likely >= kPlausible && !lost;
      if (plausible || open_[i].by == PairedBy::kStructure) {
        rules.push_back({open_[i].reference, open_[j].quantized, PairedBy::kMaps, *likely, !plausible});
      }
    }
    return rules;
  }

 private:
  bool exchangeable(std::size_t i, std::size_t j) const {
    const int a = index_.maker(open_[i].reference), b = index_.maker(open_[j].reference);
    return a >= 0 && b >= 0 && index_.op(a).label() == index_.op(b).label() &&
           index_.tensor(open_[i].reference).shape == index_.tensor(open_[j].reference).shape;
  }

  /// Per open pair: the one whose quantized map is its reference's partner. The clearest exchanges first; each map once.
  std::vector<std::size_t> best_partners() const {
    struct Exchange {
      double likeness;
      std::size_t r, q;
    };
    std::vector<Exchange> exchanges;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      for (std::size_t j = 0; j < open_.size(); ++j) {
        const auto &other = likeness_[i][j], &own = likeness_[i][i], &its = likeness_[j][j];
        const bool better = other && *other >= kSurely && *other > own.value_or(0) + kAhead && *other > its.value_or(0) + kAhead;
        if (i != j && better) exchanges.push_back({*other, i, j});
      }
    }
    std::stable_sort(exchanges.begin(), exchanges.end(), [](const auto& a, const auto& b) { return a.likeness > b.likeness; });
    std::vector<std::size_t> partner(open_.size());
    for (std::size_t i = 0; i < partner.size(); ++i) partner[i] = i;
    std::vector<bool> given(open_.size(), false);
    for (const auto& [likeness, r, q] : exchanges) {
      if (partner[r] != r || given[q]) continue;
      partner[r] = q;
      given[q] = true;
    }
    return partner;
  }

  const std::vector<quant::TensorMatch>& open_;
  quant::GraphIndex index_;
  std::vector<std::vector<std::optional<double>>> likeness_;  ///< [pair of the reference's map][pair of the quantized one]
};

}  // namespace

Result<std::vector<PairRule>> judge_pairs(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized,
                                          RecordSource& data, std::int64_t index, const SequenceOptions& sequence,
                                          std::vector<PairRule> rules) {
  using Side = analysis::SequenceFeed::Side;
  VISQ_ASSIGN(const auto order, match_inputs(*reference, *quantized));
  const quant::Pairing pairing = quant::pair_models(*reference, *quantized, order, rules).front().pairing;
  std::vector<quant::TensorMatch> open;
  std::vector<int> r_maps, q_maps;
  for (const quant::TensorMatch& match : pairing.matches) {
    if (match.sure) continue;
    open.push_back(match);
    r_maps.push_back(match.reference);
    q_maps.push_back(match.quantized);
  }
  if (open.empty()) return rules;
  VISQ_ASSIGN(const auto feed, analysis::SequenceFeed::create(*reference, quantized.get(), sequence));
  VISQ_ASSIGN(const Record record, data.read(index));
  VISQ_ASSIGN(const Samples r, sample(reference, record, feed, Side::kModel, r_maps));
  VISQ_ASSIGN(const Samples q, sample(quantized, record, feed, Side::kTwin, q_maps));
  for (const PairRule& rule : PairJudge(open, *reference, r, q).judge()) rules.push_back(rule);
  return rules;
}

}  // namespace visq
