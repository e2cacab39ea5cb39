#include "diagnosis/trials.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/threads.h"

namespace visq::diagnosis {
namespace {

/// How many of the most promising trials are judged.
constexpr std::size_t kRefined = 24;
/// More bits always win something: what a remedy that keeps the model's types wins counts as if it were this much more.
constexpr double kKeepsTypes = 1.4;
/// What is won before the last squashing counts by half: it is certain, but may never reach the output.
constexpr double kSquashed = 0.5;
/// A repair that costs the outputs more than this, in dB, is none.
constexpr double kHarm = 1;

/// Gains from which it is worth running all records, in dB.
constexpr double kLeastPromise = 1;

/// A rival that wins all but this many dB shows that it is the cause.
constexpr double kAsMuch = 1;

double worth_of(bool simulated, const OutputErrors& before, const OutputErrors& after) {
  double worth = gain(before.outputs, after.outputs);
  if (worth > -kHarm && !before.squashed.empty()) worth = std::max(worth, kSquashed * gain(before.squashed, after.squashed));
  return simulated ? worth : worth * kKeepsTypes;
}

}  // namespace

/// What stands in for a fix is told only where no fix that can be tried wins so much, in dB.
bool Trials::is_better(const Trial& trial, const TrialResult& best) {
  constexpr double kWins = 3;
  if (trial.remedy->stands_in && !best.remedy->stands_in && best.gain >= kWins) return false;
  if (!trial.remedy->stands_in && best.remedy->stands_in && trial.gain >= kWins) return true;
  return trial.worth > best.worth;
}

Result<Trials> Trials::create(const Subject& subject, const WhatIf& what_if, const DiagnoseOptions& options) {
  Trials trials(subject, what_if, options);
  VISQ_ASSIGN(trials.fake_quant_, what_if.run_all(subject.quantized_model(), Mode::kFakeQuant));
  auto integer = what_if.run_all(subject.quantized_model(), Mode::kInteger);
  if (integer.ok()) trials.integer_ = std::move(integer).value();
  return trials;
}

/// Of the repaired model: it runs, but for a network that ends earlier, whose output is one of its maps.
Result<OutputErrors> Trials::errors_of(const Trial& trial, Sample sample) const {
  const Mode mode = mode_of(trial);
  if (trial.remedy == nullptr || trial.remedy->ends_at < 0) return what_if_.run(edited(subject_.quantized(), *trial.edit), mode, sample);
  OutputErrors errors = before(mode, sample);
  const auto& ends = what_if_.ends();
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].map == trial.remedy->ends_at) errors.outputs[ends[i].output] = errors.ends[i];
  }
  return errors;
}

void Trials::try_one(Trial& trial, Sample sample) const {
  const auto after = errors_of(trial, sample);
  trial.done = after.ok();
  if (!after.ok()) return;
  const OutputErrors& was = before(mode_of(trial), sample);
  trial.gain = gain(was.outputs, after->outputs);
  trial.decisions = after->decisions;
  trial.worth = worth_of(trial.remedy != nullptr && trial.remedy->simulated, was, *after);
}

Result<OutputErrors> Trials::after(const ModelEdit& edit, Sample sample) const {
  return what_if_.run(edited(subject_.quantized(), edit), mode(), sample);
}

void Trials::try_all(std::vector<Trial>& trials, Sample sample) const {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::int64_t done = 0;
  const auto work = [&](int) {
    for (std::size_t i = next++; i < trials.size(); i = next++) {
      if (options_.stop != nullptr && options_.stop->load()) return;
      try_one(trials[i], sample);
      const std::lock_guard lock(mutex);
      if (options_.progress) options_.progress(++done, static_cast<std::int64_t>(trials.size()));
    }
  };
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  on_threads(options_.threads > 0 ? options_.threads : cores, work);
}

void Trials::dismiss_rivalled(const std::vector<Trial>& trials, std::vector<TrialResult>& results) const {
  for (const Trial& trial : trials) {
    TrialResult& result = results[trial.suspicion];
    if (trial.done && trial.remedy == nullptr && trial.gain >= result.gain - kAsMuch && trial.gain >= kAsMuch) result.dismissed = true;
  }
}

void Trials::judge(std::vector<TrialResult*> results) const {
  std::erase_if(results, [](const TrialResult* result) { return result->remedy == nullptr; });
  if (what_if_.records(Sample::kJudged) == what_if_.records(Sample::kSome)) return;
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < results.size(); ++i) {
    trials.push_back({i, results[i]->remedy, &results[i]->remedy->edit});
    if (results[i]->feasible != nullptr) trials.push_back({i, results[i]->feasible, &results[i]->feasible->edit});
  }
  try_all(trials, Sample::kJudged);
  for (const Trial& trial : trials) {
    TrialResult& result = *results[trial.suspicion];
    if (!trial.done) continue;
    if (trial.remedy == result.remedy) result.gain = trial.gain, result.worth = trial.worth, result.decisions = trial.decisions;
    if (trial.remedy == result.feasible) result.feasible_worth = trial.worth;
  }
}

void Trials::promise(std::vector<TrialResult*> results) const {
  std::erase_if(results, [](const TrialResult* result) { return result->remedy == nullptr || result->gain < kLeastPromise; });
  if (what_if_.records(Sample::kAll) == what_if_.records(Sample::kJudged)) return;
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < results.size(); ++i) trials.push_back({i, results[i]->remedy, &results[i]->remedy->edit});
  try_all(trials, Sample::kAll);
  for (const Trial& trial : trials) {
    if (trial.done) results[trial.suspicion]->gain = trial.gain, results[trial.suspicion]->decisions = trial.decisions;
  }
}

std::vector<TrialResult> Trials::run(const std::vector<Suspicion>& suspicions) const {
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < suspicions.size(); ++i) {
    for (const Remedy& remedy : suspicions[i].remedies) trials.push_back({i, &remedy, &remedy.edit});
    for (const ModelEdit& rival : suspicions[i].rivals) trials.push_back({i, nullptr, &rival});
  }
  try_all(trials, Sample::kFew);
  std::erase_if(trials, [](const Trial& trial) { return !trial.done; });
  if (what_if_.records() > 1) {
    std::stable_sort(trials.begin(), trials.end(), [](const Trial& a, const Trial& b) { return a.worth > b.worth; });
    if (trials.size() > kRefined) trials.resize(kRefined);
    try_all(trials, Sample::kSome);
  }
  std::vector<TrialResult> results(suspicions.size());
  for (const Trial& trial : trials) {
    if (!trial.done || trial.remedy == nullptr) continue;
    TrialResult& result = results[trial.suspicion];
    if (!trial.remedy->simulated && trial.remedy->writable && trial.worth > result.feasible_worth) {
      result.feasible = trial.remedy;
      result.feasible_worth = trial.worth;
    }
    if (result.remedy != nullptr && !is_better(trial, result)) continue;
    result.remedy = trial.remedy;
    result.gain = trial.gain;
    result.worth = trial.worth;
    result.decisions = trial.decisions;
    result.mode = mode_of(trial);
  }
  dismiss_rivalled(trials, results);
  return results;
}

}  // namespace visq::diagnosis
