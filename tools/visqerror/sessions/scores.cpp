#include "visqerror/sessions/scores.h"

#include <fmt/core.h>

#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/ranks.h"
#include "visqerror/outputs/staged_folder.h"
#include "visqerror/sessions/eval_program.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {

std::string score_words(const ScoreArguments& arguments, const std::function<std::string(const std::string&)>& word) {
  const std::pair<std::string_view, const std::string&> given[] = {
      {"--labels", arguments.labels}, {"--label-offset", arguments.label_offset}, {"--eval", arguments.eval}};
  std::string words;
  for (const auto& [option, value] : given) {
    if (!value.empty()) words += fmt::format(" {} {}", option, word(value));
  }
  return words;
}

void add_accuracy_options(Options& options, ScoreArguments& arguments) {
  const std::string group = "Accuracy";
  options
      .value("--labels", arguments.labels, "FILE",
             "class of every record (.npy, .csv, or FILE.h5[:DATASET]): top-1 and top-5 of both models, in one more pass")
      .group(group);
  options.value("--label-offset", arguments.label_offset, "N", "class of label 0; default: 0").group(group);
  options.value("--output-node", arguments.output_node, "NAME", "the output that holds the classes; default: the first").group(group);
  options
      .value("--eval", arguments.eval, "CMD",
             "a program that gets a file of one model's outputs (as run writes them) as its last argument and prints one number: a share, "
             "or where one of the two exceeds 1, points")
      .group(group);
}

Result<Labels> read_labels(const ScoreArguments& arguments, const DataOptions& data) {
  Labels labels;
  if (!arguments.labels.empty() && !arguments.eval.empty()) return usage_error("--labels and --eval: one measure of accuracy at a time");
  if (!arguments.eval.empty() && ranks().several()) return usage_error("--eval: does not go with several ranks");
  if (arguments.labels.empty()) {
    if (!arguments.label_offset.empty() || !arguments.output_node.empty())
      return usage_error("--label-offset and --output-node need --labels");
    return labels;
  }
  if (data.records.starts_with("worst")) return usage_error("--labels: do not go with --records worst");
  constexpr std::int64_t kFarthest = 1'000'000;
  if (!arguments.label_offset.empty()) {
    VISQ_ASSIGN(labels.offset, parse_integer("--label-offset", arguments.label_offset, -kFarthest, kFarthest));
  }
  VISQ_ASSIGN(labels.values, load_labels(arguments.labels));
  return labels;
}

Result<std::optional<Accuracy>> judge_pair(const std::string& program, const SharedModel& reference, const SharedModel& quantized,
                                           RecordSource& data, const AccuracyOptions& options) {
  VISQ_ASSIGN(const StagedFolder folder, StagedFolder::create(std::filesystem::temp_directory_path().string()));
  const std::string paths[] = {folder / "reference.h5", folder / "quantized.h5"};
  VISQ_ASSIGN(const auto reference_file, DumpWriter::create(paths[0], reference->path, options.reference_mode));
  VISQ_ASSIGN(const auto quantized_file, DumpWriter::create(paths[1], quantized->path, options.quantized_mode));
  Accuracy result;
  result.program = program;
  VISQ_ASSIGN(result.records, send_outputs(reference, quantized, data, options, *reference_file, *quantized_file));
  VISQ_TRY(reference_file->commit());
  VISQ_TRY(quantized_file->commit());
  if (interrupted()) return std::optional<Accuracy>();
  const auto reference_number = run_eval_program(program, paths[0]);
  const auto quantized_number = reference_number.ok() ? run_eval_program(program, paths[1]) : reference_number;
  if (interrupted()) return std::optional<Accuracy>();  // the program was, too
  if (!quantized_number.ok()) return quantized_number.error();
  result.reference.top1 = *reference_number;
  result.quantized.top1 = *quantized_number;
  return std::optional(result);
}

Result<std::optional<Accuracy>> measure_accuracy(const ScoreArguments& arguments, const Labels& labels, const SharedModel& reference,
                                                 const SharedModel& quantized, RecordSource& data, const PairRunRequest& request) {
  AccuracyOptions options;
  static_cast<PairRunRequest&>(options) = request;
  options.labels = labels.values;
  options.label_offset = labels.offset;
  options.output_node = arguments.output_node;
  if (!arguments.eval.empty()) return judge_pair(arguments.eval, reference, quantized, data, options);
  VISQ_ASSIGN(Accuracy measured, accuracy(reference, quantized, data, options));
  return std::optional(std::move(measured));
}

Scoring scoring_of(const ScoreArguments& arguments, const Labels& labels, const SharedModel& reference, const SharedModel& quantized,
                   RecordSource& data, RecordRange records, std::int64_t sequence_length) {
  Scoring scoring;
  scoring.data = &data;
  scoring.records = records;
  if (!arguments.wanted()) return scoring;
  scoring.labels = labels.values;
  scoring.label_offset = labels.offset;
  scoring.output_node = arguments.output_node;
  if (arguments.eval.empty()) return scoring;
  scoring.program = [&arguments, reference, quantized, sequence_length](RecordSource& judged, RecordRange range) {
    AccuracyOptions options;
    options.records = range;
    options.stop = &interrupted();
    options.quantized_mode = default_mode(*quantized);
    options.sequence.length = sequence_length;
    return judge_pair(arguments.eval, reference, quantized, judged, options);
  };
  return scoring;
}

}  // namespace visq::tool
