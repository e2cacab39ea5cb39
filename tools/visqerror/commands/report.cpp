// report: everything about a pair of models, in one HTML file.
#include <chrono>
#include <filesystem>
#include <memory>

#include "core/as_size.h"
#include "core/error.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/full_report.h"
#include "visqerror/options/command.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/sessions/compare_outputs.h"
#include "visqerror/sessions/comparison.h"
#include "visqerror/sessions/record_choice.h"
#include "visqerror/sessions/report_parts.h"
#include "visqerror/sessions/signatures.h"
#include "visqerror/sessions/token_calls.h"
#include "visqerror/terminal/browser.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool::command_report {
namespace {

constexpr std::int64_t kRecords = 16, kTop = 5, kMostTop = 1000;
constexpr const char* kTimeLimit = "10m";

struct Arguments {
  PairRequest pair;  ///< or a visq.json file, and its model
  TokenArguments tokens;
  std::string asked_signature;  ///< where each is a section: the one that the user named
  std::vector<std::string> others;
  std::string out, json, title, threads, mode, ref_mode, post, top, time_limit = kTimeLimit;
  bool quick = false, time = false, view = false, allow_partial = false;
  ConsoleOptions console;
};

/// Everything of the command line that does not need the models.
struct Plan {
  PairRequest pair;
  Labels labels;
  std::size_t top = kTop;
  double seconds = 0;
  std::filesystem::path page;  ///< empty: none
};

/// The file that -o means: itself where its name ends so, else report.html in that folder.
bool names_page(const std::filesystem::path& path) { return path.extension() == ".html" || path.extension() == ".htm"; }

Result<Plan> make_plan(const Arguments& arguments) {
  Plan plan;
  plan.pair = arguments.pair;
  CompareOptions& options = plan.pair.options;
  VISQ_ASSIGN(options.threads, parse_threads(arguments.threads));
  VISQ_ASSIGN(options.post, parse_post(arguments.post));
  if (!arguments.mode.empty()) {
    VISQ_ASSIGN(plan.pair.quantized_mode, parse_mode("--mode", arguments.mode));
  }
  if (!arguments.ref_mode.empty()) {
    VISQ_ASSIGN(plan.pair.reference_mode, parse_mode("--ref-mode", arguments.ref_mode));
  }
  if (!arguments.top.empty()) {
    VISQ_ASSIGN(const std::int64_t top, parse_integer("--top", arguments.top, 1, kMostTop));
    plan.top = as_size(top);
  }
  VISQ_ASSIGN(plan.seconds, parse_duration("--time-limit", arguments.time_limit));
  VISQ_ASSIGN(plan.labels, read_labels(plan.pair, plan.pair.data));
  if (arguments.quick && arguments.time) return usage_error("--time: goes without --quick, which is the comparison only");
  if (arguments.view && arguments.out.empty()) return usage_error("--view-in-browser: needs -o, the file to show");
  if (arguments.out.empty() && arguments.json.empty()) return usage_error("report: no output; give -o DIR or -o FILE.html");
  if (!arguments.out.empty()) VISQ_TRY(can_make_pages());
  if (!arguments.out.empty()) plan.page = names_page(arguments.out) ? arguments.out : arguments.out + "/report.html";
  return plan;
}

/// Where the page and the JSON go. `json`: its file; empty: none.
Result<std::unique_ptr<ResultOutputs>> prepare(const Arguments& arguments, const Plan& plan, const std::string& json) {
  ResultOutputOptions options{.folder = names_page(arguments.out) ? "" : arguments.out, .json = json};
  std::vector<std::string> names, more;
  if (!options.folder.empty()) names.push_back("report.html");
  if (options.folder.empty() && !plan.page.empty()) more.push_back(plan.page.string());
  std::vector<std::string> inputs = arguments.others;
  const PairRequest& pair = arguments.pair;
  inputs.insert(inputs.end(), {pair.reference, pair.quantized, pair.data.path, pair.labels, pair.sequence.state, arguments.tokens.path});
  return ResultOutputs::prepare(options, names, inputs, more);
}

/// A file as a command names it that is run where the file lies.
std::string file(const std::string& path) { return report::shell_word(path.substr(path.find_last_of('/') + 1)); }

/// A command of the same page, whose files lie where it is run.
std::string command_line(const Arguments& arguments, const Plan& plan) {
  const PairRequest& pair = arguments.pair;
  std::string line = "visqerror report " + file(pair.reference);
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) line += fmt::format(" {} {}", option, value);
  };
  if (!pair.quantized.empty()) line += " " + file(pair.quantized);
  for (const std::string& other : arguments.others) line += " " + file(other);
  const auto word = [](const std::string& text) { return text.empty() ? "" : report::shell_word(text); };
  add("--signature", word(pair.signature));
  add("-d", pair.data.path.empty() ? "" : file(pair.data.path) + pair.data.words_behind());
  add("--tokens", arguments.tokens.path.empty() ? "" : file(arguments.tokens.path) + pair.data.words_behind());
  add("--prompt", word(arguments.tokens.prompt));
  add("--records", word(pair.data.records));
  if (pair.data.path.empty() && arguments.tokens.path.empty() && !pair.quantized.empty()) add("--seed", word(pair.data.seed));
  for (const std::string& link : pair.sequence.feed_back) add("--feed-back", word(link));
  add("--state", pair.sequence.state.empty() ? "" : file(pair.sequence.state));
  add("--sequence-length", word(pair.sequence.length));
  add("--labels", pair.labels.empty() ? "" : file(pair.labels));
  add("--label-offset", word(pair.label_offset));
  add("--output-node", word(pair.output_node));
  add("--eval", word(pair.eval));
  add("--score", word(pair.score));
  add("--post", word(arguments.post));
  add("--ref-mode", word(arguments.ref_mode));
  add("--mode", word(arguments.mode));
  add("--top", word(arguments.top));
  if (arguments.time_limit != kTimeLimit) add("--time-limit", word(arguments.time_limit));
  if (arguments.quick) line += " --quick";
  if (arguments.time) line += " --time";
  add("--title", word(arguments.title));
  add("-o", file(plan.page.string()));
  return line;
}

