#include "model/onnx/node_proto.h"

#include <optional>

#include "core/joined.h"
#include "model/call_attribute.h"
#include "model/onnx/fields.h"

namespace visq::loader::onnx {
namespace {

/// AttributeProto.AttributeType. Source: the ONNX specification.
constexpr std::int64_t kListOfReals = 6, kListOfIntegers = 7, kListOfTexts = 8;

/// An AttributeProto.
struct AttributeFields {
  std::string name, reference;
  std::optional<Attribute> value;
  std::optional<Bytes> tensor, sparse_tensor;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string> texts;
  std::vector<Bytes> graphs;
  std::int64_t type = 0;
};

AttributeFields read_attribute_fields(Bytes bytes) {
  AttributeFields fields;
  for (Message<AttributeField> attribute(bytes); attribute.next();) {
    switch (attribute.field()) {
      case AttributeField::kName:
        fields.name = attribute.text();
        break;
      case AttributeField::kReference:
        fields.reference = attribute.text();
        break;
      case AttributeField::kReal:
        fields.value = static_cast<double>(attribute.real());
        break;
      case AttributeField::kInteger:
        fields.value = attribute.integer();
        break;
      case AttributeField::kText:
        fields.value = attribute.text();
        break;
      case AttributeField::kTensor:
        fields.tensor = attribute.bytes();
        break;
      case AttributeField::kSparseTensor:
        fields.sparse_tensor = attribute.bytes();
        break;
      case AttributeField::kGraph:
      case AttributeField::kGraphs:
        fields.graphs.push_back(attribute.bytes());
        break;
      case AttributeField::kReals:
        attribute.append_reals(fields.reals);
        break;
      case AttributeField::kIntegers:
        attribute.append_integers(fields.integers);
        break;
      case AttributeField::kTexts:
        fields.texts.push_back(attribute.text());
        break;
      case AttributeField::kType:
        fields.type = attribute.integer();
        break;
      default:
        attribute.skip();
    }
  }
  return fields;
}

/// Operators take an empty list for none; the values of Constant may be empty.
bool may_be_empty(std::string_view name) { return name.starts_with("value_"); }

void add_attribute(AttributeFields fields, Node& node) {
  if (names_subgraphs(fields.name) || fields.name == kCapturedInputs) return;  // ours; no operator of the standard has such
  const bool empty = may_be_empty(fields.name);
  if (!fields.integers.empty() || (empty && fields.type == kListOfIntegers)) fields.value = std::move(fields.integers);
  if (!fields.reals.empty() || (empty && fields.type == kListOfReals)) fields.value = std::move(fields.reals);
  if (!fields.texts.empty() && !empty) fields.value = joined(fields.texts, ",");  // names of functions, which hold none
  if (!fields.texts.empty() || (empty && fields.type == kListOfTexts)) node.texts[fields.name] = std::move(fields.texts);
  if (fields.tensor) node.tensors[fields.name] = *fields.tensor;
  if (fields.sparse_tensor) node.sparse_tensors[fields.name] = *fields.sparse_tensor;
  if (!fields.graphs.empty()) node.graphs[fields.name] = std::move(fields.graphs);
  if (fields.value) node.attributes.set(std::move(fields.name), *std::move(fields.value));
}

/// What an attribute that refers to one of the function's stands for; nothing where the call gives none.
std::optional<Bytes> bound(const AttributeFields& fields, const Bindings* bindings) {
  if (bindings == nullptr) return std::nullopt;
  const auto found = bindings->find(fields.reference);
  return found == bindings->end() ? std::nullopt : std::optional(found->second);
}

void read_attribute(Bytes bytes, const Bindings* bindings, Node& node) {
  AttributeFields fields = read_attribute_fields(bytes);
  if (!fields.reference.empty()) {
    const auto meant = bound(fields, bindings);
    if (!meant) return;
    std::string name = std::move(fields.name);
    fields = read_attribute_fields(*meant);
    fields.name = std::move(name);
  }
  add_attribute(std::move(fields), node);
}

}  // namespace

std::string domain_name(std::string written) { return written.empty() ? std::string(kStandard) : written; }

std::string attribute_name(Bytes message) { return read_attribute_fields(message).name; }

Bindings read_bindings(Bytes message, const Bindings* around) {
  Bindings bindings;
  for (Message<NodeField> node(message); node.next();) {
    if (node.field() != NodeField::kAttribute) {
      node.skip();
      continue;
    }
    const Bytes attribute = node.bytes();
    const AttributeFields fields = read_attribute_fields(attribute);
    const auto meant = fields.reference.empty() ? std::optional(attribute) : bound(fields, around);
    if (meant) bindings[fields.name] = *meant;
  }
  return bindings;
}

Node read_node(Bytes message, const Bindings* bindings) {
  Node node;
  for (Message<NodeField> fields(message); fields.next();) {
    switch (fields.field()) {
      case NodeField::kInput:
        node.inputs.push_back(fields.text());
        break;
      case NodeField::kOutput:
        node.outputs.push_back(fields.text());
        break;
      case NodeField::kName:
        node.name = fields.text();
        break;
      case NodeField::kOpType:
        node.type = fields.text();
        break;
      case NodeField::kAttribute:
        read_attribute(fields.bytes(), bindings, node);
        break;
      case NodeField::kDomain:
        node.domain = fields.text();
        break;
      case NodeField::kOverload:
        node.overload = fields.text();
        break;
      default:
        fields.skip();
    }
  }
  node.domain = domain_name(std::move(node.domain));
  return node;
}

void read_operator_set(Bytes message, OperatorSets& sets) {
  std::string domain;
  std::int64_t version = 0;
  for (Message<OpsetField> set(message); set.next();) {
    if (set.field() == OpsetField::kDomain) {
      domain = set.text();
    } else if (set.field() == OpsetField::kVersion) {
      version = set.integer();
    } else {
      set.skip();
    }
  }
  sets[domain_name(std::move(domain))] = version;
}

}  // namespace visq::loader::onnx
