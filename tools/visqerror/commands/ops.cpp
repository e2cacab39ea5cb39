// ops: which operators can be run?
#include <memory>

#include "core/as_size.h"
#include "core/error.h"
#include "visq/report/ops.h"
#include "visqerror/options/command.h"
#include "visqerror/options/shared_options.h"
#include "visqerror/outputs/output_files.h"
#include "visqerror/terminal/console.h"
#include "visqerror/terminal/exit_code.h"

namespace visq::tool::command_ops {
namespace {

struct Arguments {
  std::vector<std::string> ops;
  std::string json;
  bool markdown = false;
};

Result<int> execute(const Arguments& arguments) {
  const bool to_file = !arguments.json.empty() && arguments.json != "-";
  if (arguments.markdown && arguments.json == "-") return usage_error("ops: --markdown and --json - both write to standard output");
  if (to_file) VISQ_TRY(check_writable(arguments.json));
  VISQ_ASSIGN(const auto ops, supported_ops(arguments.ops));
  if (to_file) VISQ_TRY(write_files({{arguments.json, report::ops_json(ops)}}));
  if (arguments.json == "-") {
    VISQ_TRY(write_stdout(report::ops_json(ops)));
  } else if (arguments.markdown) {
    VISQ_TRY(write_stdout(report::ops_markdown(ops)));
  } else {
    VISQ_TRY(write_stdout(report::ops_text(ops, as_size(terminal_columns()))));
  }
  return kDone;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.values("--ops", arguments->ops, "GLOB", "only operators whose name fits; may be repeated");
  options.flag("--markdown", arguments->markdown, "as the table of docs/operators.md");
  options.value("--json", arguments->json, "FILE|-", "also as JSON (schema/ops.schema.json); - for standard output, instead of text");
  options.footer(
      "Examples:\n"
      "  visqerror ops\n"
      "  visqerror ops --ops 'CONV*' --ops '*_POOL_2D'\n"
      "  visqerror ops --json - | jq '.operators[] | select(.types.integer == []).op'");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "ops", .summary = "which operators can be run, on which types, in which modes?", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_ops
