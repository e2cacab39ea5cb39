// What the two operator tables share of SVDF, a matrix factorized in features and time: every record's features go into the newest of
// `memory` columns of a state per filter, a filter is the state times its time weights, an output the sum of `rank` filters plus a bias.
#pragma once

#include "kernels/recurrent/recurrent.h"

namespace visq::kernels {

struct SvdfShape {
  std::int64_t batch = 0, features = 0, filters = 0, memory = 0, rank = 1, units = 0;
};

inline constexpr int kSvdfInput = 0;
inline constexpr int kSvdfFeatureWeights = 1;  ///< [filters, features]
inline constexpr int kSvdfTimeWeights = 2;     ///< [filters, memory]
inline constexpr int kSvdfBias = 3;            ///< [units]; may be absent
inline constexpr int kSvdfState = 4;           ///< [batch, filters * memory], the newest column last

/// Checks all shapes, the state's type, and declares the output.
Result<SvdfShape> prepare_svdf_shape(PrepareContext& context, DType state, DType output);

/// SVDF on float activations, with weights in float32 or int8 (quantized on the fly).
Result<std::unique_ptr<Kernel>> prepare_float_svdf(PrepareContext& context);

}  // namespace visq::kernels
