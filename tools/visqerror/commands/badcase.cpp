// badcase: which records are worst?
#include "visq/badcase.h"

#include <memory>

#include "core/error.h"
#include "core/ranks.h"
#include "report/words/text.h"
#include "visq/report/badcase.h"
#include "visqerror/options/command.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_badcase {
namespace {

struct Arguments {
  std::string reference, quantized, save, threads, mode, ref_mode, post;
  std::string signature;
  std::vector<std::string> metrics, nodes;
  bool per_record = false;
  DataOptions data;
  SequenceArguments sequence;
  ConsoleOptions console;
  ResultOutputOptions output;
};

Result<BadcaseOptions> parse_options(const Arguments& arguments) {
  BadcaseOptions options;
  for (const std::string& name : arguments.metrics) {
    VISQ_ASSIGN(const Metric metric, parse_metric("--metrics", name));
    if (std::find(options.by.begin(), options.by.end(), metric) == options.by.end()) options.by.push_back(metric);
  }
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  VISQ_ASSIGN(options.post, parse_post(arguments.post));
  options.nodes = arguments.nodes;
  options.per_record = arguments.per_record;
  return options;
}

std::string next_command(const BadcaseResult& result, const Arguments& arguments) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  std::string command = fmt::format("visqerror compare {} {}", word(arguments.reference), word(arguments.quantized));
  if (!arguments.save.empty()) return command + " -d " + word(arguments.save);
  if (arguments.data.path.empty() || result.worst_output.empty()) return command + " -d DATA";
  const std::int64_t record = result.cases[result.worst_output.front()].record;
  return command + fmt::format(" -d {} --records {}:{}", arguments.data.words(), record, record + 1);
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(need_pair("badcase", arguments.quantized));
  VISQ_ASSIGN(BadcaseOptions options, parse_options(arguments));
  const std::vector<std::string> saved = arguments.save.empty() ? std::vector<std::string>{} : std::vector{arguments.save};
  VISQ_ASSIGN(const auto outputs,
              ResultOutputs::prepare(arguments.output, {"badcase.txt", "badcase.json"},
                                     {arguments.reference, arguments.quantized, arguments.data.path, arguments.sequence.state}, saved));
  VISQ_ASSIGN(const Pair pair, open_pair(arguments.reference, arguments.quantized, arguments.signature, console));
  const auto& [reference, quantized] = pair;
  VISQ_ASSIGN(options.sequence, open_sequence(arguments.sequence, *reference, quantized.get(), console));
  VISQ_TRY(set_modes(options, arguments.ref_mode, arguments.mode, pair));
  VISQ_ASSIGN(const Records records, open_records(arguments.data, *reference, quantized.get(), false, console, options.sequence));
  set_up(options, records, "records", console);
  if (!saved.empty() && ranks().first()) {
    options.on_new_worst = [&](const std::vector<Record>& worst) { return write_data(arguments.save, worst); };
  }
  VISQ_ASSIGN(BadcaseResult result, badcase(reference, quantized, *records.source, options));
  if (interrupted()) return interruption_exit_code(saved.empty() ? "nothing written" : arguments.save + " holds the worst so far");
  const std::string json = outputs->wants_json() ? report::badcase_json(result) : "";
  const std::string next = console.next(next_command(result, arguments));
  const std::string text = report::badcase_text(result, text_columns()) + (next.empty() ? "" : "\n" + next);
  VISQ_TRY(outputs->write({{"badcase.txt", report::badcase_text(result, 0)}, {"badcase.json", json}}, json, text, console));
  return result.cases.empty() ? kIncomplete : kDone;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->reference, "the reference: a float model, or a better quantized one");
  options.argument("QUANT", arguments->quantized, "its quantized twin");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options);
  add_pairs(options, arguments->data.pairs);
  arguments->sequence.add_to(options);
  options.values("--metrics", arguments->metrics, "LIST", "metrics that say what is worst, such as cosine,l1,atol; default: atol")
      .separated_by(',')
      .group("Selection");
  options.values("--nodes", arguments->nodes, "GLOB", "look at these feature maps instead of the model's outputs").group("Selection");
  arguments->output.add_to(options, "badcase.txt, badcase.json");
  options
      .value("--save", arguments->save, "F.h5",
             "the worst records as test data, rewritten at each new worst; with --feed-back what FP32 had fed back stands in them")
      .group("Output");
  options.value("--mode", arguments->mode, "MODE", "fp32, fake-quant or integer, of QUANT; default: fake-quant if it is quantized");
  options.value("--ref-mode", arguments->ref_mode, "MODE", "the same of FP32");
  add_post(options, arguments->post);
  options.flag("--per-record", arguments->per_record, "keep every record's sums in JSON, for merge");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror badcase fp32.tflite int8.tflite -d data.h5\n"
      "  visqerror badcase fp32.tflite int8.tflite -d data.h5 --save worst.h5\n"
      "  visqerror compare fp32.tflite int8.tflite -d worst.h5");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "badcase", .summary = "which records are worst?", .setup = setup, .spreads = true};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_badcase
