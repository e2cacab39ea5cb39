#include "visqerror/sessions/report_parts.h"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

#include "core/as_size.h"
#include "core/error.h"
#include "visq/limits.h"
#include "visqerror/options/time_limit.h"
#include "visqerror/sessions/record_choice.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {
namespace {

/// Runs that take longer say so beforehand.
constexpr double kLongRun = 5;

struct Run {
  const ReportSubject& subject;
  const TimeLimit& limit;
  const Console& console;

  /// The comparison's request as that of a part.
  template <class Options>
  Options options(const char* unit, RecordRange records) const {
    Options made;
    if constexpr (std::is_base_of_v<TrialRequest, Options>) made.memory = limits().memory;
    if constexpr (std::is_base_of_v<PairRunRequest, Options>) {
      static_cast<PairRunRequest&>(made) = subject.compare;
    } else if constexpr (std::is_base_of_v<SequenceRequest, Options>) {
      static_cast<SequenceRequest&>(made) = subject.compare;
    } else {
      static_cast<RunRequest&>(made) = subject.compare;
    }
    if constexpr (requires { made.sequence_length; }) made.sequence_length = subject.compare.sequence.length;
    made.records = records;
    made.progress = console.progress(unit);
    made.stop = &limit.stop();
    return made;
  }
  /// The first record alone, for what takes a run per tensor.
  RecordRange first_record() const { return {subject.compare.records.first, subject.compare.records.first + 1}; }
};

/// For what takes a run per tensor: over the first record and, where that leaves time, over as many as two seconds have room for.
template <class Ask>
auto in_time(const Run& run, const Ask& ask) -> decltype(ask(run.first_record())) {
  const auto start = std::chrono::steady_clock::now();
  auto found = ask(run.first_record());
  if (!found.ok() || found->interrupted) return found;
  const RecordRange& all = run.subject.compare.records;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::int64_t count = records_in_time(seconds, all.last - all.first);
  return count > 1 ? ask({all.first, all.first + count}) : std::move(found);
}

/// Puts away what a part found. False: it was stopped, and what it found is not all.
template <class Found, class Target>
Result<bool> keep(Result<Found> found, Target& target) {
  if (!found.ok()) return found.error();
  if (found->interrupted) return false;
  target = std::move(*found);
  return true;
}

Result<bool> add_diagnosis(const Run& run, FullReport& report) {
  auto options = run.options<DiagnoseOptions>("trials", run.subject.compare.records);
  options.scoring = run.subject.scoring;
  return keep(diagnose(run.subject.reference, run.subject.quantized, run.subject.data, options), report.diagnosis);
}

Result<bool> add_sensitivity(const Run& run, FullReport& report) {
  const auto ask = [&](RecordRange records) {
    auto options = run.options<SensitivityOptions>("trials", records);
    options.types = {SensitiveType::kWeight, SensitiveType::kActivation};
    options.metrics = {metric_named("mse"), metric_named("sqnr"), metric_named("cosine")};
    return sensitivity(run.subject.reference, run.subject.quantized, run.subject.data, options);
  };
  return keep(in_time(run, ask), report.sensitivity);
}

Result<bool> add_distribution(const Run& run, FullReport& report) {
  const auto ask = [&](RecordRange records) {
    auto options = run.options<DistributionOptions>("records", records);
    options.all = true;
    return distribution(run.subject.reference, run.subject.quantized, run.subject.data, options);
  };
  return keep(in_time(run, ask), report.distribution);
}

/// Weights alone, and activations alone.
Result<bool> add_accumulation(const Run& run, FullReport& report) {
  const auto ask = [&](RecordRange records) {
    return accumulate(run.subject.reference, run.subject.quantized, run.subject.data, run.options<AccumulateOptions>("records", records));
  };
  return keep(in_time(run, ask), report.accumulation);
}

Result<bool> add_partial(const Run& run, FullReport& report) {
  const auto ask = [&](RecordRange records) {
    auto options = run.options<PartialOptions>("trials", records);
    options.ranking_progress = run.console.progress("trials, one node each");
    return partial(run.subject.reference, run.subject.quantized, run.subject.data, options);
  };
  return keep(in_time(run, ask), report.partial);
}

ProfileOptions profile_options(const Run& run) {
  auto options = run.options<ProfileOptions>("records", run.first_record());
  options.modes = {run.subject.compare.reference_mode, run.subject.compare.quantized_mode};
  options.time = run.subject.time;
  return options;
}

/// Weights, and with --time how long operators take.
Result<bool> add_profile(const Run& run, FullReport& report) {
  std::optional<ProfileResult> result;
  VISQ_ASSIGN(const bool whole,
              keep(profile(run.subject.reference, run.subject.quantized, run.subject.data, profile_options(run)), result));
  if (!whole) return false;
  report.weights = std::move(result->weights);
  if (run.subject.time) report.times = ReportTimes{result->models[0].times, result->models[1].times, result->models[0].timed_runs};
  return true;
}

struct Part {
  std::string_view name;
  Result<bool> (*add)(const Run& run, FullReport& report);
  bool with_feed_back;  ///< also where outputs are fed back to inputs
};

/// The most important first.
constexpr Part kParts[] = {{"diagnose", add_diagnosis, false},        {"weights", add_profile, true},
                           {"accumulate", add_accumulation, false},   {"sensitivity", add_sensitivity, false},
                           {"distribution", add_distribution, false}, {"partial", add_partial, false}};

/// A rough guess, from what one pass over one record took. Every quantized operator is tried alone, which costs about half a pass;
/// distribution takes some passes for every few dozen feature maps.
double expected_seconds(const ReportSubject& subject, double compare_seconds) {
  const auto records = static_cast<double>(std::max<std::int64_t>(1, subject.compare.records.last - subject.compare.records.first));
  const auto& operators = subject.quantized->main().operators;
  const auto& tensors = subject.quantized->main().tensors;
  const auto quantized = std::count_if(operators.begin(), operators.end(), [&](const Operator& op) {
    return std::any_of(op.outputs.begin(), op.outputs.end(),
                       [&](int tensor) { return tensor >= 0 && tensors[as_size(tensor)].quantization.quantized(); });
  });
  const double maps = static_cast<double>(operators.size());
  return compare_seconds / records * (records * 8 + static_cast<double>(quantized) * 0.6 + maps / 10 + 30);
}

std::string left_out(const Part& part, std::string_view reason) { return fmt::format("{}: left out, {}", part.name, reason); }

void add_part(const Part& part, const Run& run, FullReport& report) {
  if (!run.subject.compare.sequence.feed_back.empty() && !part.with_feed_back) {
    return report.left_out.push_back(left_out(part, "it does not know --feed-back"));
  }
  const std::string late = fmt::format("there was no time for it within {} (--time-limit)", duration(run.subject.seconds));
  if (run.limit.over()) return report.left_out.push_back(left_out(part, late));
  const auto start = std::chrono::steady_clock::now();
  run.console.log(fmt::format("{} …", part.name));
  const auto whole = part.add(run, report);
  if (interrupted()) return;
  run.console.log(fmt::format("{}: {:.1f} s", part.name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
  if (whole.ok() && *whole) return;
  if (whole.ok() || run.limit.over()) return report.left_out.push_back(left_out(part, late));
  report.missing.push_back(fmt::format("{}: {}", part.name, whole.error().message));
  run.console.warn(report.missing.back());
}

}  // namespace

void add_report_parts(const ReportSubject& subject, double compare_seconds, const Console& console, FullReport& report) {
  const double expected = expected_seconds(subject, compare_seconds);
  if (expected > kLongRun || expected > subject.seconds) {
    console.note(fmt::format("the rest takes about {}, at most {} (--time-limit)", duration(std::min(expected, subject.seconds)),
                             duration(subject.seconds)));
  }
  const TimeLimit limit(subject.seconds);
  const Run run{subject, limit, console};
  for (const Part& part : kParts) {
    if (interrupted()) return;
    add_part(part, run, report);
  }
  for (const std::string& part : report.left_out) console.warn(part);
}

std::string report_part_names() {
  std::string names;
  for (const Part& part : kParts) names += (names.empty() ? "" : ", ") + std::string(part.name);
  return names;
}

}  // namespace visq::tool
