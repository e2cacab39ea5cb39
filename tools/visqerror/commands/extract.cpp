// extract: give me just this node, as a pair of models with its real inputs and both outputs.
#include "visq/extract.h"

#include <filesystem>
#include <limits>
#include <memory>

#include "core/error.h"
#include "core/file.h"
#include "report/words/text.h"
#include "visq/dump.h"
#include "visq/report/extract.h"
#include "visqerror/options/command.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/outputs/staged_folder.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_extract {
namespace {

struct Arguments {
  std::string reference, quantized, node, run, mode, ref_mode;
  std::string signature;
  DataOptions data;
  SequenceArguments sequence;
  ConsoleOptions console;
  ResultOutputOptions output;
};

Status check_arguments(const Arguments& arguments) {
  VISQ_TRY(need_pair("extract", arguments.quantized));
  if (arguments.node.empty()) return usage_error("extract: no node given; give --nodes NAME");
  if (arguments.output.folder.empty()) return usage_error("extract: no output; give -o DIR");
  return {};
}

/// One record unless more are asked for.
DataOptions with_default_records(DataOptions data) {
  if (data.records.empty()) data.records = "1";
  return data;
}

/// Names of all files that may be written.
std::vector<std::string> all_names() {
  std::vector<std::string> names{"extract.json", "README.txt"};
  ExtractResult result;
  for (const FormatInfo& format : model_formats()) {
    result.reference.model.format = result.quantized.model.format = format.name;
    const report::ExtractFiles files = report::extract_files(result, true);
    names.insert(names.end(), {files.reference_model, files.quantized_model});
  }
  const report::ExtractFiles files = report::extract_files(result, true);
  names.insert(names.end(),
               {files.data, files.reference_outputs, files.quantized_outputs, files.quantized_inputs, files.quantized_own_outputs});
  return names;
}

bool same(const std::vector<Array>& a, const std::vector<Array>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Array& x, const Array& y) {
    return x.dtype == y.dtype && x.shape == y.shape && x.bytes == y.bytes && x.strings == y.strings;
  });
}

/// Puts the parts to work on the files as a user finds them, so that the outputs are what these files give.
class Replayer {
 public:
  Replayer(const StagedFolder& stage, const Console& console) : stage_(stage), console_(console) {}

  /// Runs `model` on `data` and writes its outputs. Warns where `expected`, the values inside the whole model, are others.
  Result<ReplayResult> run(const ExtractedPart& part, const std::string& model, const std::string& data, const std::string& outputs,
                           const std::vector<std::vector<Array>>* expected) {
    VISQ_ASSIGN(const SharedModel loaded, load(stage_ / model, "", console_));
    VISQ_ASSIGN(const auto source, open_data(stage_ / data, *loaded));
    VISQ_ASSIGN(const auto writer, DumpWriter::create(stage_ / outputs, model, part.mode));
    VISQ_ASSIGN(ReplayResult result, replay(loaded, *source, part.mode, *writer));
    VISQ_TRY(writer->commit());
    if (expected != nullptr && !std::equal(result.given.begin(), result.given.end(), expected->begin(), expected->end(), same)) {
      console_.warn(fmt::format("{}: alone, the node gives other values than inside {}; it depends on a state that other nodes make", model,
                                part.model.path));
    }
    return result;
  }

 private:
  const StagedFolder& stage_;
  Console console_;
};

/// Everything but text into the stage. Returns which files there are.
Result<report::ExtractFiles> stage_files(const ExtractResult& result, const StagedFolder& stage, const Console& console) {
  const report::ExtractFiles all = report::extract_files(result, true);
  VISQ_TRY(write_file(stage / all.reference_model, result.reference.file));
  VISQ_TRY(write_file(stage / all.quantized_model, result.quantized.file));
  VISQ_TRY(write_data(stage / all.data, result.reference.fed));
  Replayer replayer(stage, console);
  VISQ_TRY(replayer.run(result.reference, all.reference_model, all.data, all.reference_outputs, &result.reference.given));
  VISQ_ASSIGN(const auto same_inputs, replayer.run(result.quantized, all.quantized_model, all.data, all.quantized_outputs, nullptr));
  const bool own = !std::equal(same_inputs.fed.begin(), same_inputs.fed.end(), result.quantized.fed.begin(), result.quantized.fed.end(),
                               [](const std::vector<Array>& a, const Record& b) { return same(a, b.inputs); });
  if (own) {
    VISQ_TRY(write_data(stage / all.quantized_inputs, result.quantized.fed));
    VISQ_TRY(replayer.run(result.quantized, all.quantized_model, all.quantized_inputs, all.quantized_own_outputs, &result.quantized.given));
  }
  return report::extract_files(result, own);
}

