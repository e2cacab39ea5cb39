#include "visqerror/sessions/compare_outputs.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/suggest.h"
#include "report/words/text.h"
#include "visqerror/options/values.h"
#include "visqerror/outputs/result_outputs.h"
#include "visqerror/outputs/review_outputs.h"
#include "visqerror/sessions/signatures.h"

namespace visq::tool {
namespace {

/// What names files before there is a result: the models and the metrics.
CompareResult empty_result(const PairRequest& request) {
  CompareResult result;
  result.reference.path = request.reference;
  result.quantized.path = request.quantized;
  result.metrics = request.options.metrics;
  if (result.metrics.empty()) {
    result.metrics = every_metric();
  }
  return result;
}

std::string format_kinds() {
  std::string list;
  for (const report::FormatDef* format : report::all_formats()) list += (list.empty() ? "" : ", ") + std::string(format->info.kind);
  return list;
}

Result<ColorScale> parse_colors(const std::string& text) {
  if (text.empty()) return ColorScale::kDefault;
  if (text == "linear") return ColorScale::kLinear;
  if (text == "log") return ColorScale::kLog;
  return usage_error("--colors: '{}' is neither linear nor log", text);
}

SummaryOptions summary_options() {
  SummaryOptions options;
  options.color = wants_color();
  if (const int columns = terminal_columns(); columns > 0) options.width = std::max(columns, 40);
  return options;
}

}  // namespace

void CompareOutputOptions::add_to(Options& options) {
  const std::string group = "Output";
  options.value("-o,--out", folder, "DIR", "write all result files into this folder").group(group);
  options.value("--json", json, "FILE|-", "the result as JSON; - for standard output, instead of the summary").group(group);
  options.values("--write", write, "KIND[=FILE]", "one output format, into the folder or a file of its own; KIND: " + format_kinds())
      .group(group);
  options.value("--title", title, "TEXT", "title of pictures and views").group(group);
  options.value("--sort", sort, "METRIC", "the metric by which the terminal shows the worst nodes").group(group);
  options.value("--colors", colors, "SCALE", "linear or log; default: log where a few values dwarf the others").group(group);
  options.value("--names", names, "MODEL", "whose tensor names model-explorer uses: reference (default) or quantized").group(group);
}

Result<CompareOutputOptions> CompareOutputOptions::of_signature(const std::string& signature) const {
  CompareOutputOptions own = *this;
  own.folder = folder_of_signature(folder, signature);
  own.json = file_of_signature(json, signature);
  for (std::string& text : own.write) {
    const auto equals = text.find('=');
    if (equals != std::string::npos) {
      text = text.substr(0, equals + 1) + file_of_signature(text.substr(equals + 1), signature);
    } else if (folder.empty()) {
      return usage_error("--write {}: the models have several signatures; give -o DIR, {}=FILE, or one --signature", text, text);
    }
  }
  return own;
}

Result<std::unique_ptr<CompareOutputs>> CompareOutputs::prepare(const CompareOutputOptions& options, const PairRequest& request,
                                                                const std::vector<std::string>& more_inputs) {
  std::unique_ptr<CompareOutputs> outputs(new CompareOutputs());
  VISQ_TRY(outputs->parse(options, request.options.metrics));
  VISQ_TRY(outputs->check_files(request, more_inputs));
  outputs->data_options_ = request.data.words_behind();
  outputs->more_options_ = score_words(request, report::shell_word);
  const bool by_metric = !request.score.empty() && !score_info(score_named(request.score)).by_labels;
  if (by_metric) outputs->own_options_ += " --score " + report::shell_word(request.score);
  if (!request.map.empty()) outputs->own_options_ += " --map " + report::shell_word(request.map);
  return outputs;
}

Status CompareOutputs::parse(const CompareOutputOptions& options, const std::vector<Metric>& metrics) {
  folder_ = options.folder;
  json_ = options.json;
  report_.title = options.title;
  VISQ_ASSIGN(report_.colors, parse_colors(options.colors));
  VISQ_ASSIGN(report_.quantized_names, parse_names(options.names));
  if (!options.sort.empty()) {
    VISQ_ASSIGN(sort_, parse_metric("--sort", options.sort));
    if (!metrics.empty() && std::find(metrics.begin(), metrics.end(), sort_) == metrics.end()) {
      return usage_error("--sort {}: is not among --metrics", options.sort);
    }
  }
  if (!folder_.empty()) {
    for (const report::FormatDef* format : report::all_formats()) {
      if (format->info.by_default) destinations_.push_back({format, folder_, ""});
    }
  }
  for (const std::string& text : options.write) VISQ_TRY(parse_write(text, metrics));
  return {};
}

Status CompareOutputs::parse_write(const std::string& text, const std::vector<Metric>& metrics) {
  const auto equals = text.find('=');  // kinds hold no '=', file names may
  const std::string kind = text.substr(0, equals);
  const report::FormatDef* format = report::find_format(kind);
  if (format == nullptr) {
    std::vector<std::string_view> names;
    for (const report::FormatDef* known : report::all_formats()) names.push_back(known->info.kind);
    return usage_error("--write: unknown kind '{}'{}", kind, suggestion(kind, names));
  }
  VISQ_TRY(report::available(*format));
  if (equals == std::string::npos) {
    const bool already = !folder_.empty() && format->info.by_default;
    if (!already) destinations_.push_back({format, folder_.empty() ? "." : folder_, ""});
    return {};
  }
  const std::string file = text.substr(equals + 1);
  if (file.empty()) return usage_error("--write: '{}' names no file", text);
  PairRequest request;
  request.options.metrics = metrics;
  const std::size_t count = format->write(empty_result(request), report_, "").size();
  if (count != 1) {
    return usage_error("--write {}: {} writes {} files, one per metric; choose one with --metrics, or give a folder with -o", text, kind,
                       count);
  }
  destinations_.push_back({format, "", file});
  return {};
}

std::vector<FileToWrite> CompareOutputs::render(const CompareResult& result) const {
  namespace fs = std::filesystem;
  std::vector<FileToWrite> files;
  for (const Destination& destination : destinations_) {
    const bool single = !destination.file.empty();
    const std::string folder = single ? fs::path(destination.file).parent_path().string() : destination.folder;
    for (OutputFile& file : destination.format->write(result, report_, folder)) {
      files.push_back({single ? destination.file : (fs::path(folder) / file.name).string(), std::move(file.content)});
    }
  }
  if (!json_.empty() && json_ != "-") files.push_back({json_, result_json(result)});
  return files;
}

std::vector<FileToWrite> CompareOutputs::files_of_other_metrics(const CompareResult& result) const {
  CompareResult others;
  others.reference.path = result.reference.path;
  others.quantized.path = result.quantized.path;
  for (const Metric metric : every_metric()) {
    if (std::find(result.metrics.begin(), result.metrics.end(), metric) == result.metrics.end()) others.metrics.push_back(metric);
  }
  ReportOptions options = report_;
  options.outcomes.clear();  // they speak of maps, of which there are none here
  std::vector<FileToWrite> files;
  for (const Destination& destination : destinations_) {
    if (folder_.empty() || destination.folder != folder_) continue;
    for (OutputFile& file : destination.format->write(others, options, folder_)) {
      files.push_back({(std::filesystem::path(folder_) / file.name).string(), std::move(file.content)});
    }
  }
  return files;
}

Status CompareOutputs::check_files(const PairRequest& request, const std::vector<std::string>& more_inputs) {
  std::vector<std::string> paths;
  for (const FileToWrite& file : render(empty_result(request))) paths.push_back(file.path);
  std::vector<std::string> inputs{request.reference, request.quantized, request.data.path,
                                  request.labels,    request.map,       request.sequence.state};
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  VISQ_TRY(check_distinct(paths, inputs));
  if (!folder_.empty()) VISQ_TRY(made_.prepare(folder_));
  for (const std::string& path : paths) VISQ_TRY(check_writable(path));
  return {};
}

Status CompareOutputs::write(const CompareResult& result, const std::vector<ConditionOutcome>& outcomes, const Console& console) {
  report_.outcomes = outcomes;
  const auto files = render(result);
  VISQ_TRY(write_files(files));
  auto leftovers = files_of_other_metrics(result);
  std::erase_if(leftovers, [&](const FileToWrite& left) {
    return std::any_of(files.begin(), files.end(), [&](const FileToWrite& file) { return file.path == left.path; });
  });
  remove_leftovers(leftovers);
  made_.keep(console);
  for (const FileToWrite& file : files) console.log("wrote " + file.path);
  if (json_ == "-" || !is_terminal(STDOUT_FILENO)) warn_of(result, console);  // on a terminal, the summary says it
  if (json_ == "-") return write_stdout(result_json(result));
  SummaryOptions options = summary_options();
  options.sort = sort_;
  options.folder = folder_;
  options.next = !console.quiet();
  options.data_options = data_options_;
  options.more_options = more_options_;
  options.own_options = own_options_;
  return write_stdout(summary(result, options));
}

}  // namespace visq::tool
