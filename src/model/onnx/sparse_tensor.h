// Sparse constants of ONNX models: values and where they stand.
#pragma once

#include <string>

#include "model/onnx/tensor_proto.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// The name that a SparseTensorProto has: that of its values.
std::string sparse_name(Bytes message);

/// Fills a constant but for its name. It stays sparse, as those of TFLite do, and takes no more memory than the file warrants, until an
/// operator needs it. Errors: kBadInput at `place` for what is not well-formed.
Status read_sparse(Bytes message, TensorInfo& tensor, ConstantStore& store, const Place& place);

}  // namespace visq::loader::onnx
