// recommend: what is the cheapest set of fixes?
#include "visq/recommend.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/recommend.h"
#include "visqerror/options/command.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/outputs/config_outputs.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/eval_program.h"
#include "visqerror/sessions/record_choice.h"
#include "visqerror/sessions/scores.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/sessions/token_calls.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_recommend {
namespace {

constexpr std::int64_t kRecords = 16, kOtherRecords = 128;
/// Points that --score may lose where no goal is named: a verdict calls that fine.
constexpr double kFineDrop = 1;

struct Arguments {
  std::string reference, quantized, threads, sequence_length, budget, target, to, write_model;
  std::string signature;
  std::vector<std::string> write;
  DataOptions data;
  TokenArguments tokens;
  ScoreArguments scores;
  ConsoleOptions console;
  ResultOutputOptions output;
};

/// "sqnr=30" or "accuracy_drop=0.5".
Status parse_target(const Arguments& arguments, RecommendOptions& options) {
  const std::string& text = arguments.target;
  if (text.empty()) return {};
  const std::size_t equals = text.find('=');
  const std::string metric = text.substr(0, equals);
  if (equals == std::string::npos || (metric != "sqnr" && metric != "accuracy_drop")) {
    return usage_error("--target: '{}' is neither sqnr=NUMBER nor accuracy_drop=NUMBER", text);
  }
  VISQ_ASSIGN(const double value, parse_number("--target", text.substr(equals + 1)));
  (metric == "sqnr" ? options.target_sqnr : options.target_drop) = value;
  if (options.target_drop && !arguments.scores.wanted()) {
    return usage_error("--target accuracy_drop: needs --labels or --eval");
  }
  return {};
}

std::string precisions() {
  std::string list;
  for (const PrecisionKind& kind : precision_kinds()) list += fmt::format("{}{}", list.empty() ? "" : ", ", kind.name);
  return list;
}

Status check_precision(const RecommendOptions& options) {
  for (const PrecisionKind& kind : precision_kinds()) {
    if (kind.name == options.to) return {};
  }
  return usage_error("--to: '{}' is none of {}", options.to, precisions());
}

Result<RecommendOptions> parse_options(const Arguments& arguments) {
  RecommendOptions options;
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  VISQ_TRY(parse_target(arguments, options));
  if (!arguments.to.empty()) options.to = arguments.to;
  VISQ_TRY(check_precision(options));
  if (!arguments.budget.empty()) {
    VISQ_ASSIGN(const std::uint64_t budget, parse_memory("--budget", arguments.budget));
    options.budget = static_cast<std::int64_t>(std::min<std::uint64_t>(budget, std::uint64_t{1} << 40));
  }
  const bool by_score = !arguments.scores.score.empty() && arguments.target.empty() && options.budget < 0;
  if (by_score) options.target_drop = kFineDrop;
  return options;
}

std::string next_command(const RecommendResult& result, const Arguments& arguments) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  const std::string data = arguments.data.option() + (arguments.data.tokens.empty() ? signature_words(arguments.signature) : "");
  const std::string pair = fmt::format("{} {}", word(arguments.reference), word(arguments.quantized));
  const std::string scores = score_words(arguments.scores, word);
  if (!arguments.write_model.empty() && !result.repaired_model.empty()) {
    return fmt::format("visqerror compare {} {} {}{}", word(arguments.reference), word(arguments.write_model), data, scores);
  }
  if (!result.repairs.empty()) return fmt::format("visqerror recommend {} {}{} --write-model FIXED", pair, data, scores);
  return fmt::format("visqerror recommend {} {}{} --write aeq=RECIPE", pair, data, scores);
}

/// The outputs beside the result: configurations, and the repaired model.
Result<std::vector<FileToWrite>> more_files(const Arguments& arguments, const ConfigOutputs& configs, const RecommendResult& result,
                                            const Console& console) {
  VISQ_ASSIGN(auto files, configs.files(result.config));
  if (arguments.write_model.empty()) return files;
  if (result.repaired_model.empty()) {
    console.warn(fmt::format("{}: not written, since there is nothing to repair", arguments.write_model));
    return files;
  }
  files.push_back({arguments.write_model, result.repaired_model});
  return files;
}

/// Refuses what a configuration cannot say before hours are spent on finding it.
Status check_configs(const ConfigOutputs& configs, const RecommendOptions& options, const Model& quantized) {
  QuantizerConfig any;
  any.float_maps = has_float_maps(quantized);
  any.layers.emplace_back().dtype = options.to;
  const auto files = configs.files(any);
  return files.ok() ? Status() : Status(files.error());
}

/// What sets are judged by beside SQNR; the arguments, the labels and the data must outlive the options.
Status set_scores(const ScoreArguments& arguments, const Labels& labels, const Records& labelled, const SharedModel& model,
                  RecommendOptions& options) {
  options.labelled = labelled.source.get();
  options.labelled_records = labelled.range;
  options.labels = labels.values;
  options.label_offset = labels.offset;
  options.output_node = arguments.output_node;
  if (!arguments.eval.empty()) {
    options.judge = [&arguments, path = model->path](const SendOutputs& send) -> Result<double> {
      return judge_outputs(arguments.eval, path, Mode::kFakeQuant, send);
    };
  }
  if (!labels.task.given()) return {};
  VISQ_ASSIGN(TaskLabels task, labels_of(labels, *labelled.source, labelled.range));
  options.judge = [task = std::move(task), model](const SendOutputs& send) -> Result<double> {
    VISQ_ASSIGN(const auto scorer, task_scorer(task, *model, *model));
    VISQ_TRY(send(*scorer));
    VISQ_ASSIGN(const ModelScore score, scorer->finish());
    return score.main;
  };
  return {};
}

