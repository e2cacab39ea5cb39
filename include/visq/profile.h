// profile: what are the numbers of every tensor?
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/compare.h"

namespace visq {

struct ProfileOptions : SequenceRequest, NodeSelection {
  std::vector<Mode> modes;  ///< one per model
  bool per_channel = false;
  bool time = false;  ///< also measure every operator, after the statistics, one record at a time on one thread
};

/// Statistics of real values over all records. Extremes are exact, mean and variance streamed without cancellation, quantiles within
/// 1/256 of their own magnitude; none of them depends on the number of threads.
struct ValueStatistics {
  std::int64_t count = 0;       ///< finite values
  std::int64_t non_finite = 0;  ///< NaN and infinities
  double min = 0, max = 0, mean = 0, variance = 0;

  double deviation() const;
};

/// The share of values that lie below a value.
struct Quantile {
  double share = 0, value = 0;
};

/// Values per even part of [low, high]. Parts of the same value (see metrics/value_sketch.h) are shared out, so counts need not be whole.
struct Histogram {
  double low = 0, high = 0;
  std::vector<double> counts;
};

/// A tensor of subgraph 0: a constant, or a feature map over all records.
struct TensorProfile {
  MapIdentity map;
  bool constant = false;
  Shape shape;  ///< of the last record
  ValueStatistics values;
  std::vector<Quantile> quantiles;
  Histogram histogram;
  std::vector<ValueStatistics> channels;  ///< on demand; along channel_axis
  int channel_axis = 0;
};

/// A tensor as an operator meets it.
struct ProfileRow {
  int node = 0;
  std::string op, attribute;  ///< "input", "weight", "bias", "constant", "output"
  std::size_t tensor = 0;     ///< index into ModelProfile::tensors
};

/// How long an operator takes, on this machine, with visqerror's own kernels. Times, multiply-adds and bytes are those of a whole record:
/// of all turns that a loop took. An operator that calls subgraphs is charged with what it does itself, not with what they do.
struct OperatorTime {
  MapIdentity map;  ///< its first output
  int node = 0;
  double median_seconds = 0, min_seconds = 0;
  double turns = 1;                  ///< how often a record ran it, in the mean over the timed runs
  std::optional<std::int64_t> macs;  ///< nothing where the shapes do not tell
  std::int64_t bytes = 0;            ///< inputs, constants and outputs, in their stored types
};

struct ModelProfile {
  ModelIdentity model;
  Mode mode = Mode::kFp32;
  std::vector<TensorProfile> tensors;  ///< graph order: inputs, then per operator its constants and outputs
  std::vector<ProfileRow> rows;        ///< per operator: inputs, weights, bias, other constants, outputs
  std::vector<OperatorTime> times;     ///< on demand: the main graph's operators, then those of called subgraphs that ran
  int timed_runs = 0;                  ///< per operator
  std::vector<NotComputed> not_computed;
};

/// Weights or bias of a layer that both models have.
struct WeightProfile {
  MapIdentity reference, quantized;  ///< of the layer's first output
  std::string attribute;             ///< "weight", "bias"
  std::string reference_name, quantized_name;
  DType reference_dtype = DType::kFloat32, quantized_dtype = DType::kFloat32;
  ValueStatistics reference_values, quantized_values;
  double mse = 0;   ///< mean of (reference - quantized)²
  double sqnr = 0;  ///< in dB; +inf without error
};

struct ProfileResult : RunIdentity {
  std::vector<ModelProfile> models;    ///< one or two
  std::vector<WeightProfile> weights;  ///< of two models
};

/// Profiles one model, or a pair over the same data (`quantized` may be null).
/// Errors: kBadInput where models and data do not fit together; what cannot be computed is listed in the result.
Result<ProfileResult> profile(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, RecordSource& data,
                              const ProfileOptions& options);

}  // namespace visq
