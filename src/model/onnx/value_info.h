// What an ONNX file says about a tensor that is no constant, and what follows where it says nothing.
#pragma once

#include <span>
#include <string>

#include "model/onnx/message.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

std::string value_name(Bytes message);

/// Sets type and shape as far as they stand there, and whether the type does. Sequences, maps and optional values are of type kVariant.
/// Errors: kBadInput at `place` for types and sizes that there are not.
Result<bool> read_value(Bytes message, TensorInfo& tensor, const Place& place);

/// The type of an operator's output by the types of its inputs, which need no declaration in files. Source: the type constraints of the
/// operators in the ONNX specification.
DType result_type(const Operator& op, std::span<const TensorInfo> tensors, std::size_t output);

}  // namespace visq::loader::onnx
