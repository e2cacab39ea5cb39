// report: everything about a pair of models, in one HTML file.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "core/error.h"
#include "report/text.h"
#include "visq/full_report.h"
#include "visqerror/command.h"
#include "visqerror/compare_outputs.h"
#include "visqerror/comparison.h"
#include "visqerror/exit_code.h"
#include "visqerror/interrupt.h"
#include "visqerror/output_files.h"
#include "visqerror/session.h"

namespace visq::tool {
namespace {

constexpr std::int64_t kRecords = 16;

struct Arguments {
  std::string reference, quantized, out, title, threads;
  bool quick = false, allow_partial = false;
  DataOptions data;
  ConsoleOptions console;
};

/// The pair and what every question about it needs.
struct Subject {
  SharedModel reference, quantized;
  RecordSource& data;
  RecordRange records;
  int threads = 0;
  const Console& console;

  /// The first record alone, for what takes a run per tensor.
  RecordRange first_record() const { return {records.first, records.first + 1}; }

  /// Options that are called alike everywhere.
  template <class Options>
  Options options(const char* unit, RecordRange range) const {
    Options made;
    made.records = range;
    made.threads = threads;
    made.progress = console.progress(unit);
    made.stop = &interrupted();
    return made;
  }
};

/// The file that -o means: itself where its name ends so, else report.html in that folder.
std::filesystem::path page_path(const std::string& out) {
  const std::filesystem::path path(out);
  return path.extension() == ".html" || path.extension() == ".htm" ? path : path / "report.html";
}

Result<CompareResult> run_compare(const Subject& subject) {
  auto options = subject.options<CompareOptions>("records", subject.records);
  options.reference_mode = default_mode(*subject.reference);
  options.quantized_mode = default_mode(*subject.quantized);
  return compare(subject.reference, subject.quantized, subject.data, options);
}

Result<DiagnoseResult> run_diagnose(const Subject& subject) {
  return diagnose(subject.reference, subject.quantized, subject.data, subject.options<DiagnoseOptions>("trials", subject.records));
}

Result<SensitivityResult> run_sensitivity(const Subject& subject) {
  auto options = subject.options<SensitivityOptions>("trials", subject.first_record());
  options.types = {SensitiveType::kWeight, SensitiveType::kActivation};
  options.metrics = {metric_index("mse"), metric_index("sqnr"), metric_index("cosine")};
  return sensitivity(subject.reference, subject.quantized, subject.data, options);
}

/// Weights alone, and activations alone.
Result<AccumulateResult> run_accumulate(const Subject& subject) {
  return accumulate(subject.reference, subject.quantized, subject.data,
                    subject.options<AccumulateOptions>("records", subject.first_record()));
}

Result<ProfileResult> run_profile(const Subject& subject) {
  auto options = subject.options<ProfileOptions>("records", subject.first_record());
  options.modes = {default_mode(*subject.reference), default_mode(*subject.quantized)};
  return profile(subject.reference, subject.quantized, subject.data, options);
}

/// What a part found; nothing where it could not be computed, which the page then says, and stderr at once.
template <class Part>
std::optional<Part> keep(Result<Part> outcome, const char* part, FullReport& report, const Console& console) {
  if (interrupted()) return std::nullopt;
  if (outcome.ok()) return std::move(*outcome);
  report.missing.push_back(fmt::format("{}: {}", part, outcome.error().message));
  console.warn(report.missing.back());
  return std::nullopt;
}

/// The parts that --quick leaves out.
void add_parts(const Subject& subject, FullReport& report) {
  const Console& console = subject.console;
  if (interrupted()) return;
  console.note("looking for causes");
  report.diagnosis = keep(run_diagnose(subject), "diagnose", report, console);
  if (interrupted()) return;
  console.note("measuring sensitivity, on one record");
  report.sensitivity = keep(run_sensitivity(subject), "sensitivity", report, console);
  if (interrupted()) return;
  report.accumulation = keep(run_accumulate(subject), "accumulate", report, console);
  if (interrupted()) return;
  auto profiled = keep(run_profile(subject), "weights", report, console);
  if (profiled) report.weights = std::move(profiled->weights);
}

/// "3 findings, the first: ACT_CLIP of conv1; mending it wins 6.1 dB".
std::string first_finding(const FullReport& report) {
  if (!report.diagnosis) return "";
  const auto& findings = report.diagnosis->findings;
  if (findings.empty()) return "no findings\n";
  const Finding& first = findings.front();
  std::string text = fmt::format("{}, the first: {}", report::plural(static_cast<std::int64_t>(findings.size()), "finding"), first.cause);
  if (!first.name.empty()) text += " of " + report::printable(first.name);
  if (first.tried) text += fmt::format("; mending it wins {} dB", report::brief(first.gain_db));
  return text + "\n";
}

std::string next_command(const Arguments& arguments, const FullReport& report) {
  const auto word = [](const std::string& text) { return report::shell_word(text); };
  const std::string data = arguments.data.path.empty() ? "DATA" : word(arguments.data.path);
  return fmt::format("visqerror {} {} {} -d {}", report.diagnosis ? "recommend" : "diagnose", word(arguments.reference),
                     word(arguments.quantized), data);
}

Result<int> execute(const Arguments& arguments) {
  const Console console = arguments.console.console();
  VISQ_TRY(need_pair("report", arguments.quantized));
  if (arguments.out.empty()) return usage_error("report: no output; give -o DIR or -o FILE.html");
  VISQ_ASSIGN(const int threads, parse_threads(arguments.threads));
  const std::filesystem::path path = page_path(arguments.out);
  VISQ_TRY(check_distinct({path.string()}, {arguments.reference, arguments.quantized, arguments.data.path}));
  OutputFolder folder;
  if (path != arguments.out) VISQ_TRY(folder.prepare(arguments.out));
  VISQ_TRY(check_writable(path.string()));

  VISQ_ASSIGN(const Pair pair, open_pair(arguments.reference, arguments.quantized, console));
  const auto& [reference, quantized] = pair;
  VISQ_ASSIGN(Records records, open_records(arguments.data, *reference, quantized.get(), false, console));
  if (arguments.data.records.empty()) VISQ_TRY(keep_spread(records, kRecords, *reference, *quantized, console));
  const Subject subject{reference, quantized, *records.source, records.range, threads, console};
  FullReport report;
  report.title = arguments.title;
  report.version = VISQ_VERSION;
  VISQ_ASSIGN(report.comparison, run_compare(subject));
  warn_of(report.comparison, console);
  if (!arguments.quick) add_parts(subject, report);
  if (interrupted()) return interruption_exit_code();
  VISQ_TRY(add_checksums(report.comparison));
  report.reference = inspect(*reference);
  report.quantized = inspect(*quantized);
  VISQ_ASSIGN(std::string page, html_page(report));
  VISQ_TRY(write_files({{path.string(), std::move(page)}}));
  folder.keep();
  const std::string next = console.next(next_command(arguments, report));
  VISQ_TRY(write_stdout(
      fmt::format("{}written to {}\n{}", first_finding(report), report::printable(path.string()), next.empty() ? "" : "\n" + next)));
  const bool incomplete = !report.missing.empty() && !arguments.allow_partial;
  return incomplete ? kIncomplete : conclude(report.comparison, {}, arguments.allow_partial);
}

std::function<int()> setup(CLI::App& app) {
  const auto arguments = std::make_shared<Arguments>();
  app.add_option("FP32", arguments->reference, "the float model");
  app.add_option("QUANT", arguments->quantized, "its quantized twin");
  arguments->data.add_to(app, "16, spread evenly, and the 8 worst");
  const std::string group = "Output";
  add_value(app, "-o,--out", arguments->out, "PATH", "write report.html into this folder; or the file itself, where it ends in .html")
      ->group(group);
  add_value(app, "--title", arguments->title, "TEXT", "heading of the page; default: the names of the models")->group(group);
  app.add_flag("--quick", arguments->quick, "the comparison only: no causes, no sensitivity, no weights")->group(group);
  app.add_flag("--allow-partial", arguments->allow_partial, "exit code 0 even if a part could not be computed");
  add_threads(app, arguments->threads);
  arguments->console.add_to(app);
  app.footer(
      "The page needs nothing but itself: no network, no other file. It holds the\n"
      "findings of diagnose, the graph in the colours of any metric, feature maps,\n"
      "weights, the sensitivity (on one record) of weights and activations, and the\n"
      "curves of accumulate (on one record) and diagnose.\n\n"
      "Examples:\n"
      "  visqerror report fp32.tflite int8.tflite -d data.h5 -o out\n"
      "  visqerror report fp32.tflite int8.tflite -d data.h5 --quick -o page.html");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommands[] = {
    {.name = "report", .summary = "everything, in one HTML file", .setup = setup},
    {.name = "runall", .summary = "another name of report", .setup = setup},
};

}  // namespace

std::span<const CommandDef> command_report() { return kCommands; }

}  // namespace visq::tool
