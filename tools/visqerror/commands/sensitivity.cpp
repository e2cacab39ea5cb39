// sensitivity: which node alone hurts the output?
#include "visq/sensitivity.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>

#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "core/suggest.h"
#include "report/words/text.h"
#include "visq/report/sensitivity.h"
#include "visqerror/app/help.h"
#include "visqerror/options/command.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/outputs/config_outputs.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/outputs/resume_file.h"
#include "visqerror/sessions/record_choice.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/sessions/token_calls.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_sensitivity {
namespace {

/// Layers of a quantizer's configuration where --top does not say how many.
constexpr std::int64_t kTop = 10;
/// Runs that take longer say so beforehand.
constexpr double kLongRun = 5;
constexpr SensitiveType kAllTypes[] = {SensitiveType::kOutput, SensitiveType::kNode,       SensitiveType::kNodeOutput,
                                       SensitiveType::kWeight, SensitiveType::kActivation, SensitiveType::kInput};

struct Arguments {
  std::string reference, quantized, threads, sequence_length, output_node, top;
  std::string signature;
  std::vector<std::string> types, metrics, write;
  bool leave_one_out = false, estimate = false, reverse = false, clean = false;
  DataOptions data;
  TokenArguments tokens;
  SelectionOptions selection;
  ConsoleOptions console;
  ResultOutputOptions output;
};

Status add_type(const std::string& word, SensitivityOptions& options) {
  const auto add = [&](SensitiveType type) {
    if (std::find(options.types.begin(), options.types.end(), type) == options.types.end()) options.types.push_back(type);
  };
  if (word == "all") {
    for (const SensitiveType type : kAllTypes) add(type);
    return {};
  }
  for (const SensitiveType type : kAllTypes) {
    if (word == name(type)) {
      add(type);
      return {};
    }
  }
  if (word.starts_with("input-")) {  // a slot of its own
    VISQ_ASSIGN(const std::int64_t slot, parse_integer("--types " + word, word.substr(6), 0, 1 << 20));
    add(SensitiveType::kInput);
    options.input_slots.push_back(static_cast<int>(slot));
    return {};
  }
  std::vector<std::string_view> names{"all"};
  for (const SensitiveType type : kAllTypes) names.push_back(name(type));
  return usage_error("--types: unknown type '{}'{}", word, suggestion(word, names));
}

Status add_metric(const std::string& word, SensitivityOptions& options) {
  VISQ_ASSIGN(const Metric metric, parse_metric("--metrics", word));
  if (metric_info(metric).unit == MetricUnit::kSteps) {
    return usage_error("--metrics: {} is in units of the output's scale, and the output stays float here", metric_info(metric).name);
  }
  if (std::find(options.metrics.begin(), options.metrics.end(), metric) == options.metrics.end()) options.metrics.push_back(metric);
  return {};
}

Result<SensitivityOptions> parse_options(const Arguments& arguments) {
  SensitivityOptions options;
  for (const std::string& word : arguments.types) VISQ_TRY(add_type(word, options));
  if (std::any_of(arguments.types.begin(), arguments.types.end(), [](const auto& word) { return word == "all" || word == "input-n"; })) {
    options.input_slots.clear();
  }
  for (const std::string& word : arguments.metrics) VISQ_TRY(add_metric(word, options));
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  static_cast<NodeSelection&>(options) = arguments.selection;
  options.output_node = arguments.output_node;
  options.leave_one_out = arguments.leave_one_out;
  options.estimate = arguments.estimate;
  options.reverse = arguments.reverse;
  return options;
}

/// Everything that decides the numbers: the program, the models, the data, what is asked for.
Result<std::string> content_key(const Arguments& arguments, const Pair& pair, const SensitivityOptions& options) {
  ContentKey key;
  key.add(version_text());
  key.add(pair.reference->checksum.hex());
  key.add(pair.quantized->checksum.hex());
  if (!arguments.data.path.empty()) {
    for (const std::string& file : data_files(arguments.data.path)) VISQ_TRY(key.add_content(file));
    key.add(arguments.data.option());
  }
  key.add(arguments.data.path.empty() ? arguments.data.seed : "");
  key.add(arguments.data.records);
  for (const PairRule& rule : options.pairs) {
    key.add(fmt::format("{}={} {} {}", rule.reference, rule.quantized, name(rule.by), rule.doubtful));
  }
  key.add(fmt::format("{}:{}", options.records.first, options.records.last));
  for (const auto* list : {&options.nodes, &options.ops}) {
    key.add(std::to_string(list->size()));
    for (const std::string& word : *list) key.add(word);
  }
  std::string types, metrics;
  for (const SensitiveType type : options.types) types += fmt::format("{},", name(type));
  for (const Metric metric : options.metrics) metrics += fmt::format("{},", metric_info(metric).name);
  key.add(types + joined(options.input_slots, ","));
  key.add(metrics);
  key.add(options.output_node);
  key.add(std::to_string(options.memory));
  key.add(std::to_string(options.sequence_length));
  key.add(fmt::format("{} {} {}", options.leave_one_out, options.estimate, options.estimate ? options.top : 0));
  return key.digest();
}

std::string next_command(const Arguments& arguments, const ConfigOutputs& configs) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  std::string command =
      fmt::format("visqerror partial {} {} {}", word(arguments.reference), word(arguments.quantized), arguments.data.option());
  if (arguments.data.tokens.empty()) command += signature_words(arguments.signature);
  if (arguments.output.folder.empty() || !configs.empty()) return command;
  return command + " --from " + word(arguments.output.folder + "/sensitivity.json");
}

