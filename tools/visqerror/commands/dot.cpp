// dot: a picture of a model whose nodes are coloured by the errors of a visq.json file.
#include <memory>

#include "core/error.h"
#include "report/words/text.h"
#include "visq/graph.h"
#include "visq/report.h"
#include "visqerror/options/command.h"
#include "visqerror/outputs/output_files.h"
#include "visqerror/sessions/session.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/terminal/exit_code.h"

namespace visq::tool::command_dot {
namespace {

struct Arguments {
  std::string file, model, signature, out, title;
  ConsoleOptions console;
};

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  if (arguments.file.empty()) return usage_error("dot: no visq.json file given; see 'visqerror dot --help'");
  if (!arguments.out.empty()) {
    VISQ_TRY(check_distinct({arguments.out}, {arguments.file, arguments.model}));
    VISQ_TRY(check_writable(arguments.out));
  }
  VISQ_ASSIGN(VisqFile file, read_visq_json(arguments.file));
  if (!arguments.title.empty()) file.title = arguments.title;
  VISQ_ASSIGN(const SharedModel model, load(arguments.model.empty() ? file.model : arguments.model, arguments.signature, console));
  VISQ_ASSIGN(const std::string graph, dot_graph(file, graph_of(*model)));
  if (arguments.out.empty()) {
    VISQ_TRY(write_stdout(graph));
    return kDone;
  }
  VISQ_TRY(write_files({{arguments.out, graph}}));
  VISQ_TRY(write_stdout(fmt::format("{}: {} of {}\n{}", arguments.out, file.metric, model->path,
                                    console.next(fmt::format("dot -Tsvg {0} -o {1}.svg", report::shell_word(arguments.out),
                                                             report::shell_word(arguments.out.substr(0, arguments.out.rfind('.'))))))));
  return kDone;
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FILE", arguments->file, "a *.visq.json file, as compare -o writes it");
  options.argument("MODEL", arguments->model, "its model; default: the one that the file names, beside it").usually("as FILE says");
  options.value("-o,--out", arguments->out, "FILE", "the DOT file to write; default: standard output");
  options.value("--title", arguments->title, "TEXT", "title of the picture");
  add_signature(options, arguments->signature);
  arguments->console.add_to(options);
  options.footer(
      "Examples:\n"
      "  visqerror compare fp32.tflite int8.tflite -d data.h5 -o out\n"
      "  visqerror dot out/fp32.mse.visq.json | dot -Tsvg -o mse.svg\n"
      "  visqerror dot out/fp32.mse.visq.json fp32.tflite -o mse.dot");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommand{.name = "dot", .summary = "a picture from a visq.json file, in Graphviz' language", .setup = setup};

}  // namespace

std::span<const CommandDef> definitions() { return {&kCommand, 1}; }

}  // namespace visq::tool::command_dot
