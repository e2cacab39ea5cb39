// Scores of one model's outputs by boxes or masks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/data/truth.h"
#include "visq/model.h"
#include "visq/run.h"
#include "visq/scores/score.h"

namespace visq {

/// What is right of every record: one of the two.
struct TaskLabels {
  std::shared_ptr<const BoxTruth> boxes;
  std::shared_ptr<RecordSource> masks;  ///< see open_masks()
  /// Of record i: its picture among the boxes', or its mask; -1: it has none. See places_by_name().
  std::vector<std::int64_t> places;
  /// The class of label l is l + offset. Of boxes nothing: classes count the categories, by rising id, from 0.
  std::optional<std::int64_t> offset;
  /// Of boxes BOXES, CLASSES, SCORES and COUNT (which may be left out), of masks the map of classes; empty: what a model's
  /// TFLite_Detection_PostProcess gives, the first output.
  std::vector<std::string> outputs;

  Score score() const { return boxes != nullptr ? Score::kMap : Score::kMiou; }
  bool given() const { return boxes != nullptr || masks != nullptr; }
};

/// Takes the outputs of a model, records in ascending order, and scores them. Boxes are [1, n, 4]: top, left, bottom and right edge in
/// parts of the picture's height and width.
class TaskScorer : public MapSink {
 public:
  /// After the last record. Errors: kBadInput where a record's outputs are no such thing, has no labels, or a label is no class.
  virtual Result<ModelScore> finish() = 0;
  virtual std::int64_t classes() const = 0;
  virtual std::string output() const = 0;  ///< name of the output with the boxes or the classes
};

/// `reference`: of a pair, or the model itself; in it outputs may be named, too. Both, and the labels, must outlive the scorer.
/// Errors: kUsage where an output is not called so; kBadInput where the model has no outputs with boxes.
Result<std::unique_ptr<TaskScorer>> task_scorer(const TaskLabels& labels, const Model& model, const Model& reference);

}  // namespace visq
