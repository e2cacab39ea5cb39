#include "diagnosis/recommend/precision_search.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"
#include "kernels/multiply_adds.h"
#include "visq/run.h"

namespace visq::diagnosis {

using analysis::PartSet;

namespace {

/// Records of the search, steps, moves that every step measures again, sets that a search without target ends with.
constexpr std::size_t kRecordsToRank = 4;
constexpr std::size_t kMovesTried = 8, kMostMoves = 24;
/// Entries of all sets of parts that are kept at a time: some 50 MB.
constexpr std::size_t kMostEntries = std::size_t{1} << 20;
/// Operators that cost nothing, or save nothing, are not free: they count as this share of all weights.
constexpr double kLeastPrice = 1e-3;
/// Noise under which nothing is left to win: 80 dB.
constexpr double kNoNoise = 1e-8;
/// A move must win this share of the noise. The few records of the search may be easier than all: it goes on for so many dB beyond a
/// target.
constexpr double kLeastShare = 1e-3, kReserve = 1;

}  // namespace

PrecisionSearch::PrecisionSearch(analysis::PartialModels& models, const PrecisionForms& forms, RecordSource& data,
                                 const RecommendOptions& options)
    : models_(models), forms_(forms), options_(options), simulation_(models, forms, data, options) {
  for (std::int64_t record = options.records.first; record < options.records.last; ++record) all_.push_back(record);
  find_moves();
}

/// Single operators; and where precision rises, groups that free a map together; the beginning and the end of the graph, since some errors
/// vanish only with a whole stretch of it.
void PrecisionSearch::find_moves() {
  const std::vector<int> all(forms_.candidates().begin(), forms_.candidates().end());
  for (const int node : all) moves_.push_back({{node}});
  if (forms_.kind().saves()) return;
  for (const auto& group : forms_.groups()) moves_.push_back({{group.begin(), group.end()}});
  for (std::size_t count = 2; count < all.size(); count *= 2) {
    const auto part = static_cast<std::ptrdiff_t>(count);
    moves_.push_back({{all.begin(), all.begin() + part}});
    moves_.push_back({{all.end() - part, all.end()}});
  }
  moves_.push_back({all});
}

PrecisionCost PrecisionSearch::added(const Move& move, const std::set<int>& chosen) const {
  std::set<int> larger = chosen;
  larger.insert(move.operators.begin(), move.operators.end());
  const PrecisionCost now = forms_.cost_of(chosen), then = forms_.cost_of(larger);
  return {then.bytes - now.bytes, then.map_bytes - now.map_bytes, then.conversions - now.conversions, then.mac_bits - now.mac_bits};
}

/// What a move costs, to divide by what it wins; where bytes are saved, these, to divide what it loses by.
double PrecisionSearch::price(const Move& move, const std::set<int>& chosen) const {
  const double least = kLeastPrice * std::max(forms_.weight_bytes(), 1.0);
  const auto bytes = static_cast<double>(added(move, chosen).all_bytes());
  return forms_.kind().saves() ? std::max(-bytes, least) : least + std::max(bytes, 0.0);
}

/// A rise in precision must win something, a fall must not: what it costs is for the choice to weigh.
bool PrecisionSearch::worthwhile(const Move& move, double noise) const {
  return forms_.kind().saves() || move.noise_won > kLeastShare * noise;
}

bool PrecisionSearch::fits_budget(const Move& move, const std::set<int>& chosen) const {
  return options_.budget < 0 || forms_.cost_of(chosen).bytes + added(move, chosen).bytes <= options_.budget;
}

/// What moves [first, last) win now. Each of them quantizes nearly everything: only some of these sets are kept at a time.
Status PrecisionSearch::measure(State& state, std::size_t first, std::size_t last) {
  const PartSet base = forms_.with(state.chosen);
  const std::size_t entries = base.weights.size() + base.activations.size() + 1;
  const std::size_t at_once = std::max(kMovesTried, kMostEntries / entries);
  for (std::size_t begin = first; begin < last; begin += at_once) {
    const std::size_t end = std::min(begin + at_once, last);
    std::vector<PartSet> trials;
    for (std::size_t i = begin; i < end; ++i) {
      std::set<int> larger = state.chosen;
      larger.insert(moves_[i].operators.begin(), moves_[i].operators.end());
      trials.push_back(forms_.with(larger));
    }
    VISQ_ASSIGN(const auto results, simulation_.noises(trials, base, few_));
    for (std::size_t i = begin; i < end; ++i) moves_[i].noise_won = state.noise - results[i - begin];
  }
  return {};
}

/// Measures the most promising moves again and takes the one that wins most for its price; where none of them wins anything, the next ones.
/// False where no move does.
Result<bool> PrecisionSearch::take_best(State& state) {
  std::erase_if(moves_, [&](const Move& move) {
    const bool inside = std::all_of(move.operators.begin(), move.operators.end(), [&](int node) { return state.chosen.contains(node); });
    return inside || !fits_budget(move, state.chosen);
  });
  for (Move& move : moves_) move.price = price(move, state.chosen);
  const auto better = [](const Move& a, const Move& b) { return a.noise_won / a.price > b.noise_won / b.price; };
  std::stable_sort(moves_.begin(), moves_.end(), better);
  for (std::size_t first = 0; first < moves_.size(); first += kMovesTried) {
    const std::size_t last = std::min(first + kMovesTried, moves_.size());
    VISQ_TRY(measure(state, first, last));
    const auto begin = moves_.begin() + static_cast<std::ptrdiff_t>(first), end = moves_.begin() + static_cast<std::ptrdiff_t>(last);
    std::stable_sort(begin, end, better);
    if (!worthwhile(*begin, state.noise)) continue;
    VISQ_ASSIGN(const Move best, several_of(state, first, last));
    for (const int node : best.operators) {
      if (state.chosen.insert(node).second) state.order.push_back(node);
    }
    state.noise -= best.noise_won;
    return true;
  }
  return false;
}

/// The best of these moves; where precision falls, as many of them as it takes to get through all operators in the steps there are.
Result<PrecisionSearch::Move> PrecisionSearch::several_of(State& state, std::size_t first, std::size_t last) {
  Move best = moves_[first];
  const std::size_t count = std::min(last - first, (forms_.candidates().size() + kMostMoves - 1) / kMostMoves);
  if (!forms_.kind().saves() || count < 2) return best;
  for (std::size_t i = first + 1; i < first + count; ++i) best.operators.push_back(moves_[i].operators.front());
  std::set<int> larger = state.chosen;
  larger.insert(best.operators.begin(), best.operators.end());
  VISQ_ASSIGN(const auto noise, simulation_.noises({forms_.with(larger)}, forms_.with(state.chosen), few_));
  best.noise_won = state.noise - noise[0];
  return best;
}

bool PrecisionSearch::done(const State& state) const {
  if (options_.stop != nullptr && options_.stop->load()) return true;
  if (state.chosen.size() == forms_.candidates().size()) return true;
  const double reached = to_decibels(state.noise);
  if (forms_.kind().saves()) return options_.target_sqnr && reached < *options_.target_sqnr - kReserve;
  return (options_.target_sqnr && reached >= *options_.target_sqnr + kReserve) || state.noise <= kNoNoise;
}

/// The records with the largest error tell most; a model that keeps state needs them from the first on.
Status PrecisionSearch::choose_records() {
  const auto few = static_cast<std::ptrdiff_t>(std::min(kRecordsToRank, all_.size()));
  std::vector<std::pair<double, std::int64_t>> badness;
  const bool sequence = keeps_state(models_.reference());
  for (const std::int64_t record : all_) {
    double noise = 0;
    if (!sequence) {
      VISQ_ASSIGN(const auto noises_of_one, simulation_.noises({forms_.with({})}, forms_.with({}), {record}));
      noise = noises_of_one[0];
    }
    badness.emplace_back(-noise, record);
  }
  std::stable_sort(badness.begin(), badness.end());
  for (auto each = badness.begin(); each != badness.begin() + few; ++each) few_.push_back(each->second);
  std::sort(few_.begin(), few_.end());
  return {};
}

Result<PrecisionSearch::State> PrecisionSearch::begin() {
  State state;
  VISQ_TRY(choose_records());
  const PartSet everything = forms_.with({});
  VISQ_ASSIGN(const auto noise, simulation_.noises({everything}, everything, few_));
  state.noise = noise[0];
  VISQ_TRY(measure(state, 0, moves_.size()));
  return state;
}

Result<std::vector<PrecisionPoint>> PrecisionSearch::run() {
  VISQ_ASSIGN(State state, begin());
  const double noise_of_all = state.noise;
  std::vector<PrecisionPoint> points(1);
  for (std::size_t step = 0; step < kMostMoves && !done(state); ++step) {
    VISQ_ASSIGN(const bool taken, take_best(state));
    if (!taken) break;
    const PrecisionCost cost = forms_.cost_of(state.chosen);
    points.push_back({state.order, cost.bytes, cost.map_bytes, cost.conversions, cost.mac_bits,
                      to_decibels(state.noise) - to_decibels(noise_of_all), 0, std::nullopt});
    if (options_.progress) options_.progress(static_cast<std::int64_t>(step + 1), static_cast<std::int64_t>(kMostMoves));
  }
  std::vector<PartSet> sets;
  for (const PrecisionPoint& point : points) sets.push_back(forms_.with({point.operators.begin(), point.operators.end()}));
  VISQ_ASSIGN(const auto final, simulation_.noises(sets, forms_.with({}), simulation_.told()));
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].sqnr = to_decibels(final[i]);
    points[i].predicted_sqnr = std::min(200.0, points[0].sqnr + points[i].predicted_sqnr);
  }
  return points;
}

}  // namespace visq::diagnosis
