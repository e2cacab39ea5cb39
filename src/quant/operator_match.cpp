#include "quant/operator_match.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

#include "core/as_size.h"
#include "kernels/op.h"

namespace visq::quant {
namespace {

/// Points for each kind of evidence. A name that both have alone and neighbours that agree outweigh weights that do not; weights outweigh a
/// name alone.
constexpr double kName = 2, kAlikeWeights = 3, kUnlikeWeights = -2;
constexpr double kAlike = 0.9, kUnlike = 0.3;              ///< likeness of weights
constexpr double kAbove = 2, kBelow = 2;                   ///< neighbours as alike as can be
constexpr double kFull = 6;                                ///< points from which operators are as alike as can be
constexpr double kPairedAbove = 1.5, kPairedBelow = 0.75;  ///< neighbours that are paired
constexpr double kEnough = 1;                              ///< points that make a pair
constexpr double kClear = 0.25;                            ///< points ahead of all others that make it a sure one
/// Likeness of graph outputs: any two networks have some, and converters list them in any order, so that their places decide, but never
/// surely.
constexpr double kSameOutput = 0.2, kOtherOutput = 0.1;
constexpr double kOtherSlot = 0.3;
constexpr int kRounds = 6;
/// Candidates of one type of operator up to which all are looked at; beyond, those that stand near in order.
constexpr std::size_t kAllCandidates = 250'000, kNearCandidates = 64;

/// Sums and the like, which may list what they read in any order.
bool takes_any_order(const Operator& op) {
  using kernels::OpKind;
  const OpKind kind = kernels::kind_of(op);
  return kind == OpKind::kAdd || kind == OpKind::kMultiply || kind == OpKind::kMaximum || kind == OpKind::kMinimum || kind == OpKind::kSum;
}

struct Candidate {
  int r = 0, q = 0;
  Evidence evidence;
  double own = 0;     ///< points of its own evidence
  double points = 0;  ///< with that of its neighbours
};

class Matcher {
 public:
  Matcher(const OperatorGraph& r, const OperatorGraph& q, const std::vector<int>& input_order)
      : r_(r),
        q_(q),
        works_(r.index().graph(), q.index().graph()),
        input_order_(input_order),
        r_partner_(as_size(r.size()), kNone),
        q_partner_(as_size(q.size()), kNone),
        sure_(as_size(r.size()), true),
        of_r_(as_size(r.size())),
        of_q_(as_size(q.size())) {}

  std::vector<OperatorMatch> run(const std::vector<std::pair<int, int>>& fixed) {
    find_candidates();
    for (int round = 0; round < kRounds; ++round) spread();
    for (const auto& [r, q] : fixed) give(r, q);
    accept(false);
    accept(true);
    std::sort(matches_.begin(), matches_.end(), [](const auto& a, const auto& b) { return a.reference < b.reference; });
    return std::move(matches_);
  }

 private:
  void find_candidates() {
    std::unordered_map<std::string_view, std::vector<int>> by_work;
    for (int q = 0; q < q_.size(); ++q) {
      if (!q_.index().passes_through(q) && !q_.moves(q)) by_work[works_.of(q_.index().op(q))].push_back(q);
    }
    std::unordered_map<std::string_view, std::vector<int>> own_by_work;
    for (int r = 0; r < r_.size(); ++r) {
      if (!r_.index().passes_through(r) && !r_.moves(r)) own_by_work[works_.of(r_.index().op(r))].push_back(r);
    }
    EvidenceBook book(r_, q_);
    for (const auto& [work, own] : own_by_work) {
      const auto& others = by_work[work];
      const bool all = own.size() * others.size() <= kAllCandidates;
      const std::size_t width = all ? others.size() : std::max(kNearCandidates, kAllCandidates / own.size());
      for (std::size_t i = 0; i < own.size(); ++i) {
        const std::size_t middle = i * others.size() / own.size(), first = all ? 0 : middle - std::min(middle, width / 2);
        for (std::size_t j = first; j < std::min(others.size(), first + width); ++j) consider(book, own[i], others[j]);
      }
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const auto& a, const auto& b) { return std::pair(a.r, a.q) < std::pair(b.r, b.q); });
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      places_[key(candidates_[i].r, candidates_[i].q)] = i;
      of_r_[as_size(candidates_[i].r)].push_back(i);
      of_q_[as_size(candidates_[i].q)].push_back(i);
    }
  }

