// check: is a model built well?
#include "visq/check.h"

#include <memory>

#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/check.h"
#include "visqerror/options/command.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/outputs/review_outputs.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/exit_code.h"

namespace visq::tool::command_check {
namespace {

struct Arguments {
  std::string first, second;
  std::string signature;
  PairWishes pairs;
  ConsoleOptions console;
  ResultOutputOptions output;
  ReviewOutputOptions review;
};

std::string next_command(const CheckResult& result) {
  const auto word = [](const ModelIdentity& model) { return report::shell_word(model.path); };
  if (result.reference) return fmt::format("visqerror compare {} {} -d DATA", word(*result.reference), word(result.model));
  return "visqerror inspect " + word(result.model);
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  if (arguments.first.empty()) return usage_error("check: no model given; see 'visqerror check --help'");
  const bool pair = !arguments.second.empty();
  VISQ_ASSIGN(const ReviewOutputs reviews, ReviewOutputs::parse(arguments.review, arguments.output.folder));
  CheckResult nothing;
  nothing.model.path = pair ? arguments.second : arguments.first;
  VISQ_ASSIGN(const auto outputs,
              ResultOutputs::prepare(arguments.output, {"model_check_result.txt", "check.json"}, {arguments.first, arguments.second},
                                     reviews.paths(report::review_of(nothing, {}, reviews.options()))));
  VISQ_ASSIGN(const Pair models, load_one_or_two(arguments.first, arguments.second, arguments.signature, console));
  const auto& [first, second] = models;
  if (!pair && !(arguments.pairs.pairs.empty() && arguments.pairs.apart.empty())) {
    return usage_error("--pair and --no-pair: two models are needed");
  }
  std::vector<PairRule> rules;
  if (pair) {
    VISQ_ASSIGN(rules, pair_rules(*first, *second, arguments.pairs));
  }
  VISQ_ASSIGN(CheckResult result, check(pair ? first : nullptr, pair ? second : first, rules));
  const std::string json = outputs->wants_json() ? report::check_json(result) : "";
  const std::string next = console.next(next_command(result));
  const std::string text = report::check_text(result, {text_columns(), wants_color()}) + (next.empty() ? "" : "\n" + next);
  VISQ_TRY(outputs->write({{"model_check_result.txt", report::check_text(result, {})}, {"check.json", json}}, json, text, console,
                          reviews.files(report::review_of(result, graph_of(pair ? *second : *first), reviews.options()))));
  return kDone;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("REFERENCE", arguments->first, "the float model that MODEL was made from, to see whether it still is that network")
      .usually("none");
  options.argument("MODEL", arguments->second, "the model to check, float or quantized");
  add_signature(options, arguments->signature);
  add_pairs(options, arguments->pairs);
  arguments->output.add_to(options, "model_check_result.txt, check.json");
  arguments->review.add_to(options, false);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror check int8.tflite\n"
      "  visqerror check fp32.tflite int8.tflite -o out\n"
      "  visqerror check int8.tflite --write sarif=structure.sarif\n"
      "  visqerror check fp32.tflite int8.tflite --json - | jq '.findings[].text'");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "check", .summary = "is the model built well? No data needed", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_check
