// compare: how far is each feature map of one model off the other's?
#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "core/error.h"
#include "visq/report/result_file.h"
#include "visqerror/options/command.h"
#include "visqerror/options/conditions.h"
#include "visqerror/sessions/baseline.h"
#include "visqerror/sessions/compare_outputs.h"
#include "visqerror/sessions/comparison.h"
#include "visqerror/sessions/dump_comparison.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/sessions/token_calls.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_compare {
namespace {

struct Arguments {
  PairRequest pair;
  SelectionOptions selection;
  ConsoleOptions console;
  CompareOutputOptions output;
  TokenArguments tokens;
  std::string threads, mode, ref_mode, max_scale, post, baseline;
  std::vector<std::string> tolerance, metrics, minimum, maximum;
  bool baseline_outputs = false, per_record = false, per_channel = false, origin = false, allow_partial = false;
};

Status check_models(const Arguments& arguments) {
  if (arguments.pair.reference.empty()) return usage_error("compare: no models given; see 'visqerror compare --help'");
  return {};
}

Result<std::vector<Metric>> parse_metrics(const std::vector<std::string>& names) {
  std::vector<Metric> metrics;
  for (const std::string& name : names) {
    VISQ_ASSIGN(const Metric metric, parse_metric("--metrics", name));
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) metrics.push_back(metric);
  }
  return metrics;
}

Result<std::vector<Condition>> parse_conditions(const Arguments& arguments, const std::vector<Metric>& metrics) {
  std::vector<Condition> conditions;
  const auto parse = [&](const std::string& option, const std::vector<std::string>& texts) -> Status {
    for (const std::string& text : texts) {
      VISQ_ASSIGN(conditions.emplace_back(), parse_condition(option, text));
      const Metric metric = conditions.back().metric;
      const bool by_metric = conditions.back().scope != Condition::Scope::kAccuracyDrop;
      if (by_metric && !metrics.empty() && std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) {
        return usage_error("{} {}: {} is not among --metrics", option, text, metric_info(metric).name);
      }
    }
    return {};
  };
  VISQ_TRY(parse("--min", arguments.minimum));
  VISQ_TRY(parse("--max", arguments.maximum));
  return conditions;
}

/// What the user asks of the result.
struct Demands {
  std::vector<Condition> conditions;
  std::optional<Baseline> baseline;
};

Result<Demands> parse_demands(const Arguments& arguments, const std::vector<Metric>& metrics) {
  Demands demands;
  VISQ_ASSIGN(demands.conditions, parse_conditions(arguments, metrics));
  VISQ_ASSIGN(const Tolerance tolerance, parse_tolerance(arguments.tolerance));
  if (arguments.baseline.empty()) {
    if (!arguments.tolerance.empty()) return usage_error("--tolerance needs --baseline");
    if (arguments.baseline_outputs) return usage_error("--baseline-outputs needs --baseline");
    return demands;
  }
  VISQ_ASSIGN(StoredResult stored, report::read_result(arguments.baseline));
  demands.baseline = Baseline{std::move(stored), tolerance, arguments.baseline_outputs};
  return demands;
}

std::vector<ConditionOutcome> evaluate_all(const Demands& demands, const CompareResult& result, const Console& console) {
  std::vector<ConditionOutcome> all;
  for (const Condition& condition : demands.conditions) std::ranges::move(evaluate(condition, result), std::back_inserter(all));
  if (demands.baseline) std::ranges::move(evaluate(*demands.baseline, result, console), std::back_inserter(all));
  return all;
}

/// A verdict on a metric needs it; on SQNR, MSE will do.
Status check_score(const std::string& score, const std::vector<Metric>& metrics) {
  const bool measured = metrics.empty() || std::ranges::find(metrics, metric_named(score)) != metrics.end();
  const bool needed = score_named(score) == Score::kCosine || score_named(score) == Score::kPsnr;
  return measured || !needed ? Status() : Status(usage_error("--score {}: is not among --metrics", score));
}

