#include "visqerror/sessions/scores.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "core/ranks.h"
#include "model/printable.h"
#include "visqerror/outputs/staged_folder.h"
#include "visqerror/sessions/eval_program.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {

namespace {

/// "sqnr, cosine, psnr, top1, map, miou"
std::string score_keys(ScoresTaken taken) {
  std::vector<std::string_view> keys;
  for (const ScoreInfo& score : all_scores()) {
    if (taken == ScoresTaken::kAll || score.by_labels) keys.push_back(score.key);
  }
  return joined(keys, ", ");
}

Result<Score> parse_score(const ScoreArguments& arguments, ScoresTaken taken) {
  if (arguments.score.empty()) return Score::kUsual;
  const Score score = score_named(arguments.score);
  const bool known = score != Score::kUsual && (taken == ScoresTaken::kAll || score_info(score).by_labels);
  if (!known) return usage_error("--score: '{}' is not one of {}", arguments.score, score_keys(taken));
  if (score_info(score).by_labels && arguments.labels.empty()) return usage_error("--score {}: needs --labels", arguments.score);
  return score;
}

/// What labels are: as --score says, else by what is there.
Score kind_of_labels(const std::string& path, Score asked) {
  if (asked != Score::kUsual && score_info(asked).by_labels) return asked;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return Score::kMiou;
  return holds_boxes(path) ? Score::kMap : Score::kTop1;
}

/// Boxes and masks are those of whole pictures.
Status check_pictures(const DataOptions& data) {
  VISQ_ASSIGN(const Preparation preparation, data.pictures.parse());
  if (preparation.resize != Preparation::Resize::kMiddle) return {};
  return usage_error(
      "--labels: boxes and masks are those of whole pictures, of which this takes the middle; --resize input stretches them");
}

std::vector<std::string> words_between_commas(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Status read_task(const ScoreArguments& arguments, const DataOptions& data, Score kind, Labels& labels) {
  VISQ_TRY(check_pictures(data));
  if (kind == Score::kMap) {
    VISQ_ASSIGN(BoxTruth boxes, load_boxes(arguments.labels));
    labels.task.boxes = std::make_shared<const BoxTruth>(std::move(boxes));
    labels.task.outputs = words_between_commas(arguments.output_node);
  } else {
    VISQ_ASSIGN(auto masks, open_masks(arguments.labels));
    labels.task.masks = std::move(masks);
    if (!arguments.output_node.empty()) labels.task.outputs = {arguments.output_node};
  }
  if (!arguments.label_offset.empty()) labels.task.offset = labels.offset;
  return {};
}

}  // namespace

std::string score_words(const ScoreArguments& arguments, const std::function<std::string(const std::string&)>& word) {
  const std::pair<std::string_view, const std::string&> given[] = {{"--labels", arguments.labels},
                                                                   {"--label-offset", arguments.label_offset},
                                                                   {"--output-node", arguments.output_node},
                                                                   {"--eval", arguments.eval}};
  std::string words;
  for (const auto& [option, value] : given) {
    if (!value.empty()) words += fmt::format(" {} {}", option, word(value));
  }
  const bool by_labels = !arguments.score.empty() && score_info(score_named(arguments.score)).by_labels;
  return by_labels ? words + " --score " + arguments.score : words;
}

void add_accuracy_options(Options& options, ScoreArguments& arguments, ScoresTaken taken) {
  const std::string group = "Accuracy";
  options
      .value(
          "--labels", arguments.labels, "FILE",
          "what is right: the class of every record (.npy, .npz, .csv, or FILE.h5[:DATASET]), boxes (COCO's JSON), or masks (a folder of "
          ".png; arrays with --score miou); both models are scored, in one more pass")
      .group(group);
  options
      .value("--label-offset", arguments.label_offset, "N",
             "class of label 0; default: 0, and for boxes the place of a category among their ids")
      .group(group);
  options
      .value("--output-node", arguments.output_node, "NAME",
             "the output that holds the classes; default: the first; for boxes BOXES,CLASSES,SCORES,COUNT, default: those of "
             "TFLite_Detection_PostProcess")
      .group(group);
  options
      .value("--eval", arguments.eval, "CMD",
             "a program that gets a file of one model's outputs (as run writes them) as its last argument and prints one number: a share, "
             "or where one of the two exceeds 1, points")
      .group(group);
  const std::string_view meaning = taken == ScoresTaken::kAll ? "what the verdict rests on; by default what labels are, else sqnr; KIND: "
                                                              : "what labels are, where the file does not tell; KIND: ";
  options.value("--score", arguments.score, "KIND", std::string(meaning) + score_keys(taken)).group(group);
}

Result<Labels> read_labels(const ScoreArguments& arguments, const DataOptions& data, ScoresTaken taken) {
  Labels labels;
  if (!arguments.labels.empty() && !arguments.eval.empty()) return usage_error("--labels and --eval: one measure of accuracy at a time");
  if (!arguments.eval.empty() && ranks().several()) return usage_error("--eval: does not go with several ranks");
  VISQ_ASSIGN(labels.judged_by, parse_score(arguments, taken));
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
  const Score kind = kind_of_labels(arguments.labels, labels.judged_by);
  if (kind != Score::kTop1) {
    VISQ_TRY(read_task(arguments, data, kind, labels));
    return labels;
  }
  VISQ_ASSIGN(labels.values, load_labels(arguments.labels));
  return labels;
}

Result<TaskLabels> labels_of(const Labels& labels, const RecordSource& data, RecordRange records) {
  TaskLabels task = labels.task;
  std::vector<std::string> names;
  if (task.boxes != nullptr) {
    for (const TruePicture& picture : task.boxes->pictures) names.push_back(picture.file);
  } else {
    for (std::int64_t i = 0; i < task.masks->count(); ++i) names.push_back(task.masks->record_name(i));
  }
  task.places = places_by_name(data, names, task.boxes != nullptr);
  for (std::int64_t record = records.first; record < records.last; ++record) {
    if (task.places[as_size(record)] >= 0) continue;
    const std::string path = task.boxes != nullptr ? task.boxes->path : task.masks->description();
    const std::string name = data.record_name(record);
    return bad_input("{}: holds nothing for record {}{} of {}; it has {} of {}", path, record,
                     name.empty() ? "" : fmt::format(" '{}'", printable(name)), data.description(),
                     task.boxes != nullptr ? "pictures" : "masks", names.size());
  }
  return task;
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
  result.reference.main = *reference_number;
  result.quantized.main = *quantized_number;
  return std::optional(result);
}

Result<std::optional<Accuracy>> measure_accuracy(const ScoreArguments& arguments, const Labels& labels, const SharedModel& reference,
                                                 const SharedModel& quantized, RecordSource& data, const PairRunRequest& request) {
  if (labels.task.given()) {
    VISQ_ASSIGN(const TaskLabels task, labels_of(labels, data, request.records));
    VISQ_ASSIGN(Accuracy measured, task_accuracy(reference, quantized, data, request, task));
    return interrupted() ? std::optional<Accuracy>() : std::optional(std::move(measured));
  }
  AccuracyOptions options;
  static_cast<PairRunRequest&>(options) = request;
  options.labels = labels.values;
  options.label_offset = labels.offset;
  options.output_node = arguments.output_node;
  if (!arguments.eval.empty()) return judge_pair(arguments.eval, reference, quantized, data, options);
  VISQ_ASSIGN(Accuracy measured, accuracy(reference, quantized, data, options));
  return std::optional(std::move(measured));
}

namespace {

/// A request for a part of the data that a diagnosis judges, in the usual modes.
AccuracyOptions request_of(RecordRange records, const Model& quantized, std::int64_t sequence_length) {
  AccuracyOptions options;
  options.records = records;
  options.stop = &interrupted();
  options.quantized_mode = default_mode(quantized);
  options.sequence.length = sequence_length;
  return options;
}

/// The labels of data whose record 0 is record `skipped` of those that they are of.
TaskLabels labels_after(TaskLabels labels, std::int64_t skipped) {
  labels.places.erase(labels.places.begin(), labels.places.begin() + skipped);
  return labels;
}

}  // namespace

Result<Scoring> scoring_of(const ScoreArguments& arguments, const Labels& labels, const SharedModel& reference,
                           const SharedModel& quantized, RecordSource& data, RecordRange records, std::int64_t sequence_length) {
  Scoring scoring;
  scoring.data = &data;
  scoring.records = records;
  if (!arguments.wanted()) return scoring;
  if (labels.task.given()) {
    VISQ_ASSIGN(TaskLabels task, labels_of(labels, data, records));
    scoring.program = [task = std::move(task), reference, quantized, sequence_length](
                          RecordSource& judged, RecordRange range, std::int64_t first) -> Result<std::optional<Accuracy>> {
      const TaskLabels own = labels_after(task, first - range.first);
      VISQ_ASSIGN(Accuracy measured, task_accuracy(reference, quantized, judged, request_of(range, *quantized, sequence_length), own));
      return interrupted() ? std::optional<Accuracy>() : std::optional(std::move(measured));
    };
    return scoring;
  }
  scoring.labels = labels.values;
  scoring.label_offset = labels.offset;
  scoring.output_node = arguments.output_node;
  if (arguments.eval.empty()) return scoring;
  scoring.program = [&arguments, reference, quantized, sequence_length](RecordSource& judged, RecordRange range, std::int64_t) {
    return judge_pair(arguments.eval, reference, quantized, judged, request_of(range, *quantized, sequence_length));
  };
  return scoring;
}

}  // namespace visq::tool
