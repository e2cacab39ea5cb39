#include "diagnosis/what_if.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/records/model_runner.h"
#include "analysis/records/real_values.h"
#include "core/as_size.h"
#include "core/error.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

constexpr std::size_t kFewRecords = 4;
constexpr int kSomeRecords = 24;

double decibels(double signal, double noise) {
  if (noise <= 0) return kPerfect;
  if (signal <= 0) return -kPerfect;
  return std::clamp(10 * std::log10(signal / noise), -kPerfect, kPerfect);
}

}  // namespace

std::vector<int> squashed_maps(const Subject& subject) {
  std::vector<int> maps;
  for (int tensor : compared_outputs(subject)) {
    for (int maker = subject.q().maker(tensor); maker >= 0; maker = subject.q().maker(tensor)) {
      const Operator& op = subject.q().op(maker);
      const kernels::OpDef& facts = kernels::facts_of(op);
      const bool squashes = facts.fixed_grid.scale8 != 0;
      if (!squashes && !subject.q().passes_through(maker) && !facts.reorders) break;
      tensor = input_of(op, 0);
      if (tensor == kNoTensor) break;
      if (!squashes) continue;
      if (subject.reference_of(tensor) >= 0) maps.push_back(tensor);
      break;
    }
  }
  return maps;
}

std::vector<int> compared_outputs(const Subject& subject) {
  std::vector<int> outputs;
  for (const int output : subject.quantized().main().outputs) {
    if (subject.reference_of(output) >= 0) outputs.push_back(output);
  }
  return outputs;
}

double gain(const std::vector<double>& before, const std::vector<double>& after) {
  double most = -2 * kPerfect, least = 2 * kPerfect;
  for (std::size_t i = 0; i < before.size(); ++i) {
    most = std::max(most, after[i] - before[i]);
    least = std::min(least, after[i] - before[i]);
  }
  return before.empty() ? 0 : most + std::min(0.0, least);
}

WhatIf::WhatIf(const Subject& subject, bool in_order)
    : subject_(subject), watched_(compared_outputs(subject)), outputs_(watched_.size()), in_order_(in_order) {
  const auto squashed = squashed_maps(subject);
  squashed_ = squashed.size();
  watched_.insert(watched_.end(), squashed.begin(), squashed.end());
  for (std::size_t i = 0; i < outputs_; ++i) {
    auto end = earlier_end(subject, watched_[i]);
    if (!end || subject.reference_of(end->map) < 0) continue;
    end->output = i;
    ends_.push_back(std::move(*end));
  }
  for (const EarlierEnd& end : ends_) watched_.push_back(end.map);
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    classes_.push_back(i < outputs_ ? classes_of(subject, subject.reference_of(watched_[i])) : 0);
  }
}

/// Nothing where the map has no real values.
WhatIf::Sum WhatIf::sum_of(std::size_t record, std::size_t map, const kernels::Tensor& found, std::vector<float>& scratch) const {
  Sum sum;
  const std::vector<float>& wanted = reference_[record][map];
  const float* values = analysis::real_values(found, scratch);
  if (values == nullptr || wanted.size() != as_size(found.elements())) return sum;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto f = static_cast<double>(wanted[k]);
    const auto q = std::isfinite(values[k]) ? static_cast<double>(values[k]) : 0.0;
    if (!std::isfinite(f)) continue;
    sum.signal += f * f, sum.noise += (f - q) * (f - q);
  }
  if (classes_[map] > 0) sum.decisions.count(wanted, {values, wanted.size()}, classes_[map]);
  return sum;
}

Status WhatIf::claim(std::uint64_t bytes) {
  const auto& kept = claims_.emplace_back(bytes);
  if (kept.granted()) return {};
  return bad_input("{}: no memory for the inputs and outputs of {} records: {}", subject_.quantized().path, inputs_.size(),
                   memory_shortage(bytes));
}

Status WhatIf::add(std::vector<Array> inputs, bool judges, bool afresh) {
  std::uint64_t bytes = 0;
  for (const Array& input : inputs) bytes += input.bytes.size();
  inputs_.push_back(std::move(inputs));
  judges_.push_back(judges ? judging_++ : -1);
  afresh_.push_back(afresh);
  reference_.emplace_back(watched_.size());
  return claim(bytes);
}