  void consider(EvidenceBook& book, int r, int q) {
    const auto evidence = book.look(r, q);
    if (!evidence) return;
    double own = kName * evidence->name + evidence->details;
    if (evidence->weights) {
      const double share = std::clamp((*evidence->weights - kUnlike) / (kAlike - kUnlike), 0.0, 1.0);
      own += kUnlikeWeights + share * (kAlikeWeights - kUnlikeWeights);
    }
    candidates_.push_back({r, q, *evidence, own, own});
  }

  static std::uint64_t key(int r, int q) { return static_cast<std::uint64_t>(r) << 32 | static_cast<std::uint32_t>(q); }
  const Candidate* find(int r, int q) const {
    const auto found = places_.find(key(r, q));
    return found == places_.end() ? nullptr : &candidates_[found->second];
  }

  /// 0 … 1; operators, graph inputs and graph outputs, numbered as in OperatorGraph.
  double alike(int r, int q) const {
    if (r < r_.size() && q < q_.size()) {
      const Candidate* candidate = find(r, q);
      return candidate == nullptr ? 0 : std::clamp(candidate->points / kFull, 0.0, 1.0);
    }
    if (r < r_.size() || q < q_.size()) return 0;
    if (r >= r_.first_output() && q >= q_.first_output())
      return r - r_.first_output() == q - q_.first_output() ? kSameOutput : kOtherOutput;
    return same_input(r, q) ? 1 : 0;
  }
  bool same_input(int r, int q) const {
    const auto input = as_size(q - q_.size());
    return q < q_.first_output() && r < r_.first_output() && input < input_order_.size() && input_order_[input] == r - r_.size();
  }

  template <class List, class Measure>
  static double best_of(const List& a, const List& b, Measure measure) {
    double best = 0;
    for (const auto& r : a) {
      for (const auto& q : b) best = std::max(best, measure(r, q));
    }
    return best;
  }

  /// Both read a part of something, but not the same.
  bool other_part(const OperatorInput& a, const OperatorInput& b) const {
    if (a.cut && b.cut) return !same_part(*a.cut, *b.cut, works_.across());
    return a.output != b.output;
  }

