#include "visq/diagnose.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/model_runner.h"
#include "diagnosis/examination.h"
#include "diagnosis/overall.h"

namespace visq {
namespace diagnosis {

namespace {

/// How many faults are mended to look behind them.
constexpr int kRounds = 3;

constexpr std::string_view kGlobalCauses[] = {"RETRAINED", "DEGRADED", "ACCUMULATED"};

bool stopped(const DiagnoseOptions& options) { return options.stop != nullptr && options.stop->load(); }

/// Runs the reference over all records: its values of every map that is wanted, and its outputs.
Status measure_reference(const Subject& subject, RecordSource& data, const DiagnoseOptions& options, std::map<int, MapValues>& values,
                         WhatIf& what_if) {
  VISQ_ASSIGN(const auto feed, InputFeed::create(subject.reference(), &subject.quantized()));
  std::set<int> wanted;
  for (const int tensor : subject.q().feature_maps()) {
    if (subject.q().tensor(tensor).quantization.quantized() && subject.reference_of(tensor) >= 0)
      wanted.insert(subject.reference_of(tensor));
  }
  analysis::ModelRunner runner(subject.reference_model(), Mode::kFp32);
  std::vector<float> scratch;
  for (std::int64_t index = options.records.first; index < options.records.last; ++index) {
    VISQ_ASSIGN(const Record record, data.read(index));
    VISQ_ASSIGN(const auto inputs, feed.for_model(record));
    VISQ_ASSIGN(auto twin, feed.for_twin(record));
    what_if.add(std::move(twin));
    VISQ_TRY(runner.run(inputs, [&](int tensor, const runtime::Executor& executor) -> Status {
      what_if.see(tensor, executor.tensor(tensor));
      const float* map = wanted.contains(tensor) ? analysis::real_values(executor.tensor(tensor), scratch) : nullptr;
      if (map == nullptr) return {};
      const std::span elements(map, static_cast<std::size_t>(executor.tensor(tensor).elements()));
      values[tensor].sketch.add(elements);
      values[tensor].moments.add(elements);
      return {};
    }));
  }
  return {};
}

/// Adds what an examination found; of what is known already, the larger gain is kept.
void merge(const Examination& examination, std::vector<Fault>& faults) {
  for (const Fault& fault : examination.faults) {
    const auto known = std::find_if(faults.begin(), faults.end(), [&](const Fault& each) { return each.place == fault.place; });
    if (known == faults.end()) {
      faults.push_back(fault);
    } else if (fault.worth > known->worth) {
      *known = fault;
    }
  }
}

/// A large fault hides smaller ones: it is mended, and the mended model is examined in turn. Mended faults come first, in this order.
Result<Examination> find_faults(std::unique_ptr<Subject> subject, const std::map<int, MapValues>& values, const WhatIf& what_if,
                                const DiagnoseOptions& options, std::vector<Fault>& faults) {
  VISQ_ASSIGN(Examination first, examine(std::move(subject), values, what_if, options));
  std::vector<Fault> mended, open;
  merge(first, open);
  std::shared_ptr<const Model> model = first.subject->quantized_model();
  while (!open.empty() && static_cast<int>(mended.size()) < kRounds && !stopped(options)) {
    if (open.front().finding.severity != Severity::kError || open.front().simulated) break;
    mended.push_back(std::move(open.front()));
    open.erase(open.begin());
    model = edited(*model, mended.back().edit);
    VISQ_ASSIGN(auto changed, Subject::create(first.subject->reference_model(), model));
    VISQ_ASSIGN(const Examination next, examine(std::move(changed), values, what_if, options));
    merge(next, open);
    std::stable_sort(open.begin(), open.end(), more_important);
  }
  faults = std::move(mended);
  faults.insert(faults.end(), open.begin(), open.end());
  return first;
}

}  // namespace
}  // namespace diagnosis

std::vector<std::string_view> all_causes() {
  std::vector<std::string_view> names = diagnosis::local_causes();
  names.insert(names.end(), std::begin(diagnosis::kGlobalCauses), std::end(diagnosis::kGlobalCauses));
  return names;
}

Result<DiagnoseResult> diagnose(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                const DiagnoseOptions& options) {
  using namespace diagnosis;
  VISQ_ASSIGN(auto subject, Subject::create(reference, quantized));
  const Subject& first = *subject;
  std::map<int, MapValues> values;
  WhatIf what_if(first);
  VISQ_TRY(measure_reference(first, data, options, values, what_if));
  if (!keeps_state(*reference) && !keeps_state(*quantized)) VISQ_TRY(what_if.order_by_error(quantized, Mode::kFakeQuant));
  std::vector<Fault> faults;
  VISQ_ASSIGN(const Examination examination, find_faults(std::move(subject), values, what_if, options, faults));
  DiagnoseResult result;
  result.reference = {reference->path, {}, reference->format};
  result.quantized = {quantized->path, {}, quantized->format};
  result.data = data.description();
  result.records = options.records;
  result.mode = examination.trials->mode();
  result.output_sqnr = examination.trials->before().outputs;
  for (const int output : compared_outputs(first)) result.outputs.push_back(first.names().name(output));
  for (Fault& fault : faults) result.findings.push_back(std::move(fault.finding));
  result.interrupted = stopped(options);
  if (result.interrupted) return result;
  VISQ_ASSIGN(result.losses, layer_losses(reference, quantized, data, options, result.mode));
  add_overall(*examination.symptoms, what_if, *examination.trials, options, result);
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  return result;
}

}  // namespace visq