Result<std::vector<OutputFile>> collect(const report::ExtractFiles& files, const StagedFolder& stage) {
  std::vector<OutputFile> list;
  for (const std::string& name : {files.reference_model, files.quantized_model, files.data, files.reference_outputs,
                                  files.quantized_outputs, files.quantized_inputs, files.quantized_own_outputs}) {
    if (name.empty()) continue;
    VISQ_ASSIGN(std::string content, stage.read(name));
    list.push_back({name, std::move(content)});
  }
  return list;
}

std::string next_command(const Arguments& arguments, const report::ExtractFiles& files) {
  const auto word = [&](const std::string& name) {
    return report::shell_word((std::filesystem::path(arguments.output.folder) / name).string());
  };
  return fmt::format("visqerror compare {} {} -d {}", word(files.reference_model), word(files.quantized_model), word(files.data));
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(check_arguments(arguments));
  VISQ_ASSIGN(const auto outputs,
              ResultOutputs::prepare(arguments.output, all_names(),
                                     {arguments.reference, arguments.quantized, arguments.data.path, arguments.sequence.state}));
  VISQ_ASSIGN(const Pair pair, open_pair(arguments.reference, arguments.quantized, arguments.signature, console));
  const auto& [reference, quantized] = pair;
  ExtractOptions options;
  options.node = arguments.node;
  if (!arguments.run.empty()) {
    VISQ_ASSIGN(options.run, parse_integer("--run", arguments.run, 0, std::numeric_limits<std::int64_t>::max()));
  }
  VISQ_TRY(set_modes(options, arguments.ref_mode, arguments.mode, pair));
  VISQ_ASSIGN(options.sequence, open_sequence(arguments.sequence, *reference, quantized.get(), console));
  VISQ_ASSIGN(const Records records,
              open_records(with_default_records(arguments.data), *reference, quantized.get(), false, console, options.sequence));
  set_up(options, records, "records", console);
  VISQ_ASSIGN(ExtractResult result, extract(reference, quantized, *records.source, options));
  if (interrupted()) return interruption_exit_code();
  VISQ_ASSIGN(const StagedFolder stage, StagedFolder::create(arguments.output.folder));
  VISQ_ASSIGN(const report::ExtractFiles files, stage_files(result, stage, console));
  VISQ_ASSIGN(auto list, collect(files, stage));
  const std::string json = report::extract_json(result, files);
  list.push_back({"extract.json", json});
  list.push_back({"README.txt", report::extract_readme(result, files)});
  const std::string next = console.next(next_command(arguments, files));
  VISQ_TRY(outputs->write(list, json, report::extract_text(result, files, text_columns()) + (next.empty() ? "" : "\n" + next), console));
  return kDone;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->reference, "the reference: a float model, or a better quantized one");
  options.argument("QUANT", arguments->quantized, "its quantized twin");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options, "1");
  add_pairs(options, arguments->data.pairs);
  arguments->sequence.add_to(options);
  options.value("--nodes", arguments->node, "NAME", "the node: a feature map of either model; a glob that fits one node will do")
      .group("Selection");
  arguments->output.add_to(options,
                           "fp32.tflite and quant.tflite (or .circle), data.h5, reference.h5 and quantized.h5, extract.json, README.txt");
  options.value("--run", arguments->run, "N",
                "of a node in a loop's body or a branch: its run N of each record, from 0; default: the last");
  options.value("--mode", arguments->mode, "MODE", "fp32, fake-quant or integer, of QUANT; default: fake-quant if it is quantized");
  options.value("--ref-mode", arguments->ref_mode, "MODE", "the same of FP32");
  arguments->console.add_to(options);
  options.footer(
      "Where QUANT fuses what are several operators of FP32, the parts hold all of\n"
      "them. data.h5 holds what FP32 feeds the node with, reference.h5 and\n"
      "quantized.h5 what both give for it; where QUANT feeds its own node with\n"
      "something else, quantized_inputs.h5 and quantized_own.h5 hold that.\n"
      "\n"
      "Examples:\n"
      "  visqerror extract fp32.tflite int8.tflite -d data.h5 --nodes stem/Relu -o out\n"
      "  visqerror extract fp32.tflite int8.tflite -d data.h5 --records worst \\\n"
      "    --nodes stem/Relu --mode integer -o out\n"
      "  visqerror compare out/fp32.tflite out/quant.tflite -d out/data.h5");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{
    .name = "extract", .summary = "give me just this node: a pair of small models, its inputs and both outputs", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_extract
