// partial: how many nodes must stay float?
#include "visq/partial.h"

#include <memory>

#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/partial.h"
#include "visq/report/ranking_file.h"
#include "visqerror/options/command.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/record_choice.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/sessions/token_calls.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_partial {
namespace {

struct Arguments {
  std::string reference, quantized, threads, threshold, from;
  std::string signature;
  DataOptions data;
  TokenArguments tokens;
  SelectionOptions selection;
  ConsoleOptions console;
  ResultOutputOptions output;
};

Result<PartialOptions> parse_options(const Arguments& arguments) {
  PartialOptions options;
  if (!arguments.from.empty() && !(arguments.selection.nodes.empty() && arguments.selection.ops.empty())) {
    return usage_error("--from: a ranking says which nodes; it goes without --nodes and --ops");
  }
  if (!arguments.threshold.empty()) {
    if (!arguments.selection.nodes.empty())
      return usage_error("--pick-threshold: has no meaning with --nodes, which picks all that it names");
    VISQ_ASSIGN(options.pick_threshold, parse_number("--pick-threshold", arguments.threshold));
  }
  static_cast<NodeSelection&>(options) = arguments.selection;
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  return options;
}

/// How error grows where as many are float as the threshold takes.
std::string next_command(const PartialResult& result, const Arguments& arguments) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  std::string data = arguments.data.path.empty() ? "" : " " + arguments.data.option();
  if (arguments.data.tokens.empty()) data += signature_words(arguments.signature);
  std::string command = fmt::format("visqerror accumulate {} {}{}", word(arguments.reference), word(arguments.quantized), data);
  std::string names;
  for (std::size_t i = 0; i < report::steps_needed(result).value_or(0); ++i) {
    names += (i > 0 ? "," : "") + result.steps[i].part.reference.name;
  }
  return names.empty() ? command : command + " --keep-float " + word(names);
}

Result<int> execute(Arguments arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(need_pair("partial", arguments.quantized));
  VISQ_ASSIGN(PartialOptions options, parse_options(arguments));
  VISQ_ASSIGN(const auto outputs, ResultOutputs::prepare(arguments.output, {"partial.txt", "partial.csv", "partial.svg", "partial.json"},
                                                         {arguments.reference, arguments.quantized, arguments.data.path, arguments.from}));
  Ranking ranking;
  if (!arguments.from.empty()) {
    VISQ_ASSIGN(ranking, report::read_ranking(arguments.from));
    options.ranking = &ranking;
  }
  VISQ_TRY(take_token_calls(arguments.tokens, arguments.reference, arguments.quantized, arguments.signature, arguments.data, console));
  if (interrupted()) return interruption_exit_code("nothing written");
  VISQ_ASSIGN(const Pair pair, open_pair(arguments.reference, arguments.quantized, arguments.signature, console));
  const auto& [reference, quantized] = pair;
  VISQ_ASSIGN(Records records, open_records(arguments.data, *reference, quantized.get(), false, console));
  TimedRecords timed(arguments.data, records, pair, console);
  PartialResult result;
  for (bool more = true; more && !interrupted();) {
    set_up(options, records, "trials", console);
    options.ranking_progress = console.progress("trials, one node each");
    VISQ_ASSIGN(result, partial(reference, quantized, *records.source, options));
    VISQ_ASSIGN(more, timed.grow());
  }
  if (interrupted()) return interruption_exit_code();
  const std::string json = outputs->wants_json() ? report::partial_json(result) : "";
  std::vector<OutputFile> files;
  if (outputs->to_folder()) {
    files = {{"partial.txt", report::partial_text(result, 0)},
             {"partial.csv", report::partial_csv(result)},
             {"partial.svg", report::partial_svg(result)},
             {"partial.json", json}};
  }
  const std::string next = console.next(next_command(result, arguments));
  VISQ_TRY(outputs->write(files, json, report::partial_text(result, text_columns()) + (next.empty() ? "" : "\n" + next), console));
  return result.none.not_compared.empty() ? kDone : kIncomplete;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->reference, "the reference: a float model");
  options.argument("QUANT", arguments->quantized, "its quantized twin");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options, "as many as two seconds have room for");
  add_pairs(options, arguments->data.pairs);
  arguments->tokens.add_to(options);
  arguments->selection.add_to(options);
  options
      .value("--pick-threshold", arguments->threshold, "X",
             "take the nodes that alone bring the output's cosine below X; default: 0.999; none: the 10 worst")
      .group("Selection");
  options.value("--from", arguments->from, "FILE", "the JSON of sensitivity, instead of trying every node here").group("Selection");
  arguments->output.add_to(options, "partial.txt, .csv, .svg, .json");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror partial fp32.tflite int8.tflite -d data.h5 --records 16 -o out\n"
      "  visqerror partial fp32.tflite int8.tflite -d data.h5 --nodes '*MatMul'\n"
      "  visqerror sensitivity fp32.tflite int8.tflite -d data.h5 \\\n"
      "      --metrics cosine --json s.json\n"
      "  visqerror partial fp32.tflite int8.tflite -d data.h5 --from s.json");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "partial", .summary = "how many nodes must stay float?", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_partial
