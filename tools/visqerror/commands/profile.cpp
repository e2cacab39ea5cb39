// profile: what are the numbers of every tensor?
#include "visq/profile.h"

#include <filesystem>
#include <memory>

#include "core/error.h"
#include "report/pictures/tensorboard.h"
#include "report/words/text.h"
#include "visq/report/profile.h"
#include "visqerror/options/command.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_profile {
namespace {

struct Arguments {
  std::string model, twin, threads, mode, ref_mode;
  std::string signature;
  std::vector<std::string> write;
  DataOptions data;
  SequenceArguments sequence;
  SelectionOptions selection;
  ConsoleOptions console;
  ResultOutputOptions output;
  bool per_channel = false, time = false, allow_partial = false;
};

/// The folder of `--write tensorboard=DIR`; empty without.
Result<std::string> tensorboard_folder(const std::vector<std::string>& write) {
  std::string folder;
  for (const std::string& text : write) {
    const auto equals = text.find('=');
    const std::string kind = text.substr(0, equals);
    if (kind != "tensorboard") return usage_error("--write: unknown kind '{}'; profile writes tensorboard=DIR", kind);
    if (equals == std::string::npos || equals + 1 == text.size()) return usage_error("--write: '{}' names no folder", text);
    if (!folder.empty()) return usage_error("--write: tensorboard is asked for twice");
    folder = text.substr(equals + 1);
  }
  return folder;
}

/// Everything that will be written beside the folder's own files.
struct TensorBoardOutput {
  OutputFolder made;
  std::string file;

  Status prepare(const std::string& folder) {
    if (folder.empty()) return {};
    VISQ_TRY(made.prepare(folder));
    file = (std::filesystem::path(folder) / report::kTensorBoardFile).string();
    return check_writable(file);
  }
  /// What is to be written with all else: all or none.
  std::vector<FileToWrite> content(const ProfileResult& result) const {
    if (file.empty()) return {};
    return {{file, report::tensorboard_events(result)}};
  }
};

std::string next_command(const Arguments& arguments) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  const std::string data = arguments.data.path.empty() ? "DATA" : arguments.data.words();
  if (arguments.twin.empty()) return fmt::format("visqerror inspect {}", word(arguments.model));
  return fmt::format("visqerror distribution {} {} -d {} -o OUT", word(arguments.model), word(arguments.twin), data);
}

std::vector<std::string> file_names(const Arguments& arguments) {
  std::vector<std::string> names{"profile.json"};
  for (const auto& file : report::profile_files({}, arguments.twin.empty() ? 1 : 2, arguments.per_channel, arguments.time)) {
    names.push_back(file.name);
  }
  return names;
}

Result<ProfileOptions> make_options(const Arguments& arguments, const Model& model, const Model* twin) {
  ProfileOptions options;
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  const std::string& first = twin == nullptr ? arguments.mode : arguments.ref_mode;
  options.modes.push_back(default_mode(model));
  if (!first.empty()) {
    VISQ_ASSIGN(options.modes.back(), parse_mode(twin == nullptr ? "--mode" : "--ref-mode", first));
  }
  if (twin != nullptr) {
    options.modes.push_back(default_mode(*twin));
    if (!arguments.mode.empty()) {
      VISQ_ASSIGN(options.modes.back(), parse_mode("--mode", arguments.mode));
    }
  }
  static_cast<NodeSelection&>(options) = arguments.selection;
  options.per_channel = arguments.per_channel;
  options.time = arguments.time;
  return options;
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  if (arguments.model.empty()) return usage_error("profile: no model given; see 'visqerror profile --help'");
  VISQ_ASSIGN(const std::string events, tensorboard_folder(arguments.write));
  VISQ_ASSIGN(const auto outputs, ResultOutputs::prepare(arguments.output, file_names(arguments),
                                                         {arguments.model, arguments.twin, arguments.data.path, arguments.sequence.state}));
  TensorBoardOutput tensorboard;
  VISQ_TRY(tensorboard.prepare(events));
  VISQ_ASSIGN(const Pair models, load_one_or_two(arguments.model, arguments.twin, arguments.signature, console));
  const auto& [model, twin] = models;
  VISQ_ASSIGN(ProfileOptions options, make_options(arguments, *model, twin.get()));
  VISQ_ASSIGN(options.sequence, open_sequence(arguments.sequence, *model, twin.get(), console));
  say_if_sequence({model.get(), twin ? twin.get() : model.get()}, console);
  VISQ_ASSIGN(const Records records, open_records(arguments.data, *model, twin.get(), false, console, options.sequence));
  set_up(options, records, "records", console);
  VISQ_ASSIGN(ProfileResult result, profile(model, twin, *records.source, options));
  if (interrupted()) return interruption_exit_code();
  bool complete = true;
  for (const ModelProfile& each : result.models) {
    complete = complete && each.not_computed.empty();
    for (const NotComputed& gap : each.not_computed) console.warn("not computed: " + gap.reason);
  }
  const std::string json = outputs->wants_json() ? report::profile_json(result) : "";
  auto files = report::profile_files(result, result.models.size(), arguments.per_channel, arguments.time);
  files.push_back({"profile.json", json});
  const std::string next = console.next(next_command(arguments));
  VISQ_TRY(outputs->write(files, json, report::profile_text(result, text_columns()) + (next.empty() ? "" : "\n" + next), console,
                          tensorboard.content(result)));
  tensorboard.made.keep(console);
  return complete || arguments.allow_partial ? kDone : kIncomplete;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("MODEL", arguments->model, "a circle, TFLite or ONNX model");
  options.argument("QUANT", arguments->twin, "its quantized twin, fed with the same data").usually("none");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options);
  add_pairs(options, arguments->data.pairs);
  arguments->sequence.add_to(options);
  arguments->selection.add_to(options);
  arguments->output.add_to(options, "statistic.txt and .csv; of a pair also quantized_statistic and weights; profile.json");
  options.values("--write", arguments->write, "tensorboard=DIR", "histograms as an event file of TensorBoard, into this folder")
      .group("Output");
  options.flag("--per-channel", arguments->per_channel, "also every channel's statistics: channels.csv, JSON");
  options.flag("--time", arguments->time, "also time, multiply-adds and bytes of every operator: time.txt and .csv");
  options.value("--mode", arguments->mode, "MODE", "fp32, fake-quant or integer; default: fake-quant if the model is quantized");
  options.value("--ref-mode", arguments->ref_mode, "MODE", "the same of the first of two models");
  options.flag("--allow-partial", arguments->allow_partial, "exit code 0 even if a part could not be computed");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror profile int8.tflite -d data.h5\n"
      "  visqerror profile fp32.tflite int8.tflite -d data.h5 --per-channel -o out\n"
      "  visqerror profile fp32.tflite -d data.h5 --time --write tensorboard=logs");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{
    .name = "profile", .summary = "what are the numbers of every tensor? Statistics, histograms, time", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_profile
