// Tensors of dumps as the comparison of maps takes them.
#pragma once

#include "analysis/facts/map_identity.h"
#include "kernels/op.h"
#include "visq/compare.h"
#include "visq/dump.h"
#include "visq/run.h"

namespace visq::analysis {

/// A tensor of a dump as a model would declare it. Real values with a scale do not say what type they were rounded to: int32 stands for
/// any, since its range clips nothing.
TensorInfo declaration(const DumpTensor& tensor);

/// What messages call a tensor of a dump: its name, or "#index".
std::string name_of(const DumpTensor& tensor);

MapIdentity identity_of(const DumpTensor& tensor);

/// Refers to both. Lengthens the array: kernels and metrics may read behind the end.
kernels::Tensor tensor_of(Array& array, const TensorInfo& info);

/// As real values: stored ones by this grid, where there is one.
std::vector<double> reals_of(const Array& array, const Quantization& grid);
/// A dump's map as real values.
std::vector<double> reals_of(const Array& array, const DumpTensor& tensor);

/// What a run of the model could not compute of its main graph, for the result's list.
void tell_gaps(const std::vector<NotRun>& gaps, const Model& model, const MapNames& names, CompareResult& result);

}  // namespace visq::analysis
