// --post: outputs as they are compared.
#pragma once

#include <vector>

#include "analysis/records/map_record.h"
#include "visq/post_process.h"

namespace visq::analysis {

/// A real-valued output after post-processing. The tensor refers to this object's memory.
class ProcessedOutput {
 public:
  /// The output as it is compared: `output` itself for kNone and for what is not real-valued. Rows are those of the last axis; a scalar is
  /// a row of one. softmax and sigmoid compute in float64; argmax takes the first of equal elements, passes NaN over, and gives -1 for a
  /// row of nothing else.
  const kernels::Tensor& apply(PostProcess post, const kernels::Tensor& output);

 private:
  std::vector<float> values_, scratch_;
  std::vector<std::int64_t> indices_;
  TensorInfo info_;
  kernels::Tensor tensor_;
};

/// Memory that one thread reuses.
struct PostScratch {
  ProcessedOutput reference, quantized;
  MapScratch maps;
};

/// As compare_maps, of the outputs after post-processing. Nothing is saturated in them, and no channel is looked at.
MapRecord compare_processed(PostProcess post, const runtime::Executor& reference, int reference_tensor, const runtime::Executor& quantized,
                            int quantized_tensor, PostScratch& scratch);

}  // namespace visq::analysis
