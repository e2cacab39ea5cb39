#include "model/onnx/constant_node.h"

#include <cstring>

#include "model/onnx/sparse_tensor.h"

namespace visq::loader::onnx {
namespace {

/// Numbers that an attribute holds, as a constant.
template <class Stored, class Value>
void set_values(TensorInfo& tensor, DType type, Shape shape, std::span<const Value> values, ConstantStore& store) {
  std::vector<std::byte> bytes(values.size() * sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto stored = static_cast<Stored>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(stored), &stored, sizeof(stored));
  }
  tensor.dtype = type;
  tensor.shape = std::move(shape);
  tensor.data = store.keep(std::move(bytes));
  tensor.is_constant = true;
}

/// True where the attribute is there, and of the type that its name promises.
template <class Stored, class Value>
bool set_one(TensorInfo& tensor, DType type, const Attribute* attribute, ConstantStore& store) {
  const Value* const value = attribute == nullptr ? nullptr : std::get_if<Value>(attribute);
  if (value != nullptr) set_values<Stored>(tensor, type, {}, std::span(value, 1), store);
  return value != nullptr;
}

template <class Stored, class Value>
bool set_list(TensorInfo& tensor, DType type, const Attribute* attribute, ConstantStore& store) {
  const auto* const values = attribute == nullptr ? nullptr : std::get_if<std::vector<Value>>(attribute);
  if (values == nullptr) return false;
  set_values<Stored>(tensor, type, {static_cast<std::int64_t>(values->size())}, std::span<const Value>(*values), store);
  return true;
}

}  // namespace

Status read_constant_node(const Node& node, TensorInfo& tensor, ConstantStore& store, const Place& place) {
  if (const auto value = node.tensors.find("value"); value != node.tensors.end()) {
    return read_constant(value->second, tensor, store, place);
  }
  if (const auto value = node.sparse_tensors.find("sparse_value"); value != node.sparse_tensors.end()) {
    return read_sparse(value->second, tensor, store, place);
  }
  if (const auto texts = node.texts.find("value_strings"); texts != node.texts.end()) {
    return set_texts(texts->second, {static_cast<std::int64_t>(texts->second.size())}, tensor, store, place);
  }
  const auto attribute = [&](std::string_view name) { return node.attributes.find(name); };
  if (const Attribute* const text = attribute("value_string"); text != nullptr && std::holds_alternative<std::string>(*text)) {
    return set_texts(std::span(&std::get<std::string>(*text), 1), {}, tensor, store, place);
  }
  if (set_one<float, double>(tensor, DType::kFloat32, attribute("value_float"), store) ||
      set_one<std::int64_t, std::int64_t>(tensor, DType::kInt64, attribute("value_int"), store) ||
      set_list<std::int64_t, std::int64_t>(tensor, DType::kInt64, attribute("value_ints"), store) ||
      set_list<float, double>(tensor, DType::kFloat32, attribute("value_floats"), store)) {
    return {};
  }
  return place.fail("has no value: none of the attributes value, sparse_value, value_float, value_int, value_string and their lists");
}

}  // namespace visq::loader::onnx