/// The comparison and the accuracy over all records. Returns how many seconds a record took to compare.
Result<double> fill_comparison(PairRequest& pair, const Labels& labels, const Pair& models, Records& records, const Console& console,
                               FullReport& report) {
  const auto& [reference, quantized] = models;
  CompareOptions& options = pair.options;
  set_up(options, records, "records", console);
  CompareResult rated;  // labels belong to the records as the data hold them
  VISQ_TRY(add_accuracy(pair, labels, reference, quantized, *records.source, rated));
  const auto start = std::chrono::steady_clock::now();
  VISQ_ASSIGN(report.comparison, compare(reference, quantized, *records.source, options));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (pair.tokens != nullptr) pair.tokens->end(report.comparison);
  if (options.origin) VISQ_TRY(add_shares(reference, quantized, *records.source, options, console, report.comparison));
  measure_mode_gap(reference, quantized, *records.source, options, report.comparison);
  report.comparison.accuracy = std::move(rated.accuracy);
  report.comparison.judged_by = labels.judged_by;
  warn_of(report.comparison, console);
  report.reference = inspect(*reference);
  report.quantized = inspect(*quantized);
  return seconds / static_cast<double>(std::max<std::int64_t>(1, options.records.last - options.records.first));
}

/// Everything else, over some of the records.
Status fill_parts(const Arguments& arguments, Plan& plan, const Pair& models, Records& records, double seconds, const Console& console,
                  FullReport& report) {
  const auto& [reference, quantized] = models;
  PairRequest& pair = plan.pair;
  CompareOptions& options = pair.options;
  VISQ_ASSIGN(const Records all, open_records(pair.data, *reference, quantized.get(), false, Console(true, false), options.sequence));
  Scoring scoring;  // with fed-back inputs the data alone say nothing
  if (options.sequence.feed_back.empty()) {
    VISQ_ASSIGN(scoring, scoring_of(pair, plan.labels, reference, quantized, *all.source, all.range, options.sequence.length));
  }
  if (pair.data.records.empty() && options.sequence.feed_back.empty())
    VISQ_TRY(keep_spread(records, kRecords, *reference, *quantized, console));
  options.records = records.range;
  const double expected = seconds * static_cast<double>(options.records.last - options.records.first);
  add_report_parts({reference, quantized, *records.source, options, scoring, arguments.time, plan.seconds}, expected, console, report);
  return {};
}

