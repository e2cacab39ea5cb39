// One pair of feature maps in one record: everything that results need of it, in a few sums.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/pair_stats.h"
#include "runtime/executor.h"
#include "visq/shape.h"

namespace visq::analysis {

/// What results say of a map of a called subgraph that no record ran.
inline constexpr char kNeverRun[] = "its subgraph was never run";

struct MapRecord {
  metrics::PairStats stats;                  ///< real-valued maps
  std::vector<metrics::PairStats> channels;  ///< on demand, one per channel
  Shape shape;                               ///< of the reference map
  bool integer = false;                      ///< indices, masks, strings: only `differing` counts
  std::int64_t differing = 0;
  std::int64_t saturated = 0;     ///< elements that lay beyond the quantized range before clamping
  std::uint64_t fingerprint = 0;  ///< outputs of models: of the reference's bits, which tells records apart where sums do not
  std::string not_compared;       ///< why not; empty where compared
};

/// Memory that one thread reuses for maps that are not float32.
struct MapScratch {
  std::vector<float> reference, quantized, channel_reference, channel_quantized;
};

/// What is measured of a map beside its sums.
struct MapDetail {
  bool per_channel = false;
  bool output = false;  ///< of the models: the divergence of distributions along the last axis, and a fingerprint
};

/// Compares two maps of the same values. `saturated`: elements of `q` that lay beyond its range before clamping.
MapRecord compare_tensors(const kernels::Tensor& f, const kernels::Tensor& q, std::int64_t saturated, MapDetail detail,
                          MapScratch& scratch);

/// Adds what MapDetail::output asks for to the sums of two maps that have been compared; nothing where they have no real values.
void measure_output(const kernels::Tensor& f, const kernels::Tensor& q, MapScratch& scratch, MapRecord& record);

/// Compares tensor `reference_tensor` of one executor with `quantized_tensor` of the other, both at their current step.
MapRecord compare_maps(const runtime::Executor& reference, int reference_tensor, const runtime::Executor& quantized, int quantized_tensor,
                       MapDetail detail, MapScratch& scratch);

}  // namespace visq::analysis
