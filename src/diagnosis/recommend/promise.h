// What may be promised of a set of operators. The search takes the set that comes out best on the roundings of its own records; in a deep
// network, where roundings feed on each other, part of that is chance, which another kernel or compiler does not repeat.
#pragma once

#include "diagnosis/recommend/part_simulation.h"

namespace visq::diagnosis {

/// The same records with every float element moved at random by at most a thousandth of its input's RMS in that record: 65 dB below the
/// signal, less than quantization to 8 bits does. Each seed moves them differently, the same on every platform. `data` must outlive it.
std::unique_ptr<RecordSource> disturbed(RecordSource& data, std::uint64_t seed);

/// The set over the records of `data`, and over a few disturbed copies of them. A steady set is promised as simulated; where the copies'
/// mean is more than half a dB below that, it is the promise, and their spread stands beside it.
Result<Promise> promise_of(analysis::PartialModels& models, const PrecisionForms& forms, RecordSource& data,
                           const RecommendOptions& options, const PrecisionPoint& point);

/// The promise for kernels that round feature maps in each run (dynamic range), which the simulation leaves out: their noise is estimated
/// as what the quantized model itself has beyond its simulation. Both in dB.
Promise with_rounding_in_run(const Promise& promise, double measured, double simulated);

}  // namespace visq::diagnosis