Result<PairRequest> make_request(const Arguments& arguments) {
  PairRequest request = arguments.pair;
  CompareOptions& options = request.options;
  VISQ_ASSIGN(options.metrics, parse_metrics(arguments.metrics));
  VISQ_TRY(check_score(request.score, options.metrics));
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  if (!arguments.max_scale.empty()) {
    VISQ_ASSIGN(options.max_scale, parse_number("--max-scale", arguments.max_scale));
  }
  if (!arguments.mode.empty()) {
    VISQ_ASSIGN(request.quantized_mode, parse_mode("--mode", arguments.mode));
  }
  if (!arguments.ref_mode.empty()) {
    VISQ_ASSIGN(request.reference_mode, parse_mode("--ref-mode", arguments.ref_mode));
  }
  VISQ_ASSIGN(options.post, parse_post(arguments.post));
  static_cast<NodeSelection&>(options) = arguments.selection;
  options.per_record = arguments.per_record;
  options.per_channel = arguments.per_channel;
  options.origin = arguments.origin;
  return request;
}

Result<int> execute_one(const Arguments& arguments) {
  const Console console = arguments.console.console();
  VISQ_ASSIGN(PairRequest request, make_request(arguments));
  VISQ_ASSIGN(const Demands demands, parse_demands(arguments, request.options.metrics));
  VISQ_ASSIGN(const auto outputs, CompareOutputs::prepare(arguments.output, request, {arguments.baseline}));
  VISQ_ASSIGN(CompareResult result, compare_pair(std::move(request), console));
  if (interrupted()) return interruption_exit_code();
  const auto outcomes = evaluate_all(demands, result, console);
  VISQ_TRY(outputs->write(result, outcomes, console));
  return conclude(result, outcomes, arguments.allow_partial, console);
}

/// Dumps have no signatures; a model beside one runs the one that is chosen.
Result<std::vector<std::string>> signatures_of(const PairRequest& pair, const Console& console) {
  if (names_dump(pair)) return std::vector<std::string>{pair.signature};
  return signatures_in_turn(pair.signature, pair.reference, pair.quantized, console);
}

Result<int> execute_in_turn(const Arguments& arguments, const std::vector<std::string>& signatures) {
  return run_in_turn(signatures, arguments.output.json != "-", [&](const std::string& signature) -> Result<int> {
    Arguments own = arguments;
    own.pair.signature = signature;
    VISQ_ASSIGN(own.output, arguments.output.of_signature(signature));
    return execute_one(own);
  });
}

/// Tokens are the data, and say themselves where their sequences begin.
Status check_tokens(const Arguments& arguments) {
  const PairRequest& pair = arguments.pair;
  return tool::check_tokens(arguments.tokens, {{"--data", !pair.data.path.empty()},
                                               {"--sequence-length", !pair.sequence.length.empty()},
                                               {"--labels", !pair.labels.empty()},
                                               {"--eval", !pair.eval.empty()},
                                               {"--score", !pair.score.empty()}});
}

Result<int> execute_tokens(Arguments arguments) {
  PairRequest& pair = arguments.pair;
  VISQ_ASSIGN(pair.tokens, TokenRun::plan(arguments.tokens, pair.data.records, pair.reference, pair.quantized, pair.signature,
                                          arguments.console.console()));
  const auto signatures = pair.tokens->signatures();
  if (signatures.size() > 1) return execute_in_turn(arguments, signatures);
  pair.signature = signatures.front();
  return execute_one(arguments);
}

