#include "visqerror/app/legacy.h"

#include <array>
#include <limits>
#include <memory>

#include "core/error.h"
#include "visq/report.h"
#include "visqerror/sessions/compare_outputs.h"
#include "visqerror/sessions/comparison.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {
namespace {

constexpr std::array<std::string_view, 4> kMetrics{"mpeir", "mse", "tae", "srmse"};

struct Arguments {
  PairRequest pair;
  std::array<std::string, kMetrics.size()> outputs;  ///< paths, parallel to kMetrics
  std::string batch_size;
  bool dump_dot_graph = false, verbose = false;
};

bool ends_in_dot(const std::string& path) { return path.ends_with(".dot"); }

/// The files of one output: errors as visq.json (or the graph itself), and the graph beside it on demand.
void render(const CompareResult& result, Metric metric, const std::string& path, bool with_graph, std::vector<FileToWrite>& files) {
  ReportOptions options;
  options.colors = ColorScale::kLinear;
  if (ends_in_dot(path)) {
    files.push_back({path, dot_graph(result, metric, options)});
    return;
  }
  files.push_back({path, visq_json(result, metric, path, options)});
  if (with_graph) files.push_back({path + ".dot", dot_graph(result, metric, options)});
}

std::vector<FileToWrite> render_all(const Arguments& arguments, const CompareResult& result) {
  std::vector<FileToWrite> files;
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    if (arguments.outputs[i].empty()) continue;
    render(result, metric_named(kMetrics[i]), arguments.outputs[i], arguments.dump_dot_graph, files);
  }
  return files;
}

Status check(const Arguments& arguments) {
  if (arguments.pair.reference.empty()) return usage_error("--fp32_circle is required");
  if (arguments.pair.quantized.empty()) return usage_error("--q_circle is required");
  if (!arguments.batch_size.empty()) VISQ_TRY(parse_integer("--batch_size", arguments.batch_size, 1, std::numeric_limits<int>::max()));
  std::vector<std::string> paths;
  for (const std::string& path : arguments.outputs) {
    if (path.empty()) continue;
    paths.push_back(path);
    if (arguments.dump_dot_graph && !ends_in_dot(path)) paths.push_back(path + ".dot");
  }
  if (paths.empty()) return usage_error("no output given; at least one of --mpeir_output, --mse_output, --tae_output, --srmse_output");
  VISQ_TRY(check_distinct(paths, {arguments.pair.reference, arguments.pair.quantized, arguments.pair.data.path}));
  for (const std::string& path : paths) VISQ_TRY(check_writable(path));
  return {};
}

Result<int> execute(const Arguments& arguments) {
  const Console console(false, arguments.verbose);
  VISQ_TRY(check(arguments));
  PairRequest request = arguments.pair;
  request.legacy_random = true;
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    if (!arguments.outputs[i].empty()) request.options.metrics.push_back(metric_named(kMetrics[i]));
  }
  VISQ_ASSIGN(const CompareResult result, compare_pair(std::move(request), console));
  if (interrupted()) return interruption_exit_code();
  warn_of(result, console);
  const auto files = render_all(arguments, result);
  VISQ_TRY(write_files(files));
  for (const FileToWrite& file : files) console.log("wrote " + file.path);
  return conclude(result, {}, false, console);
}

}  // namespace

bool has_legacy_flags(const std::vector<std::string>& words) {
  static constexpr std::string_view kLong[] = {"--fp32_circle", "--q_circle",     "--mpeir_output",   "--peir_output", "--mse_output",
                                               "--tae_output",  "--srmse_output", "--dump_dot_graph", "--batch_size"};
  static constexpr std::string_view kShort[] = {"-f", "-q", "-b"};
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    const auto is = [&](std::string_view flag) { return word.substr(0, word.find('=')) == flag; };
    const auto begins = [&](std::string_view flag) { return word.starts_with(flag); };  // also "-fMODEL"
    return std::any_of(std::begin(kLong), std::end(kLong), is) || std::any_of(std::begin(kShort), std::end(kShort), begins);
  });
}

std::function<int()> setup_legacy(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.value("-f,--fp32_circle", arguments->pair.reference, "MODEL", "the fp32 model");
  options.value("-q,--q_circle", arguments->pair.quantized, "MODEL", "the quantized model");
  options.value("-d,--data", arguments->pair.data.path, "FILE", "test data; default: one random record in [-5, 5]");
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    const std::string name(kMetrics[i]);
    const std::string flags = "--" + name + "_output" + (name == "mpeir" ? ",--peir_output" : "");
    const std::string_view label = metric_info(metric_named(name)).label;
    options.value(flags, arguments->outputs[i], "FILE",
                  fmt::format("write {} of every node as visq.json; a name in .dot: as a DOT graph", label));
  }
  options.flag("--dump_dot_graph", arguments->dump_dot_graph, "write OUTPUT.dot beside every output");
  options.value("-b,--batch_size", arguments->batch_size, "N", "accepted; changes nothing in the results");
  options.flag("--verbose", arguments->verbose, "say what is being done, on stderr");
  options.footer(
      "Example:\n"
      "  visqerror --fp32_circle fp32.circle --q_circle int8.circle --data data.h5 \\\n"
      "            --mpeir_output mpeir.visq.json --dump_dot_graph");
  return [arguments] { return finish(execute(*arguments)); };
}

}  // namespace visq::tool