Status WhatIf::see(int reference_tensor, const kernels::Tensor& map) {
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (subject_.reference_of(watched_[i]) != reference_tensor) continue;
    VISQ_TRY(claim(static_cast<std::uint64_t>(map.elements()) * sizeof(float)));
    std::vector<float> scratch;
    const float* values = analysis::real_values(map, scratch);
    if (values != nullptr) reference_.back()[i].assign(values, values + map.elements());
  }
  return {};
}

Status WhatIf::simulate(const std::shared_ptr<const Model>& model, Mode mode, const Choice& chosen, const Sink& sink) const {
  std::vector<float> scratch;
  std::size_t record = 0, seen = 0, wanted = 0;
  const auto look = [&](int tensor, const runtime::Executor& executor) -> Status {
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      if (watched_[i] != tensor) continue;
      if (!chosen(record)) continue;
      ++seen;
      sink(record, i, sum_of(record, i, executor.tensor(tensor), scratch));
    }
    return {};
  };
  analysis::ModelRunner runner(model, mode);
  for (; record < inputs_.size(); ++record) {
    if (!in_order_ && !chosen(record)) continue;
    if (afresh_[record]) runner.forget();
    VISQ_TRY(runner.run(inputs_[record], look));
    wanted += chosen(record) ? watched_.size() : 0;
  }
  if (seen < wanted) return unsupported("{}: an output could not be computed", model->path);
  return {};
}

OutputErrors WhatIf::errors_of(const Sums& sums) const {
  OutputErrors errors;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    auto& group = i < outputs_ ? errors.outputs : i < outputs_ + squashed_ ? errors.squashed : errors.ends;
    group.push_back(decibels(sums[i].signal, sums[i].noise));
    errors.decisions.add(sums[i].decisions);
  }
  return errors;
}

bool WhatIf::in(Sample sample, std::size_t record) const {
  if (sample == Sample::kAll) return true;
  if (sample == Sample::kFew) return record < kFewRecords;
  return judges_[record] >= 0 && (sample == Sample::kJudged || judges_[record] < kSomeRecords);
}

std::size_t WhatIf::records(Sample sample) const {
  std::size_t count = 0;
  for (std::size_t record = 0; record < inputs_.size(); ++record) count += in(sample, record) ? 1U : 0U;
  return count;
}

Result<OutputErrors> WhatIf::run(const std::shared_ptr<const Model>& model, Mode mode, Sample sample) const {
  Sums sums(watched_.size());
  const auto chosen = [&](std::size_t record) { return in(sample, record); };
  VISQ_TRY(simulate(model, mode, chosen, [&](std::size_t, std::size_t map, const Sum& sum) { sums[map].add(sum); }));
  return errors_of(sums);
}

Result<WhatIf::Samples> WhatIf::run_all(const std::shared_ptr<const Model>& model, Mode mode) const {
  constexpr Sample kSamples[] = {Sample::kFew, Sample::kSome, Sample::kJudged, Sample::kAll};
  std::array<Sums, 4> sums;
  sums.fill(Sums(watched_.size()));
  const auto every = [](std::size_t) { return true; };
  VISQ_TRY(simulate(model, mode, every, [&](std::size_t record, std::size_t map, const Sum& sum) {
    for (std::size_t i = 0; i < std::size(kSamples); ++i) {
      if (in(kSamples[i], record)) sums[i][map].add(sum);
    }
  }));
  return Samples{{errors_of(sums[0]), errors_of(sums[1]), errors_of(sums[2]), errors_of(sums[3])}};
}

Status WhatIf::order_by_error(const std::shared_ptr<const Model>& model, Mode mode) {
  std::vector<double> badness(inputs_.size(), 0);
  const auto all = [](std::size_t) { return true; };
  VISQ_TRY(simulate(model, mode, all, [&](std::size_t record, std::size_t map, const Sum& sum) {
    if (map < outputs_ && sum.signal > 0) badness[record] += sum.noise / sum.signal;
  }));
  std::vector<std::size_t> order(inputs_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return (judges_[a] >= 0) != (judges_[b] >= 0) ? judges_[a] >= 0 : badness[a] > badness[b];
  });
  std::vector<std::vector<Array>> inputs;
  std::vector<int> judges;
  std::vector<std::vector<std::vector<float>>> reference;
  for (const std::size_t record : order) {
    judges.push_back(judges_[record]);
    inputs.push_back(std::move(inputs_[record]));
    reference.push_back(std::move(reference_[record]));
  }
  inputs_ = std::move(inputs);
  judges_ = std::move(judges);
  reference_ = std::move(reference);
  return {};
}

}  // namespace visq::diagnosis