/// Goes on from where an earlier run was stopped; where this one is, its state stays for the next.
Result<SensitivityResult> run(const Pair& pair, RecordSource& data, SensitivityOptions& options, const ResumeFile& file,
                              const Console& console) {
  options.resume.clear();
  if (const auto state = file.load()) {
    options.resume = *state;
    console.note("going on where an earlier run was stopped");
  }
  if (file.possible()) options.checkpoint = [&](const std::string& state) { return file.save(state); };
  options.expected = [&](double seconds) {
    if (seconds >= kLongRun) console.note("about " + duration(seconds));
  };
  return sensitivity(pair.reference, pair.quantized, data, options);
}

/// A run over one record and, where that leaves time, one over more. `file`: the last run's.
Result<SensitivityResult> run_in_time(const Arguments& arguments, const Pair& pair, const std::string& folder, SensitivityOptions& options,
                                      std::optional<ResumeFile>& file, const Console& console) {
  VISQ_ASSIGN(Records records, open_records(arguments.data, *pair.reference, pair.quantized.get(), false, console));
  std::optional<TimedRecords> timed;
  if (!arguments.estimate) timed.emplace(arguments.data, records, pair, console);
  while (true) {
    set_up(options, records, "trials", console);
    std::string key;
    if (!folder.empty()) {
      VISQ_ASSIGN(key, content_key(arguments, pair, options));
    }
    file.emplace(folder, "sensitivity", key);
    if (arguments.clean) file->clean();
    VISQ_ASSIGN(SensitivityResult result, run(pair, *records.source, options, *file, console));
    const bool going_on = !options.resume.empty();  // what an earlier run began was no trial of the clock
    if (interrupted() || going_on || !timed) return result;
    VISQ_ASSIGN(const bool more, timed->grow());
    if (!more) return result;
    file->clean();
  }
}

