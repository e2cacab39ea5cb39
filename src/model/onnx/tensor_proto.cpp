#include "model/onnx/tensor_proto.h"

#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "core/as_size.h"
#include "core/checked.h"
#include "model/budget.h"
#include "model/onnx/fields.h"
#include "model/printable.h"

namespace visq::loader::onnx {
namespace {

/// By TensorProto.DataType. Source: the ONNX specification.
constexpr std::array<std::optional<DType>, 27> kElementTypes = {
    std::nullopt,           DType::kFloat32,  DType::kUInt8,        DType::kInt8,           DType::kUInt16,
    DType::kInt16,          DType::kInt32,    DType::kInt64,        DType::kString,         DType::kBool,
    DType::kFloat16,        DType::kFloat64,  DType::kUInt32,       DType::kUInt64,         DType::kComplex64,
    DType::kComplex128,     DType::kBFloat16, DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2,
    DType::kFloat8E5M2FNUZ, DType::kUInt4,    DType::kInt4,         DType::kFloat4E2M1,     DType::kFloat8E8M0,
    DType::kUInt2,          DType::kInt2};

/// Where a constant's values stand in a file of their own.
struct Outside {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

/// The fields of a TensorProto.
struct TensorFields {
  std::vector<std::int64_t> dims;
  std::int64_t type = 0;
  std::optional<Bytes> raw;
  std::vector<std::byte> fixed;        ///< of float_data or double_data, one behind the other
  std::vector<std::int64_t> integers;  ///< of int32_data, int64_data or uint64_data
  std::vector<std::string> texts;
  Outside outside;
  bool is_outside = false, is_part = false;
};

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failure == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

Status read_entry(Bytes bytes, Outside& outside, const Place& place) {
  std::string key, value;
  for (Message<EntryField> entry(bytes); entry.next();) {
    if (entry.field() == EntryField::kKey) {
      key = entry.text();
    } else if (entry.field() == EntryField::kValue) {
      value = entry.text();
    } else {
      entry.skip();
    }
  }
  if (key == "location") outside.location = value;
  if (key != "offset" && key != "length") return {};  // a checksum, or what later versions add
  const auto parsed = number(value);
  if (!parsed) return place.fail("its external data have the {} '{}'", key, printable(value));
  if (key == "offset") outside.offset = *parsed;
  if (key == "length") outside.length = parsed;
  return {};
}

Result<TensorFields> read_tensor_fields(Bytes bytes, const Place& place) {
  TensorFields fields;
  for (Message<TensorField> tensor(bytes); tensor.next();) {
    switch (tensor.field()) {
      case TensorField::kDims:
        tensor.append_integers(fields.dims);
        break;
      case TensorField::kDataType:
        fields.type = tensor.integer();
        break;
      case TensorField::kFloatData:
      case TensorField::kDoubleData:
        tensor.append_fixed(fields.fixed);
        break;
      case TensorField::kInt32Data:
      case TensorField::kInt64Data:
      case TensorField::kUint64Data:
        tensor.append_integers(fields.integers);
        break;
      case TensorField::kRawData:
        fields.raw = tensor.bytes();
        break;
      case TensorField::kExternalData:
        VISQ_TRY(read_entry(tensor.bytes(), fields.outside, place));
        break;
      case TensorField::kDataLocation:
        fields.is_outside = tensor.integer() == 1;
        break;
      case TensorField::kSegment:
        fields.is_part = true;
        tensor.skip();
        break;
      case TensorField::kStringData:
        fields.texts.push_back(tensor.text());
        break;
      default:
        tensor.skip();
    }
  }
  return fields;
}

/// Each integer in as many of its lowest bytes as an element takes; an integer holds as many elements of less as fit into a byte.
std::vector<std::byte> narrowed(const std::vector<std::int64_t>& integers, DType type) {
  const std::size_t size = size_of(type);
  std::vector<std::byte> bytes(integers.size() * size);
  for (std::size_t i = 0; i < integers.size(); ++i) std::memcpy(bytes.data() + i * size, &integers[i], size);
  return bytes;
}

/// The values, wherever they stand; `expected` bytes of them.
Result<Bytes> find_values(TensorFields& fields, const TensorInfo& tensor, std::int64_t expected, ConstantStore& store, const Place& place) {
  if (fields.is_outside) {
    const Outside& outside = fields.outside;
    return store.outside(outside.location, outside.offset, outside.length.value_or(static_cast<std::uint64_t>(expected)), place);
  }
  if (fields.raw) return *fields.raw;
  if (!fields.fixed.empty()) return store.keep(std::move(fields.fixed));
  return store.keep(narrowed(fields.integers, tensor.dtype));
}

}  // namespace

std::optional<DType> element_type(std::int64_t code) {
  return code > 0 && code < static_cast<std::int64_t>(kElementTypes.size()) ? kElementTypes[as_size(code)] : std::nullopt;
}

Result<Bytes> ConstantStore::outside(const std::string& name, std::uint64_t offset, std::uint64_t length, const Place& place) {
  VISQ_ASSIGN(const Bytes bytes, external_.bytes(path_, name, offset, length, place));
  outside_[name] = std::max(outside_[name], offset + length);
  return bytes;
}

Status ConstantStore::claim_inlined(std::size_t bytes, const Place& place) {
  constexpr std::uint64_t kMostPerByte = 64, kAlways = std::uint64_t{1} << 20, kMostNodes = 1'000'000;
  inlined_ += bytes;
  if (++inlined_nodes_ <= kMostNodes && inlined_ <= kMostPerByte * bytes_ + kAlways) return {};
  return place.fail("calls functions so often that the model would be {} times larger than the file, or have {} operators", kMostPerByte,
                    kMostNodes);
}

Status ConstantStore::claim_copy(std::int64_t elements, const Place& place) {
  std::uint64_t all = bytes_;
  for (const auto& [name, read] : outside_) all += read;
  copied_ += static_cast<std::uint64_t>(elements);
  if (copied_ <= Budget::kPerByte * all) return {};
  return place.fail("shares constants so often that the model would be {} times larger than its files", Budget::kPerByte);
}

std::shared_ptr<const void> ConstantStore::storage(std::shared_ptr<const void> first) const {
  using Both = std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>;
  return std::make_shared<const Both>(external_.keep(std::move(first)), made_);
}

std::string tensor_name(Bytes message) {
  std::string name;
  for (Message<TensorField> tensor(message); tensor.next();) {
    if (tensor.field() == TensorField::kName) {
      name = tensor.text();
    } else {
      tensor.skip();
    }
  }
  return name;
}

Status set_texts(std::span<const std::string> texts, Shape shape, TensorInfo& tensor, ConstantStore& store, const Place& place) {
  std::uint64_t all = sizeof(std::int32_t) * (texts.size() + 2);
  for (const std::string& text : texts) all += text.size();
  if (all > std::numeric_limits<std::int32_t>::max()) return place.fail("has {} bytes of strings, more than are read", all);
  std::vector<std::byte> bytes(as_size(static_cast<std::int64_t>(all)));
  std::size_t head = 0, end = sizeof(std::int32_t) * (texts.size() + 2);
  const auto append_number = [&](std::size_t value) {
    const auto number = static_cast<std::int32_t>(value);
    std::memcpy(bytes.data() + head, &number, sizeof(number));
    head += sizeof(number);
  };
  append_number(texts.size());
  for (const std::string& text : texts) {
    append_number(end);
    if (!text.empty()) std::memcpy(bytes.data() + end, text.data(), text.size());
    end += text.size();
  }
  append_number(end);
  tensor.dtype = DType::kString;
  tensor.shape = std::move(shape);
  tensor.is_constant = true;
  tensor.data = store.keep(std::move(bytes));
  return {};
}

Status read_constant(Bytes message, TensorInfo& tensor, ConstantStore& store, const Place& place) {
  VISQ_ASSIGN(TensorFields fields, read_tensor_fields(message, place));
  const auto type = element_type(fields.type);
  if (!type) return place.fail("has the unknown element type {}", fields.type);
  if (fields.is_part) return place.fail("is part of a tensor only, which is not read");
  tensor.dtype = *type;
  tensor.shape = Shape(std::move(fields.dims));
  tensor.is_constant = true;
  const auto elements = checked_elements(tensor.shape.dims());
  const auto expected = elements ? checked_bytes(*elements, *type) : std::nullopt;
  if (*type == DType::kString && elements) return set_texts(fields.texts, tensor.shape, tensor, store, place);
  if (!expected) return place.fail("shape {} is negative or too large", to_string(tensor.shape));
  VISQ_ASSIGN(tensor.data, find_values(fields, tensor, *expected, store, place));
  return {};
}

}  // namespace visq::loader::onnx