Result<int> execute(Arguments arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(need_pair("recommend", arguments.quantized));
  VISQ_ASSIGN(RecommendOptions options, parse_options(arguments));
  VISQ_ASSIGN(const Labels labels, read_labels(arguments.scores, arguments.data, ScoresTaken::kByLabels));
  VISQ_ASSIGN(const ConfigOutputs configs, ConfigOutputs::parse(arguments.write, arguments.output.folder));
  std::vector<std::string> more = configs.paths();
  if (!arguments.write_model.empty()) more.push_back(arguments.write_model);
  VISQ_ASSIGN(const auto outputs,
              ResultOutputs::prepare(arguments.output, {"recommend.txt", "recommend.json", "recommend.svg"},
                                     {arguments.reference, arguments.quantized, arguments.data.path, arguments.scores.labels}, more));
  VISQ_TRY(check_tokens(arguments.tokens, {{"--labels", !arguments.scores.labels.empty()}, {"--eval", !arguments.scores.eval.empty()}}));
  VISQ_TRY(take_token_calls(arguments.tokens, arguments.reference, arguments.quantized, arguments.signature, arguments.data, console));
  if (interrupted()) return interruption_exit_code("nothing written");
  VISQ_ASSIGN(const auto pair, open_pair(arguments.reference, arguments.quantized, arguments.signature, console));
  const auto& [reference, quantized] = pair;
  VISQ_TRY(check_configs(configs, options, *quantized));
  VISQ_ASSIGN(Records records, open_records(arguments.data, *reference, quantized.get(), false, console));
  VISQ_ASSIGN(const Records whole, open_records(arguments.data, *reference, quantized.get(), false, Console(true, false)));
  options.whole = whole.source.get();
  options.whole_records = whole.range;
  Records labelled;
  if (arguments.scores.wanted()) {
    VISQ_ASSIGN(labelled, open_records(arguments.data, *reference, quantized.get(), false, console));
    VISQ_TRY(set_scores(arguments.scores, labels, labelled, reference, options));
  }
  if (arguments.data.records.empty()) {
    VISQ_ASSIGN(options.repairs, keep_for_repairs(records, kRecords, kOtherRecords, *reference, *quantized, console));
  }
  VISQ_ASSIGN(options.sequence_length, parse_sequence_length(arguments.sequence_length, *reference, quantized.get(), console));
  set_up(options, records, "trials", console);
  auto recommended = recommend(reference, quantized, *records.source, options);
  if (interrupted()) return interruption_exit_code("nothing written");  // the program of --eval was, too
  VISQ_ASSIGN(RecommendResult result, std::move(recommended));
  const std::string json = outputs->wants_json() ? report::recommend_json(result) : "";
  if (!result.target_met) console.warn("the target is not met by any set that was found");
  VISQ_ASSIGN(const auto files, more_files(arguments, configs, result, console));
  const std::string next = console.next(next_command(result, arguments));
  const std::string text = report::recommend_text(result, text_columns()) + (next.empty() ? "" : "\n" + next);
  VISQ_TRY(outputs->write(
      {{"recommend.txt", report::recommend_text(result, 0)}, {"recommend.json", json}, {"recommend.svg", report::recommend_svg(result)}},
      json, text, console, files));
  return kDone;
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
  options
      .value(
          "--target", arguments->target, "GOAL",
          "stop at sqnr=DB of the worst output, or accuracy_drop=POINTS (with --labels or --eval); default with --score: accuracy_drop=1")
      .group("Goal");
  options.value("--budget", arguments->budget, "SIZE", "most bytes that weights may grow by, such as 20K or 1M; not with int4")
      .group("Goal");
  options
      .value("--to", arguments->to, "TYPE",
             "what chosen operators become: " + precisions() + "; the first is the default, int4 saves bytes")
      .group("Goal");
  arguments->output.add_to(options, "recommend.txt, recommend.json, recommend.svg");
  options
      .values("--write", arguments->write, "KIND[=FILE]", "a quantizer's configuration of the chosen set; KIND: " + ConfigOutputs::kinds())
      .group("Output");
  options.value("--write-model", arguments->write_model, "FIXED", "the quantized model with all repairs that need no new calibration")
      .group("Output");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror recommend fp32.tflite int8.tflite -d data.h5\n"
      "  visqerror recommend fp32.tflite int8.tflite -d data.h5 \\\n"
      "      --write-model repaired.tflite\n"
      "  visqerror recommend fp32.tflite int8.tflite -d data.h5 --target sqnr=30 \\\n"
      "      --write aeq=recipe.json");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "recommend", .summary = "what is the cheapest set of fixes?", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_recommend
