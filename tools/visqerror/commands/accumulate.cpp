// accumulate: how does error grow through the graph?
#include "visq/accumulate.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/as_size.h"
#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/accumulate.h"
#include "visq/report/ranking_file.h"
#include "visqerror/options/command.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/sessions/token_calls.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_accumulate {
namespace {

struct Arguments {
  std::string reference, quantized, threads;
  std::string signature;
  std::vector<std::string> quantize, keep_float, metrics;
  bool average = false;
  DataOptions data;
  TokenArguments tokens;
  SelectionOptions selection;
  ConsoleOptions console;
  ResultOutputOptions output;
};

/// "@sensitivity.json:5": the five worst of a ranking.
Status take_ranking(const std::string& option, CurveRequest& curve, std::vector<std::string>& files) {
  const std::size_t colon = curve.words.rfind(':');
  if (colon == std::string::npos) return usage_error("{}: '{}' is not @FILE:K, the K worst of a ranking", option, curve.words);
  VISQ_ASSIGN(const std::int64_t count, parse_integer(option, curve.words.substr(colon + 1), 1, std::numeric_limits<int>::max()));
  files.push_back(curve.words.substr(1, colon - 1));
  VISQ_ASSIGN(const Ranking ranking, report::read_ranking(files.back()));
  for (std::size_t i = 0; i < std::min<std::size_t>(as_size(count), ranking.entries.size()); ++i) {
    curve.ranked.push_back(ranking.entries[i].part);
  }
  return {};
}

/// `files`: the rankings that were read.
Result<AccumulateOptions> parse_options(const Arguments& arguments, std::vector<std::string>& files) {
  AccumulateOptions options;
  for (const bool keep_float : {false, true}) {
    for (const std::string& words : keep_float ? arguments.keep_float : arguments.quantize) {
      CurveRequest curve{words, keep_float, {}};
      if (words.starts_with('@')) VISQ_TRY(take_ranking(keep_float ? "--keep-float" : "--quantize", curve, files));
      options.curves.push_back(std::move(curve));
    }
  }
  for (const std::string& name : arguments.metrics) {
    VISQ_ASSIGN(const Metric metric, parse_metric("--metrics", name));
    if (std::find(options.metrics.begin(), options.metrics.end(), metric) == options.metrics.end()) options.metrics.push_back(metric);
  }
  static_cast<NodeSelection&>(options) = arguments.selection;
  options.average = arguments.average;
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  return options;
}

std::string next_command(const Arguments& arguments) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  std::string data = arguments.data.path.empty() ? "" : " " + arguments.data.option();
  if (arguments.data.tokens.empty()) data += signature_words(arguments.signature);
  return fmt::format("visqerror sensitivity {} {}{}", word(arguments.reference), word(arguments.quantized), data);
}

Result<int> execute(Arguments arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(need_pair("accumulate", arguments.quantized));
  std::vector<std::string> inputs{arguments.reference, arguments.quantized, arguments.data.path};
  VISQ_ASSIGN(AccumulateOptions options, parse_options(arguments, inputs));
  VISQ_ASSIGN(const auto outputs,
              ResultOutputs::prepare(arguments.output, {"accumulate.txt", "accumulate.csv", "accumulate.svg", "accumulate.json"}, inputs));
  VISQ_TRY(take_token_calls(arguments.tokens, arguments.reference, arguments.quantized, arguments.signature, arguments.data, console));
  if (interrupted()) return interruption_exit_code("nothing written");
  VISQ_ASSIGN(const Pair pair, open_pair(arguments.reference, arguments.quantized, arguments.signature, console));
  const auto& [reference, quantized] = pair;
  VISQ_ASSIGN(const Records records, open_records(arguments.data, *reference, quantized.get(), false, console));
  set_up(options, records, "records", console);
  VISQ_ASSIGN(AccumulateResult result, accumulate(reference, quantized, *records.source, options));
  if (interrupted()) return interruption_exit_code();
  const std::string json = outputs->wants_json() ? report::accumulate_json(result) : "";
  std::vector<OutputFile> files;
  if (outputs->to_folder()) {
    files = {{"accumulate.txt", report::accumulate_text(result, 0)},
             {"accumulate.csv", report::accumulate_csv(result)},
             {"accumulate.svg", report::accumulate_svg(result)},
             {"accumulate.json", json}};
  }
  const std::string next = console.next(next_command(arguments));
  const std::string text = report::accumulate_text(result, text_columns()) + (next.empty() ? "" : "\n" + next);
  VISQ_TRY(outputs->write(files, json, text, console));
  return result.not_computed.empty() ? kDone : kIncomplete;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->reference, "the reference: a float model");
  options.argument("QUANT", arguments->quantized, "its quantized twin");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options);
  add_pairs(options, arguments->data.pairs);
  arguments->tokens.add_to(options);
  const std::string group = "Curves";
  options
      .values(
          "--quantize", arguments->quantize, "NAME[,NAME]",
          "a curve: only these are quantized; names of nodes, weights and activations of either model, globs, 'weight' and 'activation' "
          "for all of a kind, or @sensitivity.json:K for the K worst of a ranking; default: weight, and activation")
      .group(group);
  options.values("--keep-float", arguments->keep_float, "NAME[,NAME]", "a curve: everything but these is quantized").group(group);
  options.flag("--average", arguments->average, "the value at a node is the mean of all nodes up to it").group(group);
  options.values("--metrics", arguments->metrics, "LIST", "metrics, such as cosine,mse,sqnr; default: cosine")
      .separated_by(',')
      .group(group);
  arguments->selection.add_to(options);
  arguments->output.add_to(options, "accumulate.txt, .csv, .svg, .json");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror accumulate fp32.tflite int8.tflite -d data.h5 -o out\n"
      "  visqerror accumulate fp32.tflite int8.tflite -d data.h5 \\\n"
      "      --quantize stem/Relu --quantize 'p*' --keep-float logits/MatMul\n"
      "  visqerror sensitivity fp32.tflite int8.tflite -d data.h5 \\\n"
      "      --json sensitivity.json\n"
      "  visqerror accumulate fp32.tflite int8.tflite -d data.h5 \\\n"
      "      --keep-float @sensitivity.json:3 --metrics cosine,sqnr");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "accumulate", .summary = "how does error grow through the graph?", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_accumulate
