// diagnose: why does the quantized model lose accuracy, and what is the cheapest fix?
#include "visq/diagnose.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/diagnose.h"
#include "visqerror/options/command.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/outputs/review_outputs.h"
#include "visqerror/sessions/record_choice.h"
#include "visqerror/sessions/scores.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/sessions/token_calls.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_diagnose {
namespace {

constexpr std::int64_t kRecords = 16, kOtherRecords = 128;

struct Arguments {
  std::string reference, quantized, threads, validation, sequence_length, fail_on, thresholds;
  std::string signature;
  std::string outlier_z, concat_ratio, last_layer_bits, degrade_ratio;
  DataOptions data;
  TokenArguments tokens;
  ScoreArguments scores;
  ConsoleOptions console;
  ResultOutputOptions output;
  ReviewOutputOptions review;
};

Status parse_positive(const std::string& option, const std::string& text, double& target) {
  if (text.empty()) return {};
  VISQ_ASSIGN(target, parse_number(option, text));
  return target > 0 ? Status() : Status(usage_error("{}: {} is not above zero", option, text));
}

/// "mse=0.1,cosine=0.9,sqnr=10", any of them.
Status parse_thresholds(const std::string& text, DiagnoseOptions& options) {
  std::size_t first = 0;
  while (first < text.size()) {
    const std::size_t end = std::min(text.find(',', first), text.size());
    const std::string part = text.substr(first, end - first);
    const std::size_t equals = part.find('=');
    const std::string metric = part.substr(0, equals);
    double* target = metric == "mse" ? &options.degraded_mse : metric == "cosine" ? &options.degraded_cosine : &options.degraded_sqnr;
    if (equals == std::string::npos || (metric != "mse" && metric != "cosine" && metric != "sqnr")) {
      return usage_error("--thresholds: '{}' is not mse=NUMBER, cosine=NUMBER or sqnr=NUMBER", part);
    }
    VISQ_ASSIGN(*target, parse_number("--thresholds", part.substr(equals + 1)));
    first = end + 1;
  }
  return {};
}

Result<DiagnoseOptions> parse_options(const Arguments& arguments) {
  DiagnoseOptions options;
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  VISQ_TRY(parse_positive("--outlier-z", arguments.outlier_z, options.outlier_z));
  VISQ_TRY(parse_positive("--concat-ratio", arguments.concat_ratio, options.concat_ratio));
  VISQ_TRY(parse_positive("--last-layer-bits", arguments.last_layer_bits, options.last_layer_bits));
  VISQ_TRY(parse_positive("--degrade-ratio", arguments.degrade_ratio, options.degrade_ratio));
  VISQ_TRY(parse_thresholds(arguments.thresholds, options));
  const bool known = arguments.fail_on.empty() || arguments.fail_on == "error" || arguments.fail_on == "warning";
  if (!known) return usage_error("--fail-on: '{}' is neither error nor warning", arguments.fail_on);
  return options;
}

/// Losses on the validation data, for the second set of graphs.
Status add_validation(const Arguments& arguments, const SharedModel& reference, const SharedModel& quantized, DiagnoseOptions options,
                      const Console& console, DiagnoseResult& result) {
  if (arguments.validation.empty()) return {};
  DataOptions data = arguments.data;
  data.path = arguments.validation;
  data.records.clear();
  VISQ_ASSIGN(const Records records, open_records(data, *reference, quantized.get(), false, console));
  options.records = records.range;
  VISQ_ASSIGN(result.validation, layer_losses(reference, quantized, *records.source, options, result.quantized_mode));
  return {};
}

std::string next_command(const DiagnoseResult& result, const Arguments& arguments) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  const bool fixable = !result.findings.empty() && result.findings.front().tried;
  std::string line = fmt::format("visqerror {} {} {} {}", fixable ? "recommend" : "sensitivity", word(arguments.reference),
                                 word(arguments.quantized), arguments.data.option());
  if (arguments.data.tokens.empty()) line += signature_words(arguments.signature);
  return line + (fixable ? score_words(arguments.scores, word) : "");
}

/// Findings of this severity or worse fail a build; nothing without --fail-on.
std::optional<Severity> failing(const std::string& fail_on) {
  if (fail_on.empty()) return std::nullopt;
  return fail_on == "error" ? Severity::kError : Severity::kWarning;
}

int conclude(const DiagnoseResult& result, const std::string& fail_on) {
  const auto limit = failing(fail_on);
  if (!limit) return kDone;
  const bool fails =
      std::any_of(result.findings.begin(), result.findings.end(), [&](const Finding& finding) { return finding.severity >= *limit; });
  if (fails) print_error(fmt::format("--fail-on {}: there are such findings", fail_on));
  return fails ? kConditionFailed : kDone;
}