Result<int> execute(const Arguments& arguments) {
  VISQ_TRY(check_models(arguments));
  VISQ_TRY(check_tokens(arguments));
  if (!arguments.tokens.path.empty()) return execute_tokens(arguments);
  const auto signatures = signatures_of(arguments.pair, arguments.console.console());
  if (!signatures.ok() || signatures->size() == 1) return execute_one(arguments);  // says in its turn what is wrong with the models
  return execute_in_turn(arguments, *signatures);
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->pair.reference,
                   "the reference: a float model, or a better quantized one; or a dump of feature maps; for a device's dump its model");
  options.argument(
      "QUANT", arguments->pair.quantized,
      "its quantized twin, or a device's dump; without it, FP32 is a quantized model: fake quantization against its integer execution");
  add_signature(options, arguments->pair.signature);
  arguments->pair.data.add_to(options);
  add_pairs(options, arguments->pair.data.pairs);
  options
      .value("--map", arguments->pair.map, "FILE",
             "of a device's dump, or of two dumps: a line DEVICE,MODEL (second, first) for each map whose names differ")
      .group("Pairs of feature maps");
  arguments->pair.sequence.add_to(options);
  arguments->tokens.add_to(options);
  arguments->selection.add_to(options);
  options.values("--metrics", arguments->metrics, "LIST", "only these metrics, such as mse,sqnr; default: all")
      .separated_by(',')
      .group("Selection");
  add_accuracy_options(options, arguments->pair);
  arguments->output.add_to(options);
  const std::string group = "Conditions (exit code 1 where one does not hold)";
  options
      .values("--min", arguments->minimum, "COND",
              "METRIC=VALUE on the model's outputs, any:METRIC=VALUE on every node, node:GLOB:METRIC=VALUE, accuracy_drop=POINTS")
      .group(group);
  options.values("--max", arguments->maximum, "COND", "likewise").group(group);
  options.value("--baseline", arguments->baseline, "FILE", "an earlier result (--json): no metric of any node may be worse").group(group);
  options.flag("--baseline-outputs", arguments->baseline_outputs, "of the baseline, only the model's outputs count").group(group);
  options
      .values("--tolerance", arguments->tolerance, "AMOUNT",
              "by how much metrics may be worse than in the baseline: 5% or 0.05 of a value, 1dB of metrics in dB, METRIC=5%, METRIC=VALUE "
              "in its own unit; default: 0")
      .separated_by(',')
      .group(group);
  options.value("--mode", arguments->mode, "MODE", "fp32, fake-quant or integer, of QUANT; default: fake-quant if it is quantized");
  options.value("--ref-mode", arguments->ref_mode, "MODE", "the same of FP32");
  add_post(options, arguments->post);
  options.value("--max-scale", arguments->max_scale, "S", "report larger scales as anomalies");
  options.flag("--origin", arguments->origin,
               "three errors of every node: accumulated, created by it, inherited from its inputs; takes two more passes");
  options.flag("--per-record", arguments->per_record, "keep every record's values in JSON, for merge too");
  options.flag("--per-channel", arguments->per_channel, "keep every channel's values, in JSON");
  options.flag("--allow-partial", arguments->allow_partial, "exit code 0 even if a part could not be computed");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror compare fp32.tflite int8.tflite -d data.h5\n"
      "  visqerror compare fp32.circle int8.circle -d data.h5 --records 16 -o out\n"
      "  visqerror compare fp32.tflite int8.tflite -d data.h5 --json - | jq .outputs\n"
      "  visqerror compare fp32.tflite int8.tflite -d data.h5 --min sqnr=20 \\\n"
      "    --write junit=junit.xml\n"
      "  visqerror compare fp32.tflite int8.tflite -d data.h5 \\\n"
      "    --eval 'python3 top1.py --labels y.npy' --max accuracy_drop=1\n"
      "  visqerror compare fp32.tflite int8.tflite -d frames.h5 --feed-back h_out=h_in\n"
      "  visqerror compare decoder.tflite decoder_int8.tflite --tokens tokens.npy\n"
      "  visqerror compare fp32.tflite int8.tflite -d data.h5 --origin  # which node?\n"
      "  visqerror compare int8.tflite -d data.h5       # against its integer execution\n"
      "  visqerror compare fp32_maps.h5 device_maps.h5  # two dumps, see run\n"
      "  visqerror compare fp32_maps.h5 int8.tflite     # a dump and a model\n"
      "  visqerror compare int8.tflite device_maps.h5 -d data.h5  # which kernel?");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "compare", .summary = "how far is each feature map off?", .setup = setup, .spreads = true};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_compare
