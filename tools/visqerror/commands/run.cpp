// run: what does a model compute? Feature maps into an HDF5 file.
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/records/run_identity.h"
#include "core/as_size.h"
#include "core/error.h"
#include "report/json/json_parts.h"
#include "report/words/text.h"
#include "visq/dump.h"
#include "visqerror/options/command.h"
#include "visqerror/options/sequence_arguments.h"
#include "visqerror/outputs/output_files.h"
#include "visqerror/sessions/interruptible_sink.h"
#include "visqerror/sessions/real_operators.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_run {
namespace {

struct Arguments {
  std::string model, mode, out, json;
  std::string signature;
  DataOptions data;
  SequenceArguments sequence;
  SelectionOptions selection;
  ConsoleOptions console;
  bool allow_partial = false;
};

std::string result_json(const Model& model, const std::string& data, const RunOptions& options, const std::string& out, std::int64_t maps,
                        const std::vector<NotRun>& not_run) {
  nlohmann::ordered_json json;
  json["schema"] = "visq.run/1";
  json["model"] = {{"file", model.path}};
  json["mode"] = name(options.mode);
  json["data"] = report::json_data(analysis::run_identity(data, options));
  json["output"] = out;
  json["feature_maps"] = maps;
  json["not_computed"] = nlohmann::ordered_json::array();
  for (const NotRun& node : not_run) {
    json["not_computed"].push_back({{"subgraph", node.subgraph}, {"node", node.node}, {"reason", node.reason}});
  }
  return report::json_text(json);
}

/// "subgraph 0, node 12 CONV_2D: its input 'x' was not computed".
std::string describe(const Model& model, const NotRun& gap) {
  const Subgraph& subgraph = model.subgraphs[as_size(gap.subgraph)];
  return fmt::format("subgraph {}, node {} {}: {}", gap.subgraph, gap.node, subgraph.operators[as_size(gap.node)].label(), gap.reason);
}

Status check_outputs(const Arguments& arguments) {
  if (arguments.out.empty()) return usage_error("run: no output; give -o FILE.h5");
  std::vector<std::string> outputs{arguments.out};
  if (!arguments.json.empty() && arguments.json != "-") outputs.push_back(arguments.json);
  VISQ_TRY(check_distinct(outputs, {arguments.model, arguments.data.path, arguments.sequence.state}));
  for (const std::string& output : outputs) VISQ_TRY(check_writable(output));
  return {};
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  if (arguments.model.empty()) return usage_error("run: no model given; see 'visqerror run --help'");
  RunOptions options;
  static_cast<NodeSelection&>(options) = arguments.selection;
  std::optional<Mode> mode;
  if (!arguments.mode.empty()) {
    VISQ_ASSIGN(mode, parse_mode("--mode", arguments.mode));
  }
  VISQ_TRY(check_outputs(arguments));

  VISQ_ASSIGN(const SharedModel model, load(arguments.model, arguments.signature, console));
  options.mode = mode.value_or(default_mode(*model));
  VISQ_ASSIGN(options.sequence, open_sequence(arguments.sequence, *model, nullptr, console));
  VISQ_ASSIGN(const Records records, open_records(arguments.data, *model, nullptr, false, console, options.sequence));
  set_up(options, records, "records", console);
  say_if_sequence({model.get()}, console);
  say_if_on_reals(model, options.mode, console);
  VISQ_ASSIGN(const auto writer, DumpWriter::create(arguments.out, model->path, options.mode));
  InterruptibleSink sink(*writer);
  auto outcome = run(model, *records.source, options, sink);
  if (interrupted()) return interruption_exit_code();
  VISQ_ASSIGN(const std::vector<NotRun> not_run, std::move(outcome));
  VISQ_TRY(writer->commit());

  for (const NotRun& node : not_run) console.warn("not computed: " + describe(*model, node));
  const std::string json = result_json(*model, records.source->description(), options, arguments.out, sink.maps(), not_run);
  if (!arguments.json.empty() && arguments.json != "-") VISQ_TRY(write_files({{arguments.json, json}}));
  if (arguments.json == "-") {
    VISQ_TRY(write_stdout(json));
  } else {
    const std::int64_t count = records.range.last - records.range.first;
    VISQ_TRY(write_stdout(fmt::format("{}: {} feature maps of {} record{}, {}, from {}\n{}", arguments.out, sink.maps(), count,
                                      count == 1 ? "" : "s", name(options.mode), arguments.model,
                                      console.next("visqerror inspect " + report::shell_word(arguments.model)))));
  }
  return not_run.empty() || arguments.allow_partial ? kDone : kIncomplete;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("MODEL", arguments->model, "a circle, TFLite or ONNX model");
  add_signature(options, arguments->signature);
  arguments->data.add_to(options);
  arguments->sequence.add_to(options);
  arguments->selection.add_to(options);
  options.value("-o,--out", arguments->out, "FILE", "the HDF5 file to write: /value/RECORD/TENSOR, tensors by index").group("Output");
  options.value("--json", arguments->json, "FILE|-", "also what was done, as JSON; - for standard output").group("Output");
  options.value("--mode", arguments->mode, "MODE", "fp32, fake-quant or integer; default: fake-quant if the model is quantized");
  options.flag("--allow-partial", arguments->allow_partial, "exit code 0 even if a part could not be computed");
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror run int8.tflite -d data.h5 -o maps.h5\n"
      "  visqerror run fp32.circle -d data.h5 --records 5:7 --ops CONV_2D -o maps.h5\n"
      "  visqerror run step.tflite -d frames.h5 --feed-back h_out=h_in -o maps.h5");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "run", .summary = "what does the model compute? Feature maps into an HDF5 file", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_run
