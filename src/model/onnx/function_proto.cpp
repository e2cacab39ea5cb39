#include "model/onnx/function_proto.h"

#include "model/onnx/fields.h"

namespace visq::loader::onnx {

void read_function(Bytes message, Functions& functions) {
  Function function;
  std::string domain, name, overload;
  function.bytes = message.size();
  for (Message<FunctionField> fields(message); fields.next();) {
    switch (fields.field()) {
      case FunctionField::kName:
        name = fields.text();
        break;
      case FunctionField::kDomain:
        domain = fields.text();
        break;
      case FunctionField::kOverload:
        overload = fields.text();
        break;
      case FunctionField::kInput:
        function.inputs.push_back(fields.text());
        break;
      case FunctionField::kOutput:
        function.outputs.push_back(fields.text());
        break;
      case FunctionField::kNode:
        function.nodes.push_back(fields.bytes());
        break;
      case FunctionField::kValueInfo:
        function.values.push_back(fields.bytes());
        break;
      case FunctionField::kOpsetImport:
        read_operator_set(fields.bytes(), function.sets);
        break;
      case FunctionField::kAttributeWithDefault: {
        const Bytes attribute = fields.bytes();
        function.defaults[attribute_name(attribute)] = attribute;
        break;
      }
      default:
        fields.skip();
    }
  }
  functions[{domain_name(std::move(domain)), std::move(name), std::move(overload)}] = std::move(function);
}

}  // namespace visq::loader::onnx
