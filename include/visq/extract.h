// extract: give me just this node. The smallest parts of two models that answer the same question, with what they are fed with in the run
// of the whole models: a reproducer for a report about one operator.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/compare.h"
#include "visq/model_part.h"

namespace visq {

/// Records run in order on one thread: threads do not matter.
struct ExtractOptions : PairRunRequest {
  std::string node;  ///< name of a feature map of either model, or a glob that fits one node only
  /// Of a node in a called subgraph: which run in each record (of a loop's body: which turn), from 0; none: the last.
  std::optional<std::int64_t> run;
};

/// One model's part. Where the quantized model fuses what are several operators of the reference, the parts hold all of them.
struct ExtractedPart {
  ModelIdentity model;  ///< the whole model
  Mode mode = Mode::kFp32;
  std::vector<MapIdentity> operators;        ///< each by its first output
  std::vector<MapIdentity> inputs, outputs;  ///< in the part's order; input i of both parts belong together, outputs likewise
  std::string file;                          ///< the bytes of the part's model file
  /// What flowed through the whole model, one entry per record: the part's inputs, in the layout of test data, and its outputs.
  std::vector<Record> fed;
  std::vector<std::vector<Array>> given;
};

/// Where it was interrupted, `fed` and `given` hold fewer records.
struct ExtractResult : RunIdentity {
  std::string node;     ///< the pair of maps that was extracted, by its name in the reference
  std::string display;  ///< the same, short, for people (see display_names)
  std::string remark;   ///< why it is not the map that was asked for, or in which run of a called subgraph it was; empty: none of these
  ExtractedPart reference, quantized;
};

/// Finds the node, runs both whole models over the records and keeps what goes into and comes out of their parts.
/// Errors: kUsage where the name fits no node or several, kBadInput where the node cannot stand alone (a graph input, an input that no data
/// can hold; its subgraph is not run as often in a record), kUnsupported where it was not computed.
Result<ExtractResult> extract(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const ExtractOptions& options);

/// What a part computes by itself.
struct ReplayResult {
  std::vector<std::vector<Array>> fed, given;  ///< per record: the graph inputs as its operators saw them, and its outputs
};

/// Runs a part over data and hands its outputs to the sink.
Result<ReplayResult> replay(std::shared_ptr<const Model> part, RecordSource& data, Mode mode, MapSink& sink);

}  // namespace visq
