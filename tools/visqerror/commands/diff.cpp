// diff: two results of compare: what got worse, and by how much?
#include "visq/diff.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/diff.h"
#include "visq/report/result_file.h"
#include "visqerror/options/command.h"
#include "visqerror/options/shared_options.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/baseline.h"
#include "visqerror/terminal/exit_code.h"

namespace visq::tool::command_diff {
namespace {

struct Arguments {
  std::string before, after;
  std::vector<std::string> tolerance;
  ConsoleOptions console;
  ResultOutputOptions output;
};

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  if (arguments.after.empty()) return usage_error("diff: two results of compare are needed; see 'visqerror diff --help'");
  VISQ_ASSIGN(const Tolerance tolerance, parse_tolerance(arguments.tolerance));
  VISQ_ASSIGN(const auto outputs, ResultOutputs::prepare(arguments.output, {"diff.txt", "diff.json"}, {arguments.before, arguments.after}));
  VISQ_ASSIGN(const StoredResult before, report::read_result(arguments.before));
  VISQ_ASSIGN(const StoredResult after, report::read_result(arguments.after));
  const DiffResult result = diff(before, after, tolerance);
  if (result.nodes + result.outputs == 0) return bad_input("{}: has no feature map in common with {}", arguments.after, arguments.before);
  const bool worse = std::ranges::any_of(result.differences, [](const Difference& each) { return each.change == Change::kWorse; });
  const std::string json = report::diff_json(result);
  const auto word = [](const ModelIdentity& model) { return report::shell_word(report::printable(model.path)); };
  const std::string next =
      console.next(fmt::format("visqerror compare {} {} -d DATA --origin", word(after.reference), word(after.quantized)));
  VISQ_TRY(outputs->write({{"diff.txt", report::diff_text(result, 0)}, {"diff.json", json}}, json,
                          report::diff_text(result, text_columns()) + (next.empty() ? "" : "\n" + next), console));
  return worse ? kConditionFailed : kDone;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("OLD", arguments->before, "the earlier result: what compare --json wrote, or its result.json");
  options.argument("NEW", arguments->after, "the later one");
  options
      .values("--tolerance", arguments->tolerance, "AMOUNT",
              "smaller changes are none: 5% or 0.05 of a value, 1dB of metrics in dB, METRIC=5%, METRIC=VALUE in its own unit; default: 0")
      .separated_by(',');
  arguments->output.add_to(options, "diff.txt, diff.json");
  arguments->console.add_to(options);
  options.footer(
      "Exit code 1 where a metric of any node or output got worse.\n\n"
      "Examples:\n"
      "  visqerror diff old/result.json new/result.json\n"
      "  visqerror diff old.json new.json --tolerance 5% --json - | jq .differences\n"
      "To let a build fail: visqerror compare FP32 QUANT -d DATA --baseline old.json");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "diff", .summary = "two results of compare: what got worse, and by how much?", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_diff