Result<int> execute(Arguments arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(need_pair("diagnose", arguments.quantized));
  VISQ_ASSIGN(DiagnoseOptions options, parse_options(arguments));
  VISQ_ASSIGN(const Labels labels, read_labels(arguments.scores, arguments.data, ScoresTaken::kByLabels));
  const bool validation = !arguments.validation.empty();
  std::vector<std::string> names{"diagnose.txt", "diagnose.json"};
  for (const OutputFile& file : report::degradation_graphs({}, options, validation)) names.push_back(file.name);
  VISQ_ASSIGN(const ReviewOutputs reviews, ReviewOutputs::parse(arguments.review, arguments.output.folder));
  DiagnoseResult nothing;
  nothing.reference.path = arguments.reference;
  VISQ_ASSIGN(const auto outputs, ResultOutputs::prepare(arguments.output, names,
                                                         {arguments.reference, arguments.quantized, arguments.data.path,
                                                          arguments.validation, arguments.scores.labels},
                                                         reviews.paths(report::review_of(nothing, {}, {}, {}, reviews.options()))));
  VISQ_TRY(check_tokens(arguments.tokens, {{"--labels", !arguments.scores.labels.empty()}, {"--eval", !arguments.scores.eval.empty()}}));
  VISQ_TRY(take_token_calls(arguments.tokens, arguments.reference, arguments.quantized, arguments.signature, arguments.data, console));
  if (interrupted()) return interruption_exit_code("nothing written");
  VISQ_ASSIGN(const Pair pair, open_pair(arguments.reference, arguments.quantized, arguments.signature, console));
  const auto& [reference, quantized] = pair;
  VISQ_ASSIGN(Records records, open_records(arguments.data, *reference, quantized.get(), false, console));
  VISQ_ASSIGN(const Records all, open_records(arguments.data, *reference, quantized.get(), false, Console(true, false)));
  if (arguments.data.records.empty()) {
    VISQ_ASSIGN(options.repairs, keep_for_repairs(records, kRecords, kOtherRecords, *reference, *quantized, console));
  }
  VISQ_ASSIGN(options.sequence_length, parse_sequence_length(arguments.sequence_length, *reference, quantized.get(), console));
  VISQ_ASSIGN(options.scoring, scoring_of(arguments.scores, labels, reference, quantized, *all.source, all.range, options.sequence_length));
  set_up(options, records, "trials", console);
  auto diagnosed = diagnose(reference, quantized, *records.source, options);
  if (interrupted()) return interruption_exit_code("nothing written");  // the program of --eval was, too
  VISQ_ASSIGN(DiagnoseResult result, std::move(diagnosed));
  VISQ_TRY(add_validation(arguments, reference, quantized, options, console, result));
  VISQ_ASSIGN(result.whole, whole_sqnr(arguments.data, pair, result, result.outputs, result.judgement.records, console));
  if (interrupted()) return interruption_exit_code("nothing written");
  const std::string json = outputs->wants_json() ? report::diagnose_json(result) : "";
  std::vector<OutputFile> files{{"diagnose.txt", report::diagnose_text(result, {})}, {"diagnose.json", json}};
  if (outputs->to_folder()) {
    for (OutputFile& file : report::degradation_graphs(result, options, validation)) files.push_back(std::move(file));
  }
  const std::string next = console.next(next_command(result, arguments));
  const std::string text = report::diagnose_text(result, {text_columns(), wants_color()}) + (next.empty() ? "" : "\n" + next);
  VISQ_TRY(outputs->write(
      files, json, text, console,
      reviews.files(report::review_of(result, graph_of(*reference), graph_of(*quantized), failing(arguments.fail_on), reviews.options()))));
  return conclude(result, arguments.fail_on);
}

void add_thresholds(Options& options, Arguments& arguments) {
  const std::string group = "Thresholds";
  options
      .value("--thresholds", arguments.thresholds, "LIST",
             "when a layer counts as degraded: mse over this multiple of the variance, cosine or SQNR (dB) under these; default: "
             "mse=0.1,cosine=0.9,sqnr=10")
      .group(group);
  options.value("--degrade-ratio", arguments.degrade_ratio, "R", "share of degraded layers from which the trouble is global; default: 0.5")
      .group(group);
  options.value("--outlier-z", arguments.outlier_z, "Z", "standard deviations from which a value is an outlier; default: 5").group(group);
  options.value("--concat-ratio", arguments.concat_ratio, "R", "ratio of ranges from which joined inputs are unbalanced; default: 16")
      .group(group);
  options.value("--last-layer-bits", arguments.last_layer_bits, "N", "bits that a last layer may waste; default: 2").group(group);
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->reference, "the float model");
  options.argument("QUANT", arguments->quantized, "its quantized twin");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options, "16, spread evenly, and the 8 worst; up to 128 others fit and judge repairs");
  add_pairs(options, arguments->data.pairs);
  arguments->tokens.add_to(options);
  add_sequence_length(options, arguments->sequence_length);
  add_accuracy_options(options, arguments->scores, ScoresTaken::kByLabels);
  options.value("--validation-data", arguments->validation, "PATH", "other data, for a second set of degradation graphs").group("Data");
  add_threads(options, arguments->threads);
  add_thresholds(options, *arguments);
  options.value("--fail-on", arguments->fail_on, "error|warning", "exit with 1 where there are such findings").group("Output");
  arguments->output.add_to(options, "diagnose.txt, diagnose.json, degradation graphs quant_loss_*.svg");
  arguments->review.add_to(options, true);
  arguments->console.add_to(options);
  options.footer(
      "Every fix that a finding names is tried: the model is repaired in memory and\n"
      "run again, and the gain is what its outputs win. docs/causes.md explains the\n"
      "causes.\n\n"
      "Examples:\n"
      "  visqerror diagnose fp32.tflite int8.tflite -d data.h5\n"
      "  visqerror diagnose fp32.tflite int8.tflite -d data.h5 --labels y.npy\n"
      "  visqerror diagnose decoder.tflite decoder_int8.tflite --tokens tokens.npy\n"
      "  visqerror diagnose fp32.tflite int8.tflite -d data.h5 -o out --fail-on error\n"
      "  visqerror diagnose fp32.tflite int8.tflite -d data.h5 --write sarif=a.sarif\n"
      "  visqerror diagnose fp32.tflite int8.tflite -d data.h5 --json - | jq .findings");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "diagnose", .summary = "why does it lose accuracy, and what is the cheapest fix?", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_diagnose
