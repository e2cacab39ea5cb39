// distribution: what do the values look like?
#include "visq/distribution.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "core/error.h"
#include "report/words/text.h"
#include "visq/report/distribution.h"
#include "visqerror/options/command.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/outputs/output_files.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_distribution {
namespace {

constexpr std::int64_t kMostAxes = 64;

struct Arguments {
  std::string reference, quantized, threads, mode, ref_mode, axis;
  std::string signature;
  DataOptions data;
  SequenceArguments sequence;
  SelectionOptions selection;
  ConsoleOptions console;
  ResultOutputOptions output;
  bool all = false;
};

Result<DistributionOptions> parse_options(const Arguments& arguments) {
  DistributionOptions options;
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  if (!arguments.axis.empty()) {
    VISQ_ASSIGN(const std::int64_t axis, parse_integer("--axis", arguments.axis, 0, kMostAxes));
    options.axis = static_cast<int>(axis);
  }
  options.all = arguments.all;
  static_cast<NodeSelection&>(options) = arguments.selection;
  return options;
}

std::string next_command(const Arguments& arguments) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  if (!arguments.output.folder.empty()) {
    return "xdg-open " + word((std::filesystem::path(arguments.output.folder) / "distribution.html").string());
  }
  const std::string data = arguments.data.path.empty() ? "" : " -d " + arguments.data.words();
  return fmt::format("visqerror distribution {} {}{} -o OUT  draws them", word(arguments.reference), word(arguments.quantized), data);
}

/// Pictures that an earlier run drew into the folder of `files`, and this one does not draw.
std::vector<FileToWrite> leftovers(const std::string& folder, const std::vector<OutputFile>& files) {
  std::vector<FileToWrite> found;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    const bool drawn = std::any_of(files.begin(), files.end(), [&](const OutputFile& file) { return file.name == name; });
    if (!drawn && report::is_distribution_picture(name)) found.push_back({entry.path().string(), files.front().content});
  }
  return found;
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(need_pair("distribution", arguments.quantized));
  VISQ_ASSIGN(DistributionOptions options, parse_options(arguments));
  VISQ_ASSIGN(const auto outputs,
              ResultOutputs::prepare(arguments.output, {"distribution.html", "distribution.json"},
                                     {arguments.reference, arguments.quantized, arguments.data.path, arguments.sequence.state}));
  VISQ_ASSIGN(const Pair pair, open_pair(arguments.reference, arguments.quantized, arguments.signature, console));
  const auto& [reference, quantized] = pair;
  VISQ_TRY(set_modes(options, arguments.ref_mode, arguments.mode, pair));
  VISQ_ASSIGN(options.sequence, open_sequence(arguments.sequence, *reference, quantized.get(), console));
  VISQ_ASSIGN(const Records records, open_records(arguments.data, *reference, quantized.get(), false, console, options.sequence));
  set_up(options, records, "records", console);
  VISQ_ASSIGN(DistributionResult result, distribution(reference, quantized, *records.source, options));
  if (interrupted()) return interruption_exit_code();
  const std::string json = outputs->wants_json() ? report::distribution_json(result) : "";
  std::vector<OutputFile> files;
  if (outputs->to_folder()) files = report::distribution_files(result);
  files.push_back({"distribution.json", json});
  const std::string next = console.next(next_command(arguments));
  VISQ_TRY(outputs->write(files, json, report::distribution_text(result, text_columns()) + (next.empty() ? "" : "\n" + next), console));
  if (outputs->to_folder()) remove_leftovers(leftovers(arguments.output.folder, files));
  return kDone;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->reference, "the reference: a float model, or a better quantized one");
  options.argument("QUANT", arguments->quantized, "its quantized twin");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options);
  add_pairs(options, arguments->data.pairs);
  arguments->sequence.add_to(options);
  arguments->selection.add_to(options);
  options.flag("--all", arguments->all, "every weight and feature map; default: the 5 worst of each, by SQNR").group("Selection");
  options.value("--axis", arguments->axis, "N", "axis of the box plots; default: that of per-channel scales, else the last")
      .group("Selection");
  arguments->output.add_to(options, "an SVG per tensor, distribution.html with all of them, distribution.json");
  options.value("--mode", arguments->mode, "MODE", "fp32, fake-quant or integer, of QUANT; default: fake-quant if it is quantized");
  options.value("--ref-mode", arguments->ref_mode, "MODE", "the same of FP32");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror distribution fp32.tflite int8.tflite -d data.h5 -o out\n"
      "  visqerror distribution fp32.tflite int8.tflite -d data.h5 --all -o out\n"
      "  visqerror distribution fp32.tflite int8.tflite -d data.h5 --nodes 'stem*'");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{
    .name = "distribution", .summary = "what do the values look like? Histograms and box plots, before and after", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_distribution
