#include "model/onnx/value_info.h"

#include <algorithm>
#include <array>

#include "core/as_size.h"
#include "model/onnx/fields.h"
#include "model/onnx/tensor_proto.h"
#include "model/slots.h"

namespace visq::loader::onnx {
namespace {

/// One axis: its size, or -1 where it has a name only, or nothing.
std::int64_t read_dimension(Bytes bytes) {
  std::int64_t size = -1;
  for (Message<DimensionField> dimension(bytes); dimension.next();) {
    if (dimension.field() == DimensionField::kValue) {
      size = dimension.integer();
    } else {
      dimension.skip();
    }
  }
  return std::max<std::int64_t>(size, -1);  // exporters write unknown sizes as any negative number
}

void read_shape(Bytes bytes, TensorInfo& tensor) {
  std::vector<std::int64_t> sizes;
  for (Message<ShapeField> shape(bytes); shape.next();) {
    if (shape.field() == ShapeField::kDimension) {
      sizes.push_back(read_dimension(shape.bytes()));
    } else {
      shape.skip();
    }
  }
  tensor.has_rank = true;
  if (std::ranges::find(sizes, -1) != sizes.end()) tensor.shape_signature = sizes;
  std::ranges::replace(sizes, -1, 1);
  tensor.shape = Shape(std::move(sizes));
}

Result<bool> read_tensor_type(Bytes bytes, TensorInfo& tensor, const Place& place) {
  std::int64_t code = 0;
  for (Message<TensorTypeField> type(bytes); type.next();) {
    if (type.field() == TensorTypeField::kElement) {
      code = type.integer();
    } else if (type.field() == TensorTypeField::kShape) {
      read_shape(type.bytes(), tensor);
    } else {
      type.skip();
    }
  }
  if (code == 0) return false;
  const auto element = element_type(code);
  if (!element) return place.fail("has the unknown element type {}", code);
  tensor.dtype = *element;
  return true;
}

Result<bool> read_type(Bytes bytes, TensorInfo& tensor, const Place& place) {
  bool any = false, known = false;
  for (Message<TypeField> type(bytes); type.next(); any = true) {
    if (type.field() == TypeField::kTensor) {
      VISQ_ASSIGN(known, read_tensor_type(type.bytes(), tensor, place));
      if (known) return true;
    } else {
      type.skip();
    }
  }
  if (any && !known) tensor.dtype = DType::kVariant;
  return any;
}

/// Where an output's type comes from, but for those of the first input's type.
enum class Source : std::uint8_t {
  kInteger64,
  kInteger32,
  kCode,
  kFloat,
  kBool,
  kInput1,
  kInput2,
  kInput7,
  kAttributeTo,
  kAttributeDtype,
  kGrid,
  kGemm
};
struct Rule {
  std::string_view type;
  std::size_t output;
  Source source;
};
constexpr Rule kRules[] = {{"Shape", 0, Source::kInteger64},
                           {"Size", 0, Source::kInteger64},
                           {"ArgMax", 0, Source::kInteger64},
                           {"ArgMin", 0, Source::kInteger64},
                           {"NonZero", 0, Source::kInteger64},
                           {"TopK", 1, Source::kInteger64},
                           {"MaxPool", 1, Source::kInteger64},
                           {"Equal", 0, Source::kBool},
                           {"Greater", 0, Source::kBool},
                           {"Less", 0, Source::kBool},
                           {"GreaterOrEqual", 0, Source::kBool},
                           {"LessOrEqual", 0, Source::kBool},
                           {"IsNaN", 0, Source::kBool},
                           {"IsInf", 0, Source::kBool},
                           {"Dropout", 1, Source::kBool},
                           {"Where", 0, Source::kInput1},
                           {"CastLike", 0, Source::kInput1},
                           {"ConstantOfShape", 0, Source::kInput1},
                           {"OneHot", 0, Source::kInput2},
                           {"DequantizeLinear", 0, Source::kInput1},
                           {"Cast", 0, Source::kAttributeTo},
                           {"QuantizeLinear", 0, Source::kGrid},
                           {"ConvInteger", 0, Source::kInteger32},
                           {"MatMulInteger", 0, Source::kInteger32},
                           {"DynamicQuantizeLinear", 0, Source::kCode},
                           {"DynamicQuantizeLinear", 1, Source::kFloat},
                           {"DynamicQuantizeLinear", 2, Source::kCode},
                           {"MatMulIntegerToFloat", 0, Source::kInput2},
                           {"QLinearConv", 0, Source::kInput7},
                           {"QLinearMatMul", 0, Source::kInput7},
                           {"QLinearConcat", 0, Source::kInput1},
                           {"QLinearWhere", 0, Source::kInput1},
                           {"QGemm", 0, Source::kGemm},
                           {"BitCast", 0, Source::kAttributeTo},
                           {"EyeLike", 0, Source::kAttributeDtype},
                           {"Unique", 1, Source::kInteger64},
                           {"Unique", 2, Source::kInteger64},
                           {"Unique", 3, Source::kInteger64}};

DType type_of(const Operator& op, std::span<const TensorInfo> tensors, std::size_t slot, DType otherwise) {
  const int tensor = input_of(op, slot);
  return tensor == kNoTensor ? otherwise : tensors[as_size(tensor)].dtype;
}

}  // namespace

std::string value_name(Bytes message) {
  std::string name;
  for (Message<ValueField> value(message); value.next();) {
    if (value.field() == ValueField::kName) {
      name = value.text();
    } else {
      value.skip();
    }
  }
  return name;
}

Result<bool> read_value(Bytes message, TensorInfo& tensor, const Place& place) {
  tensor.has_rank = false;
  bool known = false;
  for (Message<ValueField> value(message); value.next();) {
    if (value.field() == ValueField::kType) {
      VISQ_ASSIGN(known, read_type(value.bytes(), tensor, place));
    } else {
      value.skip();
    }
  }
  return known;
}

DType result_type(const Operator& op, std::span<const TensorInfo> tensors, std::size_t output) {
  const std::string_view type = std::string_view(op.type).substr(op.type.starts_with(op.domain + ".") ? op.domain.size() + 1 : 0);
  const auto rule = std::ranges::find_if(kRules, [&](const Rule& each) { return each.type == type && each.output == output; });
  if (rule == std::end(kRules)) return type_of(op, tensors, 0, DType::kFloat32);
  switch (rule->source) {
    case Source::kInteger64:
      return DType::kInt64;
    case Source::kInteger32:
      return DType::kInt32;
    case Source::kCode:
      return DType::kUInt8;
    case Source::kFloat:
      return DType::kFloat32;
    case Source::kBool:
      return DType::kBool;
    case Source::kInput1:
      return type_of(op, tensors, 1, DType::kFloat32);
    case Source::kInput2:
      return type_of(op, tensors, 2, DType::kFloat32);
    case Source::kInput7:
      return type_of(op, tensors, 7, DType::kUInt8);
    case Source::kAttributeTo:
      return element_type(op.attributes.integer("to")).value_or(DType::kFloat32);
    case Source::kAttributeDtype:
      return element_type(op.attributes.integer("dtype")).value_or(type_of(op, tensors, 0, DType::kFloat32));
    case Source::kGrid:
      return type_of(op, tensors, 2, element_type(op.attributes.integer("output_dtype")).value_or(DType::kUInt8));
    case Source::kGemm:
      return type_of(op, tensors, 8, DType::kFloat32);
  }
  return DType::kFloat32;
}

}  // namespace visq::loader::onnx