/// Of a language model: its calls, one by one.
Status fill_parts_of_calls(const Arguments& arguments, Plan& plan, const Pair& models, double seconds, const Console& console,
                           FullReport& report) {
  PairRequest& pair = plan.pair;
  const bool last = pair.signature == pair.tokens->signatures().back();  // what comes before takes in all tokens, from empty caches
  std::string signature = last ? arguments.asked_signature : pair.signature;
  VISQ_TRY(take_token_calls(arguments.tokens, pair.reference, pair.quantized, signature, pair.data, console));
  if (interrupted()) return {};
  pair.options.sequence = {};
  pair.options.tokens = nullptr;
  VISQ_ASSIGN(Records records, open_records(pair.data, *models.reference, models.quantized.get(), false, console));
  return fill_parts(arguments, plan, models, records, seconds, console, report);
}

/// The comparison, and unless --quick everything else.
Status fill(const Arguments& arguments, Plan& plan, const Console& console, FullReport& report) {
  PairRequest& pair = plan.pair;
  VISQ_ASSIGN(const Pair models, open_pair(pair.reference, pair.quantized, pair.signature, console));
  const auto& [reference, quantized] = models;
  CompareOptions& options = pair.options;
  VISQ_ASSIGN(options.sequence, open_sequence(pair.sequence, *reference, quantized.get(), console));
  VISQ_ASSIGN(Records records, open_inputs(pair, models, console));
  set_modes(pair, *reference, *quantized);
  const bool exact = options.reference_mode != Mode::kInteger && options.quantized_mode != Mode::kInteger;
  options.origin = !arguments.quick && exact && pair.tokens == nullptr;
  VISQ_ASSIGN(const double seconds, fill_comparison(pair, plan.labels, models, records, console, report));
  if (arguments.quick || interrupted()) return {};
  if (pair.tokens == nullptr) return fill_parts(arguments, plan, models, records, seconds, console, report);
  return fill_parts_of_calls(arguments, plan, models, seconds, console, report);
}

/// The comparisons of further recipes, with the reference and the records of the first.
Status add_recipes(const Arguments& arguments, const Plan& plan, const Console& console, FullReport& report) {
  for (const std::string& path : arguments.others) {
    PairRequest pair = plan.pair;
    pair.quantized = path;
    pair.options.origin = false;
    if (arguments.mode.empty()) pair.quantized_mode.reset();
    VISQ_ASSIGN(const Pair models, load_pair(pair.reference, path, pair.signature, console));
    VISQ_ASSIGN(CompareResult result, compare_models(std::move(pair), models, console));
    warn_of(result, console);
    report.others.push_back({std::move(result), inspect(*models.quantized)});
    if (interrupted()) break;
  }
  return {};
}

/// "wrong labels: …", or "3 findings, the first: ACT_CLIP of conv1; repairing it wins 6.1 dB".
std::string first_finding(const FullReport& report) {
  if (!report.diagnosis) return "";
  const auto& remarks = report.diagnosis->remarks;
  if (!remarks.empty()) return report::printable(remarks.front().kind + ": " + remarks.front().text) + "\n";
  const auto& findings = report.diagnosis->findings;
  if (findings.empty()) return "no findings\n";
  const Finding& first = findings.front();
  std::string text = fmt::format("{}, the first: {}", report::plural(static_cast<std::int64_t>(findings.size()), "finding"), first.cause);
  if (!first.name.empty()) text += " of " + report::printable(report::shown_name(first));
  if (first.tried) text += fmt::format("; {} {} dB", first.stands_in ? "it costs" : "repairing it wins", report::brief(first.gain_db));
  return text + "\n";
}

