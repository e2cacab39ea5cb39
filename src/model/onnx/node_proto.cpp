#include "model/onnx/node_proto.h"

#include "model/onnx/fields.h"

namespace visq::loader::onnx {
namespace {

void read_attribute(Bytes bytes, Node& node) {
  std::string name;
  std::optional<Attribute> value;
  std::optional<Bytes> tensor;
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::string texts;  // with commas between them
  for (Message<AttributeField> attribute(bytes); attribute.next();) {
    switch (attribute.field()) {
      case AttributeField::kName:
        name = attribute.text();
        break;
      case AttributeField::kReal:
        value = static_cast<double>(attribute.real());
        break;
      case AttributeField::kInteger:
        value = attribute.integer();
        break;
      case AttributeField::kText:
        value = attribute.text();
        break;
      case AttributeField::kTensor:
        tensor = attribute.bytes();
        break;
      case AttributeField::kReals:
        attribute.append_reals(reals);
        break;
      case AttributeField::kIntegers:
        attribute.append_integers(integers);
        break;
      case AttributeField::kTexts:
        texts += (texts.empty() ? "" : ",") + attribute.text();
        break;
      default:
        attribute.skip();
    }
  }
  if (!texts.empty()) value = std::move(texts);
  if (!integers.empty()) value = std::move(integers);
  if (!reals.empty()) value = std::move(reals);
  if (tensor) node.tensors[name] = *tensor;
  if (value) node.attributes.set(std::move(name), *std::move(value));
}

}  // namespace

std::string domain_name(std::string written) { return written.empty() ? std::string(kStandard) : written; }

Node read_node(Bytes message) {
  Node node;
  for (Message<NodeField> fields(message); fields.next();) {
    switch (fields.field()) {
      case NodeField::kInput:
        node.inputs.push_back(fields.text());
        break;
      case NodeField::kOutput:
        node.outputs.push_back(fields.text());
        break;
      case NodeField::kOpType:
        node.type = fields.text();
        break;
      case NodeField::kAttribute:
        read_attribute(fields.bytes(), node);
        break;
      case NodeField::kDomain:
        node.domain = fields.text();
        break;
      default:
        fields.skip();
    }
  }
  node.domain = domain_name(std::move(node.domain));
  return node;
}

}  // namespace visq::loader::onnx
