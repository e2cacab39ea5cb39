#include "diagnosis/subject.h"

#include <algorithm>
#include <numeric>

#include "core/as_size.h"
#include "core/error.h"
#include "kernels/op.h"
#include "quant/common_maps.h"
#include "quant/fake_quantize.h"
#include "visq/data.h"

namespace visq::diagnosis {

Subject::Subject(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized)
    : reference_(std::move(reference)),
      quantized_(std::move(quantized)),
      r_(reference_->main()),
      q_(quantized_->main()),
      reference_names_(*reference_, 0),
      names_(*quantized_, 0) {}

Result<std::unique_ptr<Subject>> Subject::create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                 const std::vector<PairRule>& pairs) {
  VISQ_ASSIGN(const auto input_order, match_inputs(*reference, *quantized));
  std::unique_ptr<Subject> subject(new Subject(std::move(reference), std::move(quantized)));
  const auto pairings = quant::pair_models_once(subject->reference_, subject->quantized_, input_order, pairs);
  VISQ_TRY(quant::need_common_maps(subject->reference(), subject->quantized(), pairings->front()));
  subject->use({pairings, &pairings->front()});
  return subject;
}

std::unique_ptr<Subject> Subject::with_edits(std::shared_ptr<const Model> edited) const {
  std::unique_ptr<Subject> subject(new Subject(reference_, std::move(edited)));
  subject->use(pairing_);
  return subject;
}

void Subject::use(std::shared_ptr<const quant::GraphPairing> pairing) {
  pairing_ = std::move(pairing);
  const std::size_t tensors = quantized_->main().tensors.size();
  partner_.assign(tensors, -1);
  for (const auto& match : pairing_->pairing.matches) partner_[as_size(match.quantized)] = match.reference;
  for (std::size_t i = 0; i < tensors; ++i) {
    if (partner_[i] < 0) partner_[i] = partner_[as_size(q_.origin(static_cast<int>(i)))];
  }
  find_constants();
  find_groups();
}

void Subject::find_constants() {
  const analysis::QuantizedParts parts(*reference_, *quantized_, *pairing_);
  for (const auto& node : parts.nodes()) {
    const auto slots = kernels::facts_of(q_.op(node.counterpart)).weights;
    for (const int slot : node.constants) {
      const auto at = as_size(slot);
      constants_.push_back({node.counterpart, slot, q_.origin(q_.op(node.counterpart).inputs[at]), slots && slots->bias == at, node.node,
                            r_.origin(r_.op(node.node).inputs[at])});
    }
  }
  std::stable_sort(constants_.begin(), constants_.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
}

/// Operators that keep codes, and those that need not but were given one grid for all by the converter.
bool Subject::ties(const Operator& op) const {
  const TensorInfo& output = q_.tensor(op.outputs[0]);
  if (kernels::facts_of(op).keeps_codes.has(output.dtype)) return true;
  if (kernels::kind_of(op) != kernels::OpKind::kConcatenate) return false;
  return std::all_of(op.inputs.begin(), op.inputs.end(), [&](int input) {
    if (input < 0) return true;
    const Quantization& grid = q_.tensor(input).quantization;
    return grid.scale == output.quantization.scale && grid.zero_point == output.quantization.zero_point;
  });
}

/// Union of the tensors around every operator that ties them.
void Subject::find_groups() {
  std::vector<std::size_t> leader(partner_.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](std::size_t tensor) {
    while (leader[tensor] != tensor) tensor = leader[tensor] = leader[leader[tensor]];
    return tensor;
  };
  for (const Operator& op : quantized_->main().operators) {
    if (op.outputs.empty() || !ties(op)) continue;
    const auto first = as_size(op.outputs[0]);
    const auto tie = [&](int other) {
      if (other < 0 || !quant::has_grid(q_.tensor(other)) || q_.tensor(other).dtype != q_.tensor(op.outputs[0]).dtype) return;
      const std::size_t a = find(first), b = find(as_size(other));
      leader[std::max(a, b)] = std::min(a, b);
    };
    for (const int input : op.inputs) tie(input);
    for (const int output : op.outputs) tie(output);
  }
  group_.resize(leader.size());
  groups_.resize(leader.size());
  for (std::size_t i = 0; i < leader.size(); ++i) group_[i] = find(i);
  std::vector<bool> listed(leader.size(), false);
  const auto list = [&](int tensor) {
    const auto i = as_size(tensor);
    if (!listed[i]) groups_[group_[i]].push_back(tensor);
    listed[i] = true;
  };
  for (const int tensor : q_.feature_maps()) list(tensor);
  for (std::size_t i = 0; i < leader.size(); ++i) list(static_cast<int>(i));
}

const PairedConstant* Subject::bias_of(int node) const {
  const auto found =
      std::find_if(constants_.begin(), constants_.end(), [&](const PairedConstant& each) { return each.node == node && each.bias; });
  return found == constants_.end() ? nullptr : &*found;
}

}  // namespace visq::diagnosis