  /// How far what both read agrees, 0 … 1, by a measure of operators.
  template <class Measure>
  double above(int r, int q, Measure measure) const {
    const auto &own = r_.inputs(r), &other = q_.inputs(q);
    if (own.empty() || other.empty()) return own.size() == other.size() ? 0.5 : 0;
    const bool by_slot = own.size() == other.size() && !takes_any_order(r_.index().op(r));
    double sum = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      double best = 0;
      for (std::size_t j = 0; j < other.size(); ++j) {
        const double place = (i == j || !by_slot ? 1 : kOtherSlot) * (other_part(own[i], other[j]) ? kOtherSlot : 1);
        if (place > best) best = std::max(best, place * best_of(own[i].makers, other[j].makers, measure));
      }
      sum += best;
    }
    return sum / static_cast<double>(std::max(own.size(), other.size()));
  }

  template <class Measure>
  double below(int r, int q, Measure measure) const {
    constexpr std::size_t kMostUses = 16;  // more readers of one map are alike anyway
    const auto &own = r_.uses(r), &other = q_.uses(q);
    if (own.empty() || other.empty()) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < std::min(own.size(), kMostUses); ++i) {
      double best = 0;
      for (std::size_t j = 0; j < std::min(other.size(), kMostUses); ++j) {
        if (own[i].output != other[j].output) continue;
        best = std::max(best, best_of(own[i].readers, other[j].readers, [&](const OperatorReader& x, const OperatorReader& y) {
                          const bool any = x.slot == y.slot || x.node >= r_.size() || takes_any_order(r_.index().op(x.node));
                          return (any ? 1 : kOtherSlot) * measure(x.node, y.node);
                        }));
      }
      sum += best;
    }
    return sum / static_cast<double>(std::min(kMostUses, std::max(own.size(), other.size())));
  }

  /// One round in which every candidate hears from its neighbours.
  void spread() {
    const auto measure = [&](int r, int q) { return alike(r, q); };
    std::vector<double> next;
    for (const Candidate& each : candidates_) {
      next.push_back(each.own + kAbove * above(each.r, each.q, measure) + kBelow * below(each.r, each.q, measure));
    }
    for (std::size_t i = 0; i < next.size(); ++i) candidates_[i].points = next[i];
  }

  double paired_above(const Candidate& each) const {
    return above(each.r, each.q, [&](int r, int q) { return r >= r_.size() ? (same_input(r, q) ? 1.0 : 0.0) : paired(r, q); });
  }
  double paired_below(const Candidate& each) const {
    return below(each.r, each.q, [&](int r, int q) { return r >= r_.size() ? 0.0 : paired(r, q); });
  }
  double paired(int r, int q) const { return q < q_.size() && r_partner_[as_size(r)] == q ? 1.0 : 0.0; }
  double score(const Candidate& each) const { return each.points + kPairedAbove * paired_above(each) + kPairedBelow * paired_below(each); }

  /// The score without what pairs say that are not sure themselves.
  double sure_score(const Candidate& each) const {
    const auto measure = [&](int r, int q) {
      if (r >= r_.size()) return same_input(r, q) ? 1.0 : 0.0;
      return sure_[as_size(r)] ? paired(r, q) : 0.0;
    };
    const auto real = [&](int r, int q) { return r >= r_.size() ? 0.0 : measure(r, q); };
    return each.points + kPairedAbove * above(each.r, each.q, measure) + kPairedBelow * below(each.r, each.q, real);
  }

  bool free(const Candidate& each) const { return r_partner_[as_size(each.r)] == kNone && q_partner_[as_size(each.q)] == kNone; }

  bool in_order(int r, int q) const {
    return std::none_of(matches_.begin(), matches_.end(), [&](const OperatorMatch& m) {
      return (r_.behind(r, m.reference) && q_.behind(m.quantized, q)) || (r_.behind(m.reference, r) && q_.behind(q, m.quantized));
    });
  }

  /// Weights that have nothing in common, and no name says that they are the same: then both sides of it must.
  bool contradicted(const Candidate& each) const {
    constexpr double kNamed = 0.4;
    return each.evidence.weights && *each.evidence.weights < kUnlike && each.evidence.name < kNamed;
  }
  bool held_by_neighbours(const Candidate& each) const {
    constexpr double kMost = 0.99;
    const auto real = [&](int r, int q) { return r >= r_.size() ? 0.0 : paired(r, q); };
    return above(each.r, each.q, real) > kMost && below(each.r, each.q, real) > 0;
  }

  struct Entry {
    double score;
    int distance;  ///< in order of appearance: the last thing that decides
    std::size_t candidate;
    bool operator<(const Entry& other) const {
      if (score != other.score) return score < other.score;
      return distance != other.distance ? distance > other.distance : candidate > other.candidate;
    }
  };
  Entry entry(std::size_t i) const {
    const Candidate& each = candidates_[i];
    const double tidy = std::round(score(each) * 1e6) / 1e6;  // sums in another order are no evidence
    const double place = static_cast<double>(each.r) / r_.size() - static_cast<double>(each.q) / q_.size();
    return {tidy, static_cast<int>(std::fabs(place) * 1e6), i};
  }

  void accept(bool against_weights) {
    std::priority_queue<Entry> queue;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (free(candidates_[i])) queue.push(entry(i));
    }
    while (!queue.empty()) {
      const Entry top = queue.top();
      queue.pop();
      const Candidate& each = candidates_[top.candidate];
      if (!free(each)) continue;
      const Entry now = entry(top.candidate);
      if (now.score > top.score) continue;  // its better entry has been seen, or will be
      if (now.score < kEnough || (contradicted(each) && !(against_weights && held_by_neighbours(each))) || !in_order(each.r, each.q))
        continue;
      const bool sure = !has_rival(top.candidate);
      sure_[as_size(each.r)] = sure;
      r_partner_[as_size(each.r)] = each.q;
      q_partner_[as_size(each.q)] = each.r;
      matches_.push_back({each.r, each.q, each.evidence, sure});
      for (const std::size_t i : neighbours(each)) queue.push(entry(i));
    }
  }

  /// Neither of the two is surely another one's.
  bool open(const Candidate& each) const {
    const int r = q_partner_[as_size(each.q)];
    return (r_partner_[as_size(each.r)] == kNone || !sure_[as_size(each.r)]) && (r == kNone || !sure_[as_size(r)]);
  }

  /// Another pair with one of the two that is nearly as good.
  bool has_rival(std::size_t place) const {
    const Candidate& each = candidates_[place];
    const double least = sure_score(each) - kClear;
    const auto rivals = [&](const std::vector<std::size_t>& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](std::size_t i) { return i != place && open(candidates_[i]) && score(candidates_[i]) > least; });
    };
    return rivals(of_r_[as_size(each.r)]) || rivals(of_q_[as_size(each.q)]);
  }

  /// Candidates whose score has grown, now that these two are paired.
  std::vector<std::size_t> neighbours(const Candidate& pair) const {
    const auto around = [](const OperatorGraph& graph, int op) {
      std::vector<int> result;
      const auto add = [&](const std::vector<int>& list) {
        for (const int each : list) {
          if (each < graph.size()) result.push_back(each);
        }
      };
      for (const OperatorInput& input : graph.inputs(op)) add(input.makers);
      for (const OperatorUse& use : graph.uses(op)) {
        for (const OperatorReader& reader : use.readers) add({reader.node});
      }
      return result;
    };
    std::vector<std::size_t> places;
    const auto others = around(q_, pair.q);
    for (const int r : around(r_, pair.r)) {
      for (const std::size_t i : of_r_[as_size(r)]) {
        if (free(candidates_[i]) && std::find(others.begin(), others.end(), candidates_[i].q) != others.end()) places.push_back(i);
      }
    }
    return places;
  }

  void give(int r, int q) {
    if (r_partner_[as_size(r)] != kNone || q_partner_[as_size(q)] != kNone) return;
    r_partner_[as_size(r)] = q;
    q_partner_[as_size(q)] = r;
    const Candidate* known = find(r, q);
    matches_.push_back({r, q, known == nullptr ? Evidence{} : known->evidence, true});
  }

  const OperatorGraph &r_, &q_;
  Works works_;
  const std::vector<int>& input_order_;
  std::vector<int> r_partner_, q_partner_;
  std::vector<bool> sure_;  ///< per operator of the reference
  std::vector<Candidate> candidates_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
  std::vector<std::vector<std::size_t>> of_r_, of_q_;  ///< per operator: its candidates
  std::vector<OperatorMatch> matches_;
};

}  // namespace

std::vector<OperatorMatch> match_operators(const OperatorGraph& reference, const OperatorGraph& quantized,
                                           const std::vector<int>& input_order, const std::vector<std::pair<int, int>>& fixed) {
  return Matcher(reference, quantized, input_order).run(fixed);
}

}  // namespace visq::quant
