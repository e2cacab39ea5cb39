// ONNX files written field by field.
#pragma once

#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "support/runs/data_files.h"
#include "visq/model.h"

namespace visq::testing::onnx {

using protozero::pbf_writer;

// Numbers of fields and types stand here once more, as the specification of ONNX has them.
inline constexpr std::int64_t kFloat = 1, kInt8 = 3, kInt64 = 7, kString = 8;

inline std::string value_info(const std::string& name, const std::vector<std::int64_t>& dims = {2}, std::int64_t type = kFloat) {
  std::string bytes;
  pbf_writer value(bytes);
  value.add_string(1, name);
  pbf_writer tensor_type(value, 2);
  pbf_writer tensor(tensor_type, 1);
  tensor.add_int64(1, type);
  pbf_writer shape(tensor, 2);
  for (const std::int64_t size : dims) {
    pbf_writer dimension(shape, 1);
    size < 0 ? dimension.add_string(2, "batch") : dimension.add_int64(1, size);
  }
  shape.commit();
  tensor.commit();
  tensor_type.commit();
  return bytes;
}

/// `fill` writes the values.
template <class Fill>
std::string tensor(const std::string& name, std::int64_t type, const std::vector<std::int64_t>& dims, Fill fill) {
  std::string bytes;
  pbf_writer writer(bytes);
  for (const std::int64_t size : dims) writer.add_int64(1, size);
  writer.add_int64(2, type);
  writer.add_string(8, name);
  fill(writer);
  return bytes;
}

inline std::string floats(const std::string& name, const std::vector<float>& values) {
  return tensor(name, kFloat, {static_cast<std::int64_t>(values.size())},
                [&](pbf_writer& writer) { writer.add_packed_float(4, values.begin(), values.end()); });
}

inline std::string node(const std::string& type, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                        const std::string& domain = "", const std::string& attribute = "") {
  std::string bytes;
  pbf_writer writer(bytes);
  for (const std::string& input : inputs) writer.add_string(1, input);
  for (const std::string& output : outputs) writer.add_string(2, output);
  writer.add_string(4, type);
  if (!attribute.empty()) writer.add_message(5, attribute);
  if (!domain.empty()) writer.add_string(7, domain);
  return bytes;
}

struct Graph {
  std::vector<std::string> nodes, initializers, inputs, outputs, sparse = {}, functions = {};
  std::int64_t opset = 17;
  bool microsoft = false;  ///< imports that domain's operators

  std::string model() const {
    std::string bytes;
    pbf_writer writer(bytes);
    writer.add_int64(1, 8);
    writer.add_string(2, "test");
    {
      pbf_writer graph(writer, 7);
      for (const std::string& each : nodes) graph.add_message(1, each);
      graph.add_string(2, "g");
      for (const std::string& each : initializers) graph.add_message(5, each);
      for (const std::string& each : inputs) graph.add_message(11, each);
      for (const std::string& each : outputs) graph.add_message(12, each);
      for (const std::string& each : sparse) graph.add_message(15, each);
    }
    for (const std::string& each : functions) writer.add_message(25, each);
    pbf_writer set(writer, 8);
    set.add_int64(2, opset);
    set.commit();
    if (microsoft) {
      pbf_writer other(writer, 8);
      other.add_string(1, "com.microsoft");
      other.add_int64(2, 1);
    }
    return bytes;
  }
};

/// Tests of such files.
class OnnxFiles : public ::testing::Test {
 protected:
  Result<Model> load(const std::string& bytes) const {
    testing::write_bytes(path_, bytes);
    return load_model(path_);
  }
  std::string error(const std::string& bytes) const {
    const auto model = load(bytes);
    return model.ok() ? "" : model.error().message;
  }
  std::string error(const Graph& graph) const { return error(graph.model()); }
  DataFolder folder_;
  const std::string path_ = folder_.file("in/m.onnx");
};

}  // namespace visq::testing::onnx
