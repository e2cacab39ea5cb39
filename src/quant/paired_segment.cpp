#include "quant/paired_segment.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/as_size.h"
#include "core/error.h"
#include "quant/graph_index.h"

namespace visq::quant {
namespace {

/// One of the two graphs.
class Side {
 public:
  /// `matches`: per tensor its position among the pairs, or kNone.
  Side(const Subgraph& graph, std::vector<int> matches) : index_(graph), matches_(std::move(matches)), computed_(graph.tensors.size()) {
    for (const int input : graph.inputs) computed_[as_size(input)] = true;
    for (const Operator& op : graph.operators) {
      const bool any = std::any_of(op.inputs.begin(), op.inputs.end(), [&](int input) { return input >= 0 && from_data(input); });
      for (const int output : op.outputs) computed_[as_size(output)] = any;
    }
  }

  const GraphIndex& index() const { return index_; }
  int match(int tensor) const { return matches_[as_size(tensor)]; }

  /// The operators behind `outputs` and the maps where the way back ends: graph inputs, and paired maps that are not in `passed`.
  Segment behind(const std::vector<int>& outputs, const std::set<int>& passed) const {
    std::set<int> operators, ends;
    std::vector<int> open;
    for (const int output : outputs) open.push_back(index_.maker(output));
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (node == kNone || !operators.insert(node).second) continue;
      for (const int input : index_.op(node).inputs) {
        if (input < 0) continue;
        const bool end = from_data(input) && (index_.maker(input) == kNone || (match(input) != kNone && !passed.contains(match(input))));
        if (end) {
          ends.insert(input);
        } else {
          open.push_back(index_.maker(input));
        }
      }
    }
    Segment segment{{operators.begin(), operators.end()}, {}, outputs};
    for (const int node : segment.operators) {  // in the order in which they are read
      for (const int input : index_.op(node).inputs) {
        if (ends.erase(input) > 0) segment.inputs.push_back(input);
      }
    }
    return segment;
  }

 private:
  /// Computed from the graph's inputs; false for constants, variables and what is made of them.
  bool from_data(int tensor) const { return computed_[as_size(tensor)]; }

  GraphIndex index_;
  std::vector<int> matches_;
  std::vector<bool> computed_;
};

class Finder {
 public:
  Finder(const Subgraph& reference, const Subgraph& quantized, const Pairing& pairing)
      : pairing_(pairing),
        r_(reference, places(reference.tensors.size(), &TensorMatch::reference)),
        q_(quantized, places(quantized.tensors.size(), &TensorMatch::quantized)) {}

  Result<PairedSegment> find(const TensorMatch& match) {
    if (r_.index().maker(match.reference) == kNone) {
      return bad_input("'{}' is a graph input: no operator makes it", r_.index().tensor(match.reference).name);
    }
    const std::vector<TensorMatch> outputs = outputs_with(match);
    std::set<int> passed;  // pairs that only one side meets first
    for (const TensorMatch& output : outputs) passed.insert(r_.match(output.reference));
    while (true) {
      Segment r = r_.behind(sides(outputs, &TensorMatch::reference), passed),
              q = q_.behind(sides(outputs, &TensorMatch::quantized), passed);
      const std::set<int> r_ends = ends(r_, r), q_ends = ends(q_, q);
      if (r_ends == q_ends && !r_ends.contains(kNone)) return line_up(std::move(r), std::move(q));
      const std::size_t before = passed.size();
      std::set_symmetric_difference(r_ends.begin(), r_ends.end(), q_ends.begin(), q_ends.end(), std::inserter(passed, passed.end()));
      if (passed.size() == before) {
        return bad_input("'{}' and '{}' are computed from different graph inputs", r_.index().tensor(match.reference).name,
                         q_.index().tensor(match.quantized).name);
      }
    }
  }

 private:
  std::vector<int> places(std::size_t tensors, int TensorMatch::*side) const {
    std::vector<int> result(tensors, kNone);
    for (std::size_t i = 0; i < pairing_.matches.size(); ++i) {
      result[as_size(pairing_.matches[i].*side)] = static_cast<int>(i);
    }
    return result;
  }

  /// All pairs made by the two operators that make this one.
  std::vector<TensorMatch> outputs_with(const TensorMatch& match) const {
    std::vector<TensorMatch> outputs;
    for (const int output : r_.index().op(r_.index().maker(match.reference)).outputs) {
      if (r_.match(output) == kNone) continue;
      const TensorMatch& other = pairing_.matches[as_size(r_.match(output))];
      if (q_.index().maker(other.quantized) == q_.index().maker(match.quantized)) outputs.push_back(other);
    }
    return outputs;
  }

  static std::vector<int> sides(const std::vector<TensorMatch>& matches, int TensorMatch::*side) {
    std::vector<int> tensors;
    for (const TensorMatch& match : matches) tensors.push_back(match.*side);
    return tensors;
  }

  static std::set<int> ends(const Side& side, const Segment& segment) {
    std::set<int> pairs;
    for (const int input : segment.inputs) pairs.insert(side.match(input));
    return pairs;
  }

  /// Both sides' inputs in the order of the reference.
  PairedSegment line_up(Segment reference, Segment quantized) const {
    quantized.inputs.clear();
    for (const int input : reference.inputs) {
      quantized.inputs.push_back(pairing_.matches[as_size(r_.match(input))].quantized);
    }
    return {std::move(reference), std::move(quantized)};
  }

  const Pairing& pairing_;
  Side r_, q_;
};

}  // namespace

Result<PairedSegment> paired_segment(const Subgraph& reference, const Subgraph& quantized, const Pairing& pairing,
                                     const TensorMatch& match) {
  return Finder(reference, quantized, pairing).find(match);
}

}  // namespace visq::quant
