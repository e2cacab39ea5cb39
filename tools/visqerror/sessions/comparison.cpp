#include "visqerror/sessions/comparison.h"

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/ranks.h"
#include "visq/limits.h"
#include "visqerror/sessions/device_comparison.h"
#include "visqerror/sessions/dump_comparison.h"
#include "visqerror/sessions/real_operators.h"
#include "visqerror/sessions/run_log.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {
namespace {

/// One model alone is compared with itself: what the device computes against what fake quantization says.
Status complete(PairRequest& request, const Model& reference) {
  if (!request.quantized.empty()) return {};
  if (!has_quantization(reference)) {
    return bad_input("{}: holds no quantized tensor, so there is no integer execution to compare it with", reference.path);
  }
  request.quantized = request.reference;
  if (!request.reference_mode) request.reference_mode = Mode::kFakeQuant;
  if (!request.quantized_mode) request.quantized_mode = Mode::kInteger;
  return {};
}

Result<Pair> open_models(PairRequest& request, const Console& console) {
  const std::string& quantized = request.quantized;
  if (!quantized.empty() && quantized != request.reference) return load_pair(request.reference, quantized, request.signature, console);
  VISQ_ASSIGN(const SharedModel model, load(request.reference, request.signature, console));
  VISQ_TRY(complete(request, *model));
  return Pair{model, model};
}

}  // namespace

Result<Records> open_inputs(PairRequest& request, const Pair& models, const Console& console) {
  const auto& [reference, quantized] = models;
  SequenceOptions& sequence = request.options.sequence;
  if (request.tokens == nullptr) {
    return open_records(request.data, *reference, quantized.get(), request.legacy_random, console, sequence);
  }
  VISQ_ASSIGN(TokenRecords stage, request.tokens->begin(request.signature, *reference, quantized.get(), request.options));
  return records_of(std::move(stage.source), stage.range, request.data, *reference, quantized.get(), console, sequence);
}

void set_modes(PairRequest& request, const Model& reference, const Model& quantized) {
  CompareOptions& options = request.options;
  options.reference_mode = request.reference_mode.value_or(default_mode(reference));
  options.quantized_mode = request.quantized_mode.value_or(default_mode(quantized));
  options.modes_given = request.reference_mode || request.quantized_mode;
}

Status add_accuracy(const PairRequest& request, const Labels& labels, const SharedModel& reference, const SharedModel& quantized,
                    RecordSource& data, CompareResult& result) {
  if (!request.wanted() || result.interrupted) return {};
  VISQ_ASSIGN(result.accuracy, measure_accuracy(request, labels, reference, quantized, data, request.options));
  return {};
}

Status add_shares(const SharedModel& reference, const SharedModel& quantized, RecordSource& data, const CompareOptions& options,
                  const Console& console, CompareResult& result) {
  ShareRequest request;
  static_cast<RunRequest&>(request) = options;
  request.progress = console.progress("records, shares of the outputs' error");
  request.memory = limits().memory;
  // Parts of a run and ranks of a job go without: what they give together must not depend on how the records were shared out.
  const bool whole = options.sequence.feed_back.empty() && !ranks().several() && !options.per_record;
  return whole ? measure_shares(reference, quantized, data, request, result) : Status();
}

Result<CompareResult> compare_pair(PairRequest request, const Console& console) {
  if (is_device_comparison(request)) return compare_device(request, console);
  if (names_dump(request)) return compare_dumped(request, console);
  if (!request.map.empty()) return usage_error("--map: goes with two dumps, or with a model, a device's dump of it and the data");
  VISQ_ASSIGN(const Pair models, open_models(request, console));
  return compare_models(std::move(request), models, console);
}

Result<CompareResult> compare_models(PairRequest request, const Pair& models, const Console& console) {
  const auto& [reference, quantized] = models;
  VISQ_ASSIGN(const Labels labels, read_labels(request, request.data));
  CompareOptions& options = request.options;
  VISQ_ASSIGN(options.sequence, open_sequence(request.sequence, *reference, quantized.get(), console));
  VISQ_ASSIGN(const Records records, open_inputs(request, models, console));

  set_up(options, records, "records", console);
  set_modes(request, *reference, *quantized);
  options.watch = watch_run(console);
  say_if_sequence({reference.get(), quantized.get()}, console);
  say_if_on_reals(reference, options.reference_mode, console);
  say_if_on_reals(quantized, options.quantized_mode, console);
  auto result = compare(reference, quantized, *records.source, options);
  if (result.ok() && !has_quantization(*quantized)) console.warn(fmt::format("{}: holds no quantized tensor", quantized->path));
  if (result.ok() && options.origin) VISQ_TRY(add_shares(reference, quantized, *records.source, options, console, *result));
  if (result.ok()) measure_mode_gap(reference, quantized, *records.source, options, *result);
  if (result.ok() && request.tokens != nullptr) request.tokens->end(*result);
  if (result.ok()) result->judged_by = labels.judged_by;
  if (result.ok()) VISQ_TRY(add_accuracy(request, labels, reference, quantized, *records.source, *result));
  return result;
}

void warn_of(const CompareResult& result, const Console& console) {
  for (const std::string& warning : result.match.warnings) console.warn(warning);
  constexpr std::size_t kNamed = 5;  // the result lists all
  const std::size_t named = std::min(kNamed, result.not_computed.size());
  for (std::size_t i = 0; i < named; ++i) {
    const NotComputed& gap = result.not_computed[i];
    console.warn(fmt::format("{}: subgraph {}, node {} {}: {}", gap.model, gap.map.subgraph, gap.map.node, gap.map.op, gap.reason));
  }
  if (result.not_computed.size() > named)
    console.warn(fmt::format("{} more operators were not computed", result.not_computed.size() - named));
}

int conclude(const CompareResult& result, const std::vector<ConditionOutcome>& outcomes, bool allow_partial, const Console& console) {
  std::map<std::string_view, std::int64_t> failures;  // by condition
  for (const ConditionOutcome& outcome : outcomes) failures[outcome.condition] += outcome.failure.empty() ? 0 : 1;
  bool held = true;
  for (const ConditionOutcome& outcome : outcomes) {
    if (outcome.failure.empty()) continue;
    std::int64_t& left = failures[outcome.condition];
    if (left > 0) print_error(outcome.failure + (console.quiet() && left > 1 ? fmt::format(" (and {} more)", left - 1) : ""));
    if (console.quiet()) left = 0;
    held = false;
  }
  if (!held) return kConditionFailed;
  return result.not_computed.empty() || allow_partial ? kDone : kIncomplete;
}

}  // namespace visq::tool