/// `word`: how a path stands in a command.
template <class Word>
std::string next_command(const Arguments& arguments, const FullReport& report, const Word& word) {
  if (report.picture) return "visqerror compare FP32 QUANT -d DATA -o OUT";
  const PairRequest& pair = arguments.pair;
  const std::string& tokens = arguments.tokens.path;
  const std::string path = !tokens.empty() ? "--tokens " + word(tokens) : "-d " + (pair.data.path.empty() ? "DATA" : word(pair.data.path));
  const std::string more =
      pair.data.words_behind() + signature_words(tokens.empty() ? pair.signature : arguments.asked_signature) + score_words(pair, word);
  return fmt::format("visqerror {} {} {} {}{}", report.diagnosis ? "recommend" : "diagnose", word(pair.reference), word(pair.quantized),
                     path, more);
}

/// What a report says of itself.
void entitle(const Arguments& arguments, const Plan& plan, FullReport& report) {
  report.title = arguments.title.empty() ? report.title : arguments.title;
  report.version = VISQ_VERSION;
  report.command = command_line(arguments, plan);
  if (!report.picture) report.next = next_command(arguments, report, file);
  report.top = plan.top;
}

/// The page of some sections, what the terminal says of it, and the browser.
Status write_page(const Arguments& arguments, const Plan& plan, std::span<const FullReport> sections, const std::string& json,
                  std::string text, ResultOutputs& outputs, const Console& console) {
  std::vector<OutputFile> files;
  std::vector<FileToWrite> more;
  if (!plan.page.empty()) {
    text += fmt::format("written to {}\n", report::printable(plan.page.string()));
    if (outputs.to_folder()) files.push_back({"report.html", html_page(sections)});
    if (!outputs.to_folder()) more.push_back({plan.page.string(), html_page(sections)});
    const Status drawn = can_draw_graphs();
    if (!drawn.ok()) console.warn("the page shows no graph: " + drawn.error().message);
  }
  const std::string next = console.next(next_command(arguments, sections.back(), report::shell_word));
  VISQ_TRY(outputs.write(files, json, text + (next.empty() ? "" : "\n" + next), console, more));
  if (arguments.view && !open_in_browser(plan.page.string())) {
    console.warn(
        fmt::format("--view-in-browser: neither $BROWSER nor xdg-open is there to open {}", report::printable(plan.page.string())));
  }
  return {};
}

/// A page of one section.
Status write(const Arguments& arguments, const Plan& plan, FullReport& report, ResultOutputs& outputs, const Console& console) {
  entitle(arguments, plan, report);
  const std::string json = arguments.json.empty() ? "" : report::full_report_json(report);
  return write_page(arguments, plan, {&report, 1}, json, first_finding(report), outputs, console);
}

/// A page from one metric of an earlier run.
Result<int> execute_file(const Arguments& arguments, const Console& console) {
  const PairRequest& pair = arguments.pair;
  if (!arguments.json.empty()) return usage_error("--json: a visq.json file is JSON already");
  VISQ_ASSIGN(const Plan plan, make_plan(arguments));
  VISQ_ASSIGN(const auto outputs, prepare(arguments, plan, ""));
  VISQ_ASSIGN(const VisqFile file, read_visq_json(pair.reference));
  VISQ_ASSIGN(const SharedModel model, load(pair.quantized.empty() ? file.model : pair.quantized, pair.signature, console));
  VISQ_ASSIGN(FullReport report, report_of(file, *model));
  VISQ_TRY(write(arguments, plan, report, *outputs, console));
  return kDone;
}