Result<int> execute(Arguments arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(need_pair("sensitivity", arguments.quantized));
  VISQ_ASSIGN(SensitivityOptions options, parse_options(arguments));
  VISQ_ASSIGN(const std::int64_t top, parse_integer("--top", arguments.top.empty() ? std::to_string(kTop) : arguments.top, 1, 1 << 20));
  VISQ_ASSIGN(const ConfigOutputs configs, ConfigOutputs::parse(arguments.write, arguments.output.folder));
  VISQ_ASSIGN(const auto outputs, ResultOutputs::prepare(arguments.output, {"sensitive_ops.txt", "sensitive_ops.csv", "sensitivity.json"},
                                                         {arguments.reference, arguments.quantized, arguments.data.path}, configs.paths()));
  VISQ_TRY(take_token_calls(arguments.tokens, arguments.reference, arguments.quantized, arguments.signature, arguments.data, console));
  if (interrupted()) return interruption_exit_code("nothing written");
  VISQ_ASSIGN(const Pair pair, open_pair(arguments.reference, arguments.quantized, arguments.signature, console));
  VISQ_ASSIGN(options.sequence_length, parse_sequence_length(arguments.sequence_length, *pair.reference, pair.quantized.get(), console));
  options.top = static_cast<int>(top);
  std::optional<ResumeFile> file;
  VISQ_ASSIGN(SensitivityResult result,
              run_in_time(arguments, pair, outputs->to_folder() ? outputs->folder() : "", options, file, console));
  if (interrupted()) {
    return interruption_exit_code(file->possible() ? "the same command goes on from here"
                                                   : "nothing written; with -o DIR a run can be resumed");
  }
  const std::string json = outputs->wants_json() ? report::sensitivity_json(result) : "";
  VISQ_ASSIGN(const auto files, configs.files(report::sensitivity_config(result, *pair.reference, as_size(top))));
  const std::string next = console.next(next_command(arguments, configs));
  const std::size_t rows = arguments.top.empty() ? report::kSensitivityRows : as_size(top);
  const std::string text = report::sensitivity_text(result, text_columns(), rows) + (next.empty() ? "" : "\n" + next);
  VISQ_TRY(outputs->write({{"sensitive_ops.txt", report::sensitivity_text(result, 0)},
                           {"sensitive_ops.csv", report::sensitivity_csv(result)},
                           {"sensitivity.json", json}},
                          json, text, console, files));
  file->clean();
  return kDone;
}

void add_selection(Options& options, Arguments& arguments) {
  const std::string group = "Selection";
  options
      .values("--types", arguments.types, "LIST",
              "what is quantized alone: output (an operator's weights and what it makes), node (its inputs and weights), node+output (all "
              "three), "
              "weight, activation (one feature map, for all its readers), input-n (one input of an operator; input-0 only the first), or "
              "all; default: output")
      .separated_by(',')
      .group(group);
  options
      .values("--metrics", arguments.metrics, "LIST",
              "error of the output: mse, cosine, mre, sqnr, chebyshev (atol), l1 …; the first sorts; default: mse")
      .separated_by(',')
      .group(group);
  arguments.selection.add_to(options);
  options.value("--output-node", arguments.output_node, "NAME", "measure this feature map; default: all outputs, the worst of them")
      .group(group);
  options
      .flag("--leave-one-out", arguments.leave_one_out,
            "quantize everything but the one thing; what helps most when left float comes first")
      .group(group);
  options
      .flag(
          "--estimate", arguments.estimate,
          "rank all on few records, then only the contenders on more: about a tenth of the work, which finds 8 or 9 of the ten first where "
          "there are 16 records, 9 or 10 where there are 100")
      .group(group);
  options.flag("--reverse", arguments.reverse, "least sensitive first").group(group);
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->reference, "the float model");
  options.argument("QUANT", arguments->quantized, "its quantized twin");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options, "as many as two seconds have room for; with --estimate all");
  add_pairs(options, arguments->data.pairs);
  arguments->tokens.add_to(options);
  add_sequence_length(options, arguments->sequence_length);
  add_selection(options, *arguments);
  arguments->output.add_to(options, "sensitive_ops.txt, .csv, sensitivity.json; a run that is stopped can then be resumed");
  options
      .values("--write", arguments->write, "KIND[=FILE]",
              "a quantizer's configuration of the worst operators; KIND: " + ConfigOutputs::kinds())
      .group("Output");
  options.value("--top", arguments->top, "K", "how many operators --write names and the terminal lists; default: 10, and 20")
      .group("Output");
  options.flag("--clean", arguments->clean, "start afresh, even if an earlier run could be resumed").group("Output");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror sensitivity fp32.tflite int8.tflite -d data.h5\n"
      "  visqerror sensitivity fp32.tflite int8.tflite -d data.h5 --records 16 \\\n"
      "      --types weight,activation --metrics sqnr,cosine -o out\n"
      "  visqerror sensitivity fp32.tflite int8.tflite -d data.h5 --top 5 \\\n"
      "      --write mpq=worst.mpq.json");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "sensitivity", .summary = "which node alone hurts the output?", .setup = setup, .spreads = true};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_sensitivity
