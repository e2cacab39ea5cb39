// compare: how far is each feature map of one model off the other's?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "visq/accuracy.h"
#include "visq/device/device_report.h"
#include "visq/dump.h"
#include "visq/dumps/map_names.h"
#include "visq/graph.h"
#include "visq/identity.h"
#include "visq/metrics.h"
#include "visq/model.h"
#include "visq/pairing.h"
#include "visq/post_process.h"
#include "visq/request.h"
#include "visq/run_watch.h"
#include "visq/tokens.h"

namespace visq {

struct CompareOptions : PairRunRequest, NodeSelection {
  std::vector<Metric> metrics;  ///< empty: all
  bool per_channel = false, per_record = false;
  PostProcess post = PostProcess::kNone;  ///< what the models' outputs go through before they are compared
  bool origin = false;   ///< also the three errors of every map (ErrorOrigin), in two further passes; not with integer execution
  double max_scale = 0;  ///< anomaly limit for scales; 0: none
  std::shared_ptr<const TokenTask> tokens;  ///< what to say about logits; null: nothing. Ranks of a job do not share the records then
  RunWatch watch;
};

/// Statistics of one side's feature map over all records.
struct MapStatistics {
  double min = 0, max = 0, mean = 0, rms = 0;
  std::int64_t elements = 0;    ///< per record, of the last record
  std::int64_t non_finite = 0;  ///< NaN and infinite elements over all records
  std::int64_t first_non_finite_record = -1, first_non_finite_element = -1;
};

/// Identity of a feature map in one model.
struct MapIdentity {
  int subgraph = 0;
  int node = -1;             ///< operator index, -1 for a graph input
  int output = 0;            ///< which output of the operator (which graph input)
  int tensor = 0;            ///< tensor index
  std::string name;          ///< tensor name; duplicate or empty names carry "#index"
  std::string display = {};  ///< short and unique, for people, see display_names(); empty for maps of dumps: their name
  std::string alias = {};    ///< what the model's signature calls it; empty: nothing
  std::string op;            ///< operator type, "INPUT" for graph inputs
  DType dtype = DType::kFloat32;
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;
  int quantized_dimension = 0;
};

/// Accumulated, created and inherited error of a map, see ErrorOrigin.
struct ThreeErrors {
  double accumulated = 0, created = 0, inherited = 0;
};

/// Where a map's error comes from. Each error is the root of the mean square of a difference over all elements of all records, in the
/// map's own units; NaN where an element that enters it is not finite. With f the reference's map:
///   accumulated  q - f, q of the quantized graph run on its own: what the metrics measure;
///   created      y - f, y what the quantized operators make of the reference's maps (those between this map and the nearest maps before
///                it that have a partner), with their quantized weights and their output rounded;
///   inherited    i - f, i what the reference's operators make of the quantized graph's maps. 0 for graph inputs.
/// Created is made of, u being y before any rounding but that of weights, v with maps that have no partner rounded too (QUANTIZE):
///   weight_rounding u - f;   inner_rounding v - u;   output_rounding, output_clipping y - v of the elements with v inside and outside
///   the representable range, over the number of all elements.
struct ErrorOrigin {
  std::string not_computed;  ///< why there are no numbers; with " (in some records)": they are those of the others
  ThreeErrors errors;
  std::optional<ThreeErrors> in_roundings;  ///< in units of scale/√12, so that 1 is pure rounding; nothing where there is no scale
  double weight_rounding = 0, inner_rounding = 0, output_rounding = 0, output_clipping = 0;
  double interaction = 0;      ///< accumulated² - created² - inherited²
  double noise_to_signal = 0;  ///< accumulated / RMS of f; NaN where f is 0 and accumulated is not
  std::vector<int> inputs;     ///< indices into CompareResult::maps: what the reference's operators read
  double output_share = 0;     ///< estimated share of the model outputs' squared error that is created here, 0 … 1 (see estimate below)
  std::optional<double> measured_share;  ///< the outputs' squared error where this map and its operator's weights alone are quantized, over
                                         ///< that where everything is (see measure_shares()); errors that cancel make it exceed 1
};
// The estimate follows the error back from the model's outputs, which count alike. Of what arrives at a map, the part by which accumulated²
// exceeds inherited² stays there (nothing where it does not): what the map adds to the error that came in. That is less than created² where
// both are the same error, as behind a RESHAPE on its input's grid. The rest goes on to the map's inputs in proportion to their squared
// noise-to-signal ratios.

/// One paired feature map and its errors.
struct MapComparison {
  MapIdentity reference, quantized;
  PairedBy paired_by = PairedBy::kName;
  std::optional<double> weight_likeness;  ///< cosine of both layers' weights after dequantization, where they have some to compare
  std::optional<double> map_correlation;  ///< where the values of a record were asked: see judge_pairs()
  Shape shape;                            ///< of the reference map in the last record
  bool integer = false;                   ///< indices, masks: compared as share of differing elements only
  double differing_share = 0;             ///< integer maps: differing elements / elements over all records
  std::string not_compared;               ///< why not, e.g. shapes differ; empty if compared
  std::vector<MetricValue> metrics;       ///< parallel to CompareResult::metrics
  MapStatistics reference_statistics, quantized_statistics;
  bool reference_repeats = false;                     ///< the reference's map is the same in every record, and there are several
  double saturated_share = 0;                         ///< elements more than half a step beyond the range before clamping
  std::string verdict;                                ///< "rounding only", "more than rounding", "clipping"; "constant" where one
                                                      ///< side has the same value everywhere; "no signal left" where rounding alone
                                                      ///< leaves an SQNR of 0 dB or less; empty where no scale; with an origin also
                                                      ///< "inherited", "amplified", "absorbed"
  std::optional<ErrorOrigin> origin;                  ///< on demand
  std::vector<std::vector<MetricValue>> per_record;   ///< [record][metric] on demand
  std::vector<std::vector<MetricValue>> per_channel;  ///< [channel][metric] on demand
};

/// A tensor that stayed without partner.
struct Unpaired {
  bool in_reference = false;
  MapIdentity map;
  std::string reason;  ///< "QUANTIZE inserted", "fused into conv1/Relu" …
};

/// Runs of a loop's body (or of another called subgraph) that the other model had no run for.
struct SurplusRuns {
  bool in_reference = false;
  int subgraph = 0;
  std::int64_t runs = 0;  ///< over all records
};

/// Two maps that may belong together, but whose values do not agree: neither is compared with anything.
struct DoubtfulPair {
  MapIdentity reference, quantized;
  double correlation = 0;  ///< in one record, see judge_pairs()
};

struct MatchReport {
  int by_name = 0, by_structure = 0, by_weights = 0, by_maps = 0, by_user = 0;
  std::vector<DoubtfulPair> doubtful;
  std::vector<SurplusRuns> surplus;
  std::vector<Unpaired> unpaired;
  std::vector<std::string> warnings;  ///< e.g. that the weights have nothing in common
};

/// Something odd about a map that has nothing to do with one metric.
struct Anomaly {
  MapIdentity map;
  std::string kind;  ///< "non-finite", "range too large", "scale too large", "constant", "saturated"
  double value = 0, limit = 0;
  std::int64_t record = -1;
};

/// An operator that is not runnable, or whose inputs depend on one.
struct NotComputed {
  std::string model;  ///< path
  MapIdentity map;
  std::string reason;
};

/// What merge() needs of a run over a part of the records: what decided which maps were compared and how, and every record's sums.
struct RecordSums : NodeSelection {
  bool modes_given = false, per_channel = false, origin = false;
  double max_scale = 0;
  std::vector<std::string> records;  ///< bytes, see analysis/record_codec.h
  std::vector<PairRule> pairs;       ///< RunRequest::pairs
};

/// The worst output's SQNR in dB over one record, by fake quantization and by what kernels compute.
struct ModeGap {
  std::int64_t record = 0;
  double fake_quant = 0, integer = 0;  ///< infinite: no error
};

struct CompareResult : PairIdentity {
  std::vector<Metric> metrics;
  std::vector<MapComparison> maps;       ///< in the reference's graph order: subgraph, graph inputs, operators
  std::vector<int> outputs;              ///< indices into maps: the reference's graph outputs
  std::vector<MapComparison> processed;  ///< with `post`: the outputs after it, parallel to `outputs`; in `maps` they are as computed
  Graph graph;                           ///< graph_of(reference), for pictures
  Graph quantized_graph;                 ///< graph_of(the quantized model), for pictures of both; empty: not known
  MatchReport match;
  std::optional<Accuracy> accuracy;    ///< where there are labels
  Score judged_by = Score::kUsual;     ///< what a verdict is to rest on; set by whoever asks
  std::optional<DeviceReport> device;  ///< where the quantized side is a device's dump
  std::optional<TokenScores> tokens;   ///< where there was a TokenTask with an output; merge() drops it
  std::int64_t share_records = 0;      ///< that measured shares are of; 0: there are none
  std::optional<ModeGap> mode_gap;     ///< where measure_mode_gap() found one to measure
  std::vector<Anomaly> anomalies;
  std::vector<NotComputed> not_computed;
  std::optional<RecordSums> sums;  ///< with options.per_record
};

/// The comparison of output `i` of result.outputs that counts: after post-processing, where there is one.
const MapComparison& compared_output(const CompareResult& result, std::size_t i);

/// The map of the tensor of that name: of the reference or, where that has none, of the quantized model. Where subgraphs share a name, the
/// first; null where neither model has it, or it has no partner.
const MapComparison* find_map(const CompareResult& result, std::string_view tensor);

/// A metric of a map of this result by its key, "sqnr" (see metric_named()). Null where it was not asked for, or the map not compared.
const MetricValue* find_metric(const CompareResult& result, const MapComparison& map, std::string_view metric);

/// Runs both models in lockstep over the records and compares every paired feature map.
/// Errors: kBadInput where models, data and options do not fit together; what cannot be computed is listed in the result.
Result<CompareResult> compare(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const CompareOptions& options);

/// Measures what a comparison with `origin` could only estimate: for the ten maps with the largest share in the first record and the ten
/// with the largest estimate, runs of the float model with this map alone quantized, over 64 of the records at most, spread evenly. Outputs
/// count alike. Does nothing where there is nothing to measure: other modes than fp32 and fake-quant, models that keep state.
using ShareRequest = TrialRequest;
Status measure_shares(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                      const ShareRequest& request, CompareResult& result);

/// Measures, on the first record, what a comparison by fake quantization leaves out where kernels round what they read in the run (dynamic
/// range). Does nothing where the user chose the mode, no kernel does so, or the comparison is of a part of the records.
void measure_mode_gap(const std::shared_ptr<const Model>& reference, const std::shared_ptr<const Model>& quantized, RecordSource& data,
                      const CompareOptions& options, CompareResult& result);

/// Compares two feature-map dumps, tensors by name, or by index where both are of the same model; records by their index in the data. What
/// a dump does not say stays open: no operator types, no graph, no outputs. `reference_path` and `quantized_path` name them in messages.
/// Of the options, records, sequence, modes and threads do not matter. `names`: maps of the quantized dump and of the reference that belong
/// together whatever they are called. Errors: kBadInput where they have no record or no tensor in common; kUsage where names are not there.
Result<CompareResult> compare_dumps(DumpReader& reference, const std::string& reference_path, DumpReader& quantized,
                                    const std::string& quantized_path, const CompareOptions& options, const NamedMaps& names = {});

}  // namespace visq
