// Runs one operator of the registry on tensors in memory, as the runtime would: Prepare with what is known, again where it asks for values,
// then Eval into memory that is poisoned inside and guarded behind its end.
#pragma once

#include <cstring>
#include <deque>
#include <initializer_list>
#include <string>
#include <vector>

#include "kernels/element_types.h"
#include "kernels/op.h"
#include "visq/tensor.h"

namespace visq::testing {

class LightRunner {
 public:
  explicit LightRunner(std::string op) {
    operator_.type = std::move(op);
    model_.subgraphs.emplace_back();
  }

  /// An input whose values are there in Eval only.
  template <class T>
  LightRunner& input(Shape shape, const std::vector<T>& values) {
    return add<T>(std::move(shape), values, false);
  }
  /// An input whose values Prepare sees too.
  template <class T>
  LightRunner& constant(Shape shape, const std::vector<T>& values) {
    return add<T>(std::move(shape), values, true);
  }
  /// A constant vector of int32: axes, sizes, paddings.
  LightRunner& ints(const std::vector<std::int32_t>& values) {
    return constant<std::int32_t>({static_cast<std::int64_t>(values.size())}, values);
  }
  LightRunner& scalar(std::int32_t value) { return constant<std::int32_t>({}, {value}); }
  /// Stored integers of a quantized tensor. With one among inputs or outputs, the operator runs as in an integer run.
  template <class T>
  LightRunner& stored(Shape shape, const std::vector<T>& values, float scale, std::int64_t zero_point = 0) {
    add<T>(std::move(shape), values, false);
    inputs_.back().quantization = one_grid(scale, zero_point);
    return *this;
  }
  LightRunner& strings(Shape shape, std::vector<std::string> values);
  LightRunner& absent();
  LightRunner& attribute(std::string name, Attribute value);
  LightRunner& stored_output(DType type, float scale, std::int64_t zero_point = 0);
  /// Declares one more output; without any there is one float32. Few operators look at the declared shape.
  LightRunner& output(DType type, Shape declared = {});
  /// Custom options, as they stand in the file.
  LightRunner& options(std::vector<std::uint8_t> bytes);
  /// Adds a subgraph with these operators to the model, from number 1 on, for operators that name one.
  LightRunner& body(const std::vector<std::string>& ops);
  /// Runs so many records in a row; outputs are those of the last.
  LightRunner& records(int count);

  /// The outputs, or the error of Prepare or Eval.
  Result<std::vector<Array>> run();
  /// The first output's shape, and its values as T. Fails the test where the operator fails.
  template <class T = float>
  std::pair<Shape, std::vector<T>> first() {
    const auto outputs = run_or_fail();
    if (outputs.empty()) return {};
    const auto values = reinterpret_cast<const T*>(outputs[0].bytes.data());
    return {outputs[0].shape, std::vector<T>(values, values + outputs[0].shape.elements())};
  }
  /// The error's message; empty where there is none.
  std::string message();
  /// Whether Prepare asked for values that were not known.
  bool deferred() const { return deferred_; }

 private:
  struct Slot {
    bool present = true, known = false;
    Array array;
    Quantization quantization;
  };
  template <class T>
  LightRunner& add(Shape shape, const std::vector<T>& values, bool known) {
    Slot slot{true, known, {kernels::kDTypeOf<T>, std::move(shape), {}, {}}, {}};
    slot.array.bytes.resize(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(slot.array.bytes.data(), values.data(), slot.array.bytes.size());
    inputs_.push_back(std::move(slot));
    return *this;
  }
  static Quantization one_grid(float scale, std::int64_t zero_point);
  std::vector<Array> run_or_fail();
  /// What the runtime would take: from integer/ where stored integers are about.
  const kernels::OpDef* definition() const;

  Operator operator_;
  std::vector<std::uint8_t> options_;
  Model model_;
  std::deque<Slot> inputs_;
  std::vector<TensorInfo> outputs_;
  int records_ = 1;
  bool deferred_ = false;
};

}  // namespace visq::testing
