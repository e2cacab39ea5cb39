// The fields of ONNX's messages that are read, by number. Source: the ONNX specification, onnx.proto.
#pragma once

#include <cstdint>

namespace visq::loader::onnx {

enum class ModelField : std::uint32_t {
  kIrVersion = 1,
  kProducerName = 2,
  kProducerVersion = 3,
  kGraph = 7,
  kOpsetImport = 8,
  kFunctions = 25,
};

enum class OpsetField : std::uint32_t { kDomain = 1, kVersion = 2 };

enum class GraphField : std::uint32_t {
  kNode = 1,
  kName = 2,
  kInitializer = 5,
  kInput = 11,
  kOutput = 12,
  kValueInfo = 13,
  kSparseInitializer = 15,
};

enum class NodeField : std::uint32_t { kInput = 1, kOutput = 2, kName = 3, kOpType = 4, kAttribute = 5, kDomain = 7, kOverload = 8 };

enum class FunctionField : std::uint32_t {
  kName = 1,
  kInput = 4,
  kOutput = 5,
  kNode = 7,
  kOpsetImport = 9,
  kDomain = 10,
  kAttributeWithDefault = 11,
  kValueInfo = 12,
  kOverload = 13,
};

enum class AttributeField : std::uint32_t {
  kName = 1,
  kReal = 2,
  kInteger = 3,
  kText = 4,
  kTensor = 5,
  kGraph = 6,
  kReals = 7,
  kIntegers = 8,
  kTexts = 9,
  kGraphs = 11,
  kType = 20,
  kReference = 21,
  kSparseTensor = 22,
};

enum class TensorField : std::uint32_t {
  kDims = 1,
  kDataType = 2,
  kSegment = 3,
  kFloatData = 4,
  kInt32Data = 5,
  kStringData = 6,
  kInt64Data = 7,
  kName = 8,
  kRawData = 9,
  kDoubleData = 10,
  kUint64Data = 11,
  kExternalData = 13,
  kDataLocation = 14,
};

enum class SparseField : std::uint32_t { kValues = 1, kIndices = 2, kDims = 3 };

enum class EntryField : std::uint32_t { kKey = 1, kValue = 2 };

enum class ValueField : std::uint32_t { kName = 1, kType = 2 };
enum class TypeField : std::uint32_t { kTensor = 1 };
enum class TensorTypeField : std::uint32_t { kElement = 1, kShape = 2 };
enum class ShapeField : std::uint32_t { kDimension = 1 };
enum class DimensionField : std::uint32_t { kValue = 1 };

}  // namespace visq::loader::onnx
