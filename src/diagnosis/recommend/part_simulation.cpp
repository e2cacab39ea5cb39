#include "diagnosis/recommend/part_simulation.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "analysis/trials/trial_runner.h"
#include "core/as_size.h"
#include "diagnosis/what_if.h"

namespace visq::diagnosis {

using analysis::PartSet;

double to_decibels(double noise) { return noise > 0 ? std::min(kPerfect, -10 * std::log10(noise)) : kPerfect; }
double noise_of(double decibels) { return std::pow(10, -decibels / 10); }

PartSimulation::PartSimulation(analysis::PartialModels& models, const PrecisionForms& forms, RecordSource& data,
                               const RecommendOptions& options)
    : models_(models), forms_(forms), data_(data), options_(options) {
  for (const RecordRange& part : {options.records, options.repairs.fitted, options.repairs.judged}) {
    for (std::int64_t record = part.first; record < part.last; ++record) told_.push_back(record);
  }
  for (const int output : models.reference().main().outputs) {
    if (models.reference().main().tensors[as_size(output)].dtype == DType::kFloat32) outputs_.push_back(output);
  }
}

Result<std::vector<double>> PartSimulation::noises(const std::vector<PartSet>& trials, const PartSet& base,
                                                   const std::vector<std::int64_t>& records) const {
  analysis::TrialOptions options;
  options.outputs = outputs_;
  options.base = &base;
  options.threads = options_.threads > 0 ? options_.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  options.memory = options_.memory;
  options.sequence_length = options_.sequence_length;
  options.divergence = false;
  analysis::TrialRunner runner(models_, trials, options);
  std::vector<std::size_t> all(trials.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  std::vector<std::vector<double>> signal(trials.size(), std::vector<double>(outputs_.size(), 0)), noise = signal;
  for (const std::int64_t index : records) {
    VISQ_ASSIGN(const Record record, data_.read(index));
    VISQ_TRY(runner.begin(record));
    VISQ_TRY(runner.run(
        all,
        [&](std::size_t trial, analysis::TrialRecord&& result) {
          for (std::size_t i = 0; i < result.outputs.size(); ++i) {
            const auto& stats = result.outputs[i].stats;
            signal[trial][i] += stats.sum_ff;
            noise[trial][i] += result.outputs[i].non_finite > 0 ? stats.sum_ff : stats.sum_dd;
          }
        },
        options_.stop));
  }
  std::vector<double> worst(trials.size(), 0);
  for (std::size_t t = 0; t < trials.size(); ++t) {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (signal[t][i] > 0) worst[t] = std::max(worst[t], noise[t][i] / signal[t][i]);
    }
  }
  return worst;
}

Result<double> PartSimulation::simulate(const std::vector<int>& operators) const {
  VISQ_ASSIGN(const auto noise, noises({forms_.with({operators.begin(), operators.end()})}, forms_.with({}), told_));
  return to_decibels(noise[0]);
}

}  // namespace visq::diagnosis
