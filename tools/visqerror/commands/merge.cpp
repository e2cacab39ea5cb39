// merge: results of runs over parts of the records, joined into one.
#include "visq/merge.h"

#include <algorithm>
#include <memory>

#include "core/error.h"
#include "report/json/part_file.h"
#include "report/results/badcase_report.h"
#include "report/words/text.h"
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

/// What all files have in common, and their parts in the order of records.
struct Whole {
  bool badcase = false;
  ModelIdentity reference, quantized;
  std::vector<Part> parts;
};

Result<Whole> read_parts(const std::vector<std::string>& files) {
  Whole whole;
  for (const std::string& path : files) {
    VISQ_ASSIGN(report::PartFile file, report::read_part_file(path));
    if (whole.parts.empty()) {
      whole.badcase = file.badcase;
      whole.reference = file.reference;
      whole.quantized = file.quantized;
    }
    if (file.badcase != whole.badcase) return bad_input("{} and {}: are results of other commands", files.front(), path);
    if (file.reference.sha256 != whole.reference.sha256 || file.quantized.sha256 != whole.quantized.sha256) {
      return bad_input("{} and {}: are results of other models", files.front(), path);
    }
    whole.parts.push_back(std::move(file.part));
  }
  VISQ_ASSIGN(whole.parts, in_order(std::move(whole.parts)));
  return whole;
}

/// The model that a result is of, from where it was.
Result<SharedModel> load_same(const ModelIdentity& identity, const Console& console) {
  ModelIdentity now = identity;
  VISQ_TRY(add_checksum(now));
  if (now.sha256 != identity.sha256) return bad_input("{}: is not the model that the results are of", identity.path);
  return load(identity.path, console);
}

Result<int> merge_compare(const Arguments& arguments, const Whole& whole, const Console& console) {
  PairRequest request;
  request.reference = whole.reference.path;
  request.quantized = whole.quantized.path;
  request.data.path = whole.parts.front().data;
  request.options.metrics = whole.parts.front().metrics;
  VISQ_ASSIGN(const auto outputs, CompareOutputs::prepare(arguments.output, request, arguments.files));
  VISQ_ASSIGN(const SharedModel reference, load_same(whole.reference, console));
  VISQ_ASSIGN(const SharedModel quantized, load_same(whole.quantized, console));
  VISQ_ASSIGN(CompareResult result, merge_comparisons(reference, quantized, whole.parts));
  VISQ_TRY(outputs->write(result, {}, console));
  return conclude(result, {}, arguments.allow_partial);
}

Result<int> merge_badcase(const Arguments& arguments, const Whole& whole, const Console& console) {
  std::vector<std::string> inputs = arguments.files;
  inputs.insert(inputs.end(), {whole.reference.path, whole.quantized.path});
  VISQ_ASSIGN(const auto outputs,
              ResultOutputs::prepare({arguments.output.folder, arguments.output.json}, {"badcase.txt", "badcase.json"}, inputs));
  VISQ_ASSIGN(const SharedModel reference, load_same(whole.reference, console));
  VISQ_ASSIGN(const SharedModel quantized, load_same(whole.quantized, console));
  VISQ_ASSIGN(BadcaseResult result, merge_badcases(reference, quantized, whole.parts));
  result.reference.sha256 = whole.reference.sha256;
  result.quantized.sha256 = whole.quantized.sha256;
  const std::string json = report::badcase_json(result);
  VISQ_TRY(outputs->write({{"badcase.txt", report::badcase_text(result, 0)}, {"badcase.json", json}}, json,
                          report::badcase_text(result, text_columns()), console));
  return result.cases.empty() ? kIncomplete : kDone;
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  if (arguments.files.empty()) return usage_error("merge: no results given; see 'visqerror merge --help'");
  VISQ_ASSIGN(const Whole whole, read_parts(arguments.files));
  if (!whole.badcase) return merge_compare(arguments, whole, console);
  if (!arguments.output.write.empty()) return usage_error("--write: results of badcase have no other formats");
  return merge_badcase(arguments, whole, console);
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
