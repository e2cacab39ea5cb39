// Models made by hand, as far as data need them: graph inputs and what reads them.
#pragma once

#include <string>
#include <vector>

#include "visq/model.h"

namespace visq::testing {

/// An unquantized tensor.
TensorInfo data_tensor(std::string name, DType dtype, Shape shape);

/// A tensor with one scale.
TensorInfo quantized_tensor(std::string name, DType dtype, Shape shape, float scale, std::int64_t zero_point);

/// A model whose graph inputs are these tensors, without operators.
Model data_model(std::string path, std::vector<TensorInfo> inputs);

}  // namespace visq::testing
