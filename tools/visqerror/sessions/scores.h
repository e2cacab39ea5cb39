// Accuracy as the user measures it: by labels, or by a program of theirs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "visq/accuracy.h"
#include "visq/diagnose.h"
#include "visqerror/options/options.h"
#include "visqerror/options/shared_options.h"
#include "visqerror/sessions/session.h"

namespace visq::tool {

/// As on the command line.
struct ScoreArguments {
  std::string labels, label_offset, output_node;
  std::string eval;   ///< a program that judges outputs instead
  std::string score;  ///< what the pair is judged by; and what labels are
  bool wanted() const { return !labels.empty() || !eval.empty(); }
};

/// The arguments that were given, as they stand behind another command that recommend and diagnose take them in; a space before each.
/// `word`: how a text stands in a command.
std::string score_words(const ScoreArguments& arguments, const std::function<std::string(const std::string&)>& word);

/// Adds --labels, --label-offset, --output-node, --eval and --score; of the latter a command takes all, or only those by labels.
enum class ScoresTaken { kAll, kByLabels };
void add_accuracy_options(Options& options, ScoreArguments& arguments, ScoresTaken taken = ScoresTaken::kAll);

/// --labels and its companions, read before anything is computed.
struct Labels {
  Score judged_by = Score::kUsual;   ///< --score
  std::vector<std::int64_t> values;  ///< where they are classes
  std::int64_t offset = 0;
  TaskLabels task;  ///< where they are boxes or masks; its places are filled in once there are data
};
Result<Labels> read_labels(const ScoreArguments& arguments, const DataOptions& data, ScoresTaken taken = ScoresTaken::kAll);

/// The boxes or masks of each of the data's records. Errors: kUsage where the last of `records` is beyond them.
Result<TaskLabels> labels_of(const Labels& labels, const RecordSource& data, RecordRange records);

/// What the program says of the outputs of both models. Nothing where it was interrupted.
Result<std::optional<Accuracy>> judge_pair(const std::string& program, const SharedModel& reference, const SharedModel& quantized,
                                           RecordSource& data, const AccuracyOptions& options);

/// What labels, or the program, say of both models; nothing where it was interrupted.
Result<std::optional<Accuracy>> measure_accuracy(const ScoreArguments& arguments, const Labels& labels, const SharedModel& reference,
                                                 const SharedModel& quantized, RecordSource& data, const PairRunRequest& request);

/// What a diagnosis of the pair is judged by: all the data, and accuracy where the arguments, which must outlive it, ask for that.
/// Errors: those of labels_of().
Result<Scoring> scoring_of(const ScoreArguments& arguments, const Labels& labels, const SharedModel& reference,
                           const SharedModel& quantized, RecordSource& data, RecordRange records, std::int64_t sequence_length);

}  // namespace visq::tool
