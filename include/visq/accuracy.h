// Accuracy of a model and of its quantized twin, from labels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/run.h"
#include "visq/scores/score.h"
#include "visq/scores/task_labels.h"

namespace visq {

/// The modes count as chosen.
struct AccuracyOptions : PairRunRequest {
  std::vector<std::int64_t> labels;  ///< of record i of the data: labels[i]
  std::int64_t label_offset = 0;     ///< the class of label l is element l + label_offset of the output
  std::string output_node;           ///< name of the output to look at (of either model); empty: the reference's first output
  bool any_label = false;            ///< a label that is no class is never right, rather than an error
};

/// By classes: the shares of the records whose label is the best class, or one of the five best. Of equally good classes the one with the
/// lower index counts as better; a label whose score is NaN is never right.
struct Accuracy {
  Score score = Score::kTop1;  ///< one by labels; of no meaning with a program
  std::string output;          ///< name in the reference
  std::string program;  ///< --eval: what said so; its numbers are the main ones, and there is neither output nor second number nor classes
  std::int64_t records = 0, classes = 0;
  ModelScore reference, quantized;
  std::vector<std::int64_t> best;  ///< by classes: the reference's best class of every record, in order

  /// Whether one class per record was the measure.
  bool by_class() const { return program.empty() && score == Score::kTop1; }

  /// quantized / reference of the main number; NaN where the reference is never right.
  double ratio() const { return quantized.main / reference.main; }
  /// reference - quantized of the main number, in percentage points. Numbers of a program count as shares, or as points where one
  /// exceeds 1.
  double drop() const;
};

/// Runs both models over the records. Errors: kUsage where no output bears that name, or labels do not reach; kBadInput where the output
/// is no row of class scores, or a label is no class.
Result<Accuracy> accuracy(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                          const AccuracyOptions& options);

/// By boxes or masks. `request`: as for accuracy(). Errors: those of task_scorer() and its finish().
Result<Accuracy> task_accuracy(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                               const PairRunRequest& request, const TaskLabels& labels);

/// Runs both models over the records and hands their graph outputs to the sinks, records in order. Labels and output_node of the options
/// do not matter. Returns the number of records: fewer where it was stopped. Errors: kUnsupported where an output was not computed.
Result<std::int64_t> send_outputs(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                  const AccuracyOptions& options, MapSink& reference_sink, MapSink& quantized_sink);

/// Place of class `label` among the scores, best first: 0 is the best.
std::int64_t rank_of(std::span<const float> scores, std::int64_t label);

}  // namespace visq