int conclude_report(const Arguments& arguments, const FullReport& report, const Console& console) {
  const bool incomplete = !report.missing.empty() && !arguments.allow_partial;
  return incomplete ? kIncomplete : conclude(report.comparison, {}, arguments.allow_partial, console);
}

Result<int> execute_one(const Arguments& arguments) {
  const Console console = arguments.console.console();
  VISQ_ASSIGN(Plan plan, make_plan(arguments));
  VISQ_ASSIGN(const auto outputs, prepare(arguments, plan, arguments.json));
  FullReport report;
  VISQ_TRY(fill(arguments, plan, console, report));
  VISQ_TRY(add_recipes(arguments, plan, console, report));
  if (interrupted()) return interruption_exit_code();
  VISQ_TRY(write(arguments, plan, report, *outputs, console));
  return conclude_report(arguments, report, console);
}

/// The report of one of several signatures, and its JSON.
Result<int> execute_section(const Arguments& arguments, std::vector<FullReport>& sections) {
  const Console console = arguments.console.console();
  VISQ_ASSIGN(Plan plan, make_plan(arguments));
  Arguments without_page = arguments;
  without_page.out.clear();
  VISQ_ASSIGN(const auto outputs, prepare(without_page, plan, arguments.json));
  FullReport report;
  VISQ_TRY(fill(arguments, plan, console, report));
  VISQ_TRY(add_recipes(arguments, plan, console, report));
  if (interrupted()) return interruption_exit_code();
  entitle(arguments, plan, report);
  const std::string json = arguments.json.empty() ? "" : report::full_report_json(report);
  VISQ_TRY(outputs->write({}, json, first_finding(report), console));
  const int code = conclude_report(arguments, report, console);
  sections.push_back(std::move(report));
  return code;
}

/// A page with a section for every signature.
Result<int> execute_in_turn(const Arguments& arguments, const std::vector<std::string>& signatures) {
  const Console console = arguments.console.console();
  VISQ_ASSIGN(const Plan plan, make_plan(arguments));
  VISQ_ASSIGN(const auto outputs, prepare(arguments, plan, ""));
  std::vector<FullReport> sections;
  const bool to_terminal = arguments.json != "-";
  const auto run = [&](const std::string& signature) {
    Arguments own = arguments;
    own.pair.signature = signature;
    own.json = file_of_signature(own.json, signature);
    return execute_section(own, sections);
  };
  VISQ_ASSIGN(const int code, run_in_turn(signatures, to_terminal, run));
  if (interrupted() || plan.page.empty()) return code;
  VISQ_TRY(write_page(arguments, plan, sections, "", to_terminal ? "\n" : "", *outputs, console));
  return code;
}

Result<int> execute(Arguments arguments) {
  PairRequest& pair = arguments.pair;
  const Console console = arguments.console.console();
  if (pair.reference.ends_with(".json")) return execute_file(arguments, console);
  VISQ_TRY(need_pair("report", pair.quantized));
  VISQ_TRY(check_tokens(arguments.tokens, {{"--data", !pair.data.path.empty()},
                                           {"--sequence-length", !pair.sequence.length.empty()},
                                           {"--labels", !pair.labels.empty()},
                                           {"--eval", !pair.eval.empty()},
                                           {"--score", !pair.score.empty()},
                                           {"further recipes", !arguments.others.empty()}}));
  arguments.asked_signature = pair.signature;
  if (!arguments.tokens.path.empty()) {
    VISQ_ASSIGN(pair.tokens, TokenRun::plan(arguments.tokens, pair.data.records, pair.reference, pair.quantized, pair.signature, console));
  }
  const auto signatures = pair.tokens != nullptr ? Result(pair.tokens->signatures())
                                                 : signatures_in_turn(pair.signature, pair.reference, pair.quantized, console);
  if (!signatures.ok()) return execute_one(arguments);  // says in its turn what is wrong with the models
  if (signatures->size() > 1) return execute_in_turn(arguments, *signatures);
  pair.signature = signatures->front();
  return execute_one(arguments);
}

