// Accuracy of a classifier and of its quantized twin, from labels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/run.h"

namespace visq {

/// The modes count as chosen.
struct AccuracyOptions : PairRunRequest {
  std::vector<std::int64_t> labels;  ///< of record i of the data: labels[i]
  std::int64_t label_offset = 0;     ///< the class of label l is element l + label_offset of the output
  std::string output_node;           ///< name of the output to look at (of either model); empty: the reference's first output
  bool any_label = false;            ///< a label that is no class is never right, rather than an error
};

/// Shares of the records whose label is the best class, or one of the five best. Of equally good classes the one with the lower index
/// counts as better; a label whose score is NaN is never right.
struct TopAccuracy {
  double top1 = 0, top5 = 0;
};

struct Accuracy {
  std::string output;   ///< name in the reference
  std::string program;  ///< --eval: what said so; its numbers stand in top1, and there is neither output nor top5 nor classes
  std::int64_t records = 0, classes = 0;
  TopAccuracy reference, quantized;
  std::vector<std::int64_t> best;  ///< the reference's best class of every record, in order; empty with a program

  /// quantized / reference of top-1; NaN where the reference is never right.
  double ratio() const { return quantized.top1 / reference.top1; }
  /// reference - quantized of top-1, in percentage points. Numbers of a program count as shares, or as points where one exceeds 1.
  double drop() const;
};

/// Runs both models over the records. Errors: kUsage where no output bears that name, or labels do not reach; kBadInput where the output
/// is no row of class scores, or a label is no class.
Result<Accuracy> accuracy(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                          const AccuracyOptions& options);

/// Runs both models over the records and hands their graph outputs to the sinks, records in order. Labels and output_node of the options
/// do not matter. Returns the number of records: fewer where it was stopped. Errors: kUnsupported where an output was not computed.
Result<std::int64_t> send_outputs(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                                  const AccuracyOptions& options, MapSink& reference_sink, MapSink& quantized_sink);

/// Place of class `label` among the scores, best first: 0 is the best.
std::int64_t rank_of(std::span<const float> scores, std::int64_t label);

}  // namespace visq
