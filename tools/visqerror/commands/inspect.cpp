// inspect: what is in this model?
#include <memory>

#include "core/as_size.h"
#include "core/error.h"
#include "report/words/text.h"
#include "visq/models/find_shapes.h"
#include "visq/report/inspect.h"
#include "visqerror/options/command.h"
#include "visqerror/options/shared_options.h"
#include "visqerror/outputs/output_files.h"
#include "visqerror/terminal/console.h"
#include "visqerror/terminal/exit_code.h"

namespace visq::tool::command_inspect {
namespace {

struct Arguments {
  std::string model, json;
  bool tensors = false;
};

Result<int> execute(const Arguments& arguments) {
  if (arguments.model.empty()) return usage_error("inspect: no model given; see 'visqerror inspect --help'");
  const bool to_file = !arguments.json.empty() && arguments.json != "-";
  if (to_file) {
    VISQ_TRY(check_distinct({arguments.json}, {arguments.model}));
    VISQ_TRY(check_writable(arguments.json));
  }
  VISQ_ASSIGN(Model model, load_model(arguments.model));
  find_shapes(model);
  Inspection inspection = inspect(model);
  VISQ_ASSIGN(inspection.sections, container_sections(arguments.model));
  if (to_file) VISQ_TRY(write_files({{arguments.json, report::inspect_json(inspection)}}));
  if (arguments.json == "-") {
    VISQ_TRY(write_stdout(report::inspect_json(inspection)));
    return kDone;
  }
  const auto columns = as_size(terminal_columns());
  const std::string next = fmt::format("\nNext: visqerror run {} -d DATA -o maps.h5\n", report::shell_word(arguments.model));
  VISQ_TRY(write_stdout(report::inspect_text(inspection, {.tensors = arguments.tensors, .columns = columns}) + next));
  return kDone;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("MODEL", arguments->model,
                   "a circle, TFLite or ONNX model, or a .litertlm file that holds one (FILE:SECTION where it holds several)");
  options.flag("--tensors", arguments->tensors, "also every tensor, constants with their size in the file");
  options.value("--json", arguments->json, "FILE|-", "also as JSON (schema/inspect.schema.json); - for standard output, instead of text");
  options.footer(
      "Examples:\n"
      "  visqerror inspect int8.tflite\n"
      "  visqerror inspect fp32.circle --tensors\n"
      "  visqerror inspect fp32.circle --json - | jq '.types'");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{
    .name = "inspect", .summary = "what is in this model? Operators, tensors, quantization, multiply-adds, bytes", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_inspect