void add_output_options(Options& options, const std::shared_ptr<Arguments>& arguments) {
  const std::string group = "Output";
  options.value("-o,--out", arguments->out, "PATH", "write report.html into this folder; or the file itself, where it ends in .html")
      .group(group);
  options.value("--json", arguments->json, "FILE", "also the numbers of all parts as JSON; - for standard output").group(group);
  options.value("--title", arguments->title, "TEXT", "heading of the page; default: the names of the models").group(group);
  options.flag("--view-in-browser", arguments->view, "open the page with $BROWSER or xdg-open").group(group);
}

void add_extent_options(Options& options, const std::shared_ptr<Arguments>& arguments) {
  const std::string group = "Extent";
  options.flag("--quick", arguments->quick, "the comparison only: no causes, no sensitivity, no weights").group(group);
  options
      .value(
          "--time-limit", arguments->time_limit, "TIME",
          "seconds (90s), minutes (2m) or hours for all that --quick leaves out; parts that find no time are left out, the last first: " +
              report_part_names() + "; default: " + kTimeLimit)
      .group(group);
  options.value("--top", arguments->top, "N", "show the distributions of the N most sensitive weights and activations; default: 5")
      .group(group);
  options.flag("--time", arguments->time, "also the time of every operator of both models, on this machine").group(group);
}

std::function<int()> setup(Options& options) {
  const auto arguments = std::make_shared<Arguments>();
  options.argument("FP32", arguments->pair.reference, "the float model; or a *.visq.json file, to draw what it holds");
  options.argument("QUANT", arguments->pair.quantized, "its quantized twin; of a visq.json file its model, default: the one that it names");
  options.arguments("MORE", arguments->others, "further quantizations of FP32: which recipe is better where, and at what size")
      .usually("none");
  add_signature(options, arguments->pair.signature);
  arguments->pair.data.add_to(options, "all; for causes 16, spread evenly, and the 8 worst");
  add_pairs(options, arguments->pair.data.pairs);
  arguments->tokens.add_to(options);
  arguments->pair.sequence.add_to(options);
  add_accuracy_options(options, arguments->pair);
  add_extent_options(options, arguments);
  add_output_options(options, arguments);
  options.value("--mode", arguments->mode, "MODE", "fp32, fake-quant or integer, of QUANT; default: fake-quant if it is quantized");
  options.value("--ref-mode", arguments->ref_mode, "MODE", "the same of FP32");
  add_post(options, arguments->post);
  options.flag("--allow-partial", arguments->allow_partial, "exit code 0 even if a part could not be computed");
  add_threads(options, arguments->threads);
  arguments->console.add_to(options);
  options.footer(
      "The page needs nothing but itself: no network, no other file. Causes are\n"
      "looked for on the records named above, accuracy is that of all records, all\n"
      "other parts look at the first one.\n\n"
      "Examples:\n"
      "  visqerror report fp32.tflite int8.tflite -d data.h5 -o out\n"
      "  visqerror report fp32.tflite int8.tflite -d data.h5 --quick -o page.html\n"
      "  visqerror report fp32.tflite int8.tflite int16x8.tflite -d data.h5 -o out\n"
      "  visqerror report fp32.tflite int8.tflite -d data.h5 --labels y.npy \\\n"
      "    --time --time-limit 2m -o out --view-in-browser\n"
      "  visqerror report out/fp32.mse.visq.json -o page.html");
  return [arguments] { return finish(execute(*arguments)); };
}

constexpr CommandDef kCommands[] = {
    {.name = "report", .summary = "everything, in one HTML file", .setup = setup},
    {.name = "runall", .summary = "another name of report", .setup = setup},
};

}  // namespace

std::span<const CommandDef> definitions() { return kCommands; }

}  // namespace visq::tool::command_report
