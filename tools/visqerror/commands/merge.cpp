// merge: results of runs over parts of the records, joined into one.
#include "visq/merge.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/badcase.h"
#include "visq/report/result_file.h"
#include "visqerror/options/command.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/compare_outputs.h"
#include "visqerror/sessions/session.h"
#include "visqerror/terminal/exit_code.h"

namespace visq::tool::command_merge {
namespace {

struct Arguments {
  std::vector<std::string> files;
  bool allow_partial = false;
  ConsoleOptions console;
  CompareOutputOptions output;
};

/// In the order of records.
Result<std::vector<Part>> read_parts(const std::vector<std::string>& files) {
  std::vector<Part> parts;
  for (const std::string& path : files) {
    VISQ_ASSIGN(parts.emplace_back(), report::read_part(path));
    const Part &first = parts.front(), &last = parts.back();
    if (last.badcase != first.badcase) return bad_input("{} and {}: are results of other commands", files.front(), path);
    if (last.reference.sha256 != first.reference.sha256 || last.quantized.sha256 != first.quantized.sha256) {
      return bad_input("{} and {}: are results of other models", files.front(), path);
    }
  }
  return in_order(std::move(parts));
}

/// The model that a result is of, from where it was.
Result<SharedModel> load_same(const ModelIdentity& identity, const Console& console) {
  VISQ_ASSIGN(SharedModel model, load(identity.path, identity.signature, console));
  if (model->checksum != identity.sha256) return bad_input("{}: is not the model that the results are of", identity.path);
  return model;
}

Result<int> merge_compare(const Arguments& arguments, const std::vector<Part>& parts, const Console& console) {
  const Part& first = parts.front();
  PairRequest request;
  request.reference = first.reference.path;
  request.quantized = first.quantized.path;
  request.data.path = first.data;
  request.options.metrics = first.metrics;
  VISQ_ASSIGN(const auto outputs, CompareOutputs::prepare(arguments.output, request, arguments.files));
  VISQ_ASSIGN(const SharedModel reference, load_same(first.reference, console));
  VISQ_ASSIGN(const SharedModel quantized, load_same(first.quantized, console));
  VISQ_ASSIGN(const CompareResult result, merge_comparisons(reference, quantized, parts));
  VISQ_TRY(outputs->write(result, {}, console));
  return conclude(result, {}, arguments.allow_partial, console);
}

Result<int> merge_badcase(const Arguments& arguments, const std::vector<Part>& parts, const Console& console) {
  const Part& first = parts.front();
  std::vector<std::string> inputs = arguments.files;
  inputs.insert(inputs.end(), {first.reference.path, first.quantized.path});
  VISQ_ASSIGN(const auto outputs,
              ResultOutputs::prepare({arguments.output.folder, arguments.output.json}, {"badcase.txt", "badcase.json"}, inputs));
  VISQ_ASSIGN(const SharedModel reference, load_same(first.reference, console));
  VISQ_ASSIGN(const SharedModel quantized, load_same(first.quantized, console));
  VISQ_ASSIGN(const BadcaseResult result, merge_badcases(reference, quantized, parts));
  const std::string json = report::badcase_json(result);
  VISQ_TRY(outputs->write({{"badcase.txt", report::badcase_text(result, 0)}, {"badcase.json", json}}, json,
                          report::badcase_text(result, text_columns()), console));
  return result.cases.empty() ? kIncomplete : kDone;
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  if (arguments.files.empty()) return usage_error("merge: no results given; see 'visqerror merge --help'");
  VISQ_ASSIGN(const std::vector<Part> parts, read_parts(arguments.files));
  if (!parts.front().badcase) return merge_compare(arguments, parts, console);
  if (!arguments.output.write.empty()) return usage_error("--write: results of badcase have no other formats");
  return merge_badcase(arguments, parts, console);
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.arguments("RESULT", arguments->files, "what compare or badcase wrote with --per-record (--json, or result.json), in any order");
  arguments->output.add_to(options);
  options.flag("--allow-partial", arguments->allow_partial, "exit code 0 even if a part could not be computed");
  arguments->console.add_to(options);
  options.footer(
      "The result is that of one run over all records, to the bit. The models must be\n"
      "where they were.\n\n"
      "Examples:\n"
      "  visqerror compare fp32.tflite int8.tflite -d data.h5 --records 0:32 \\\n"
      "    --per-record --json a.json\n"
      "  visqerror compare fp32.tflite int8.tflite -d data.h5 --records 32:64 \\\n"
      "    --per-record --json b.json\n"
      "  visqerror merge a.json b.json -o out");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "merge", .summary = "results of runs over parts of the records, joined into one", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_merge
