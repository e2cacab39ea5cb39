// ONNX operators that are operators of TFLite under another name, with attributes in place of inputs: prepared as these, on the same
// tensors.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/op.h"

namespace visq::kernels {

/// One such operator, put together input by input.
class Translation {
 public:
  /// `type`: of TFLite.
  Translation(PrepareContext& context, std::string_view type);

  Translation& option(std::string name, Attribute value);
  /// Next comes an input of the ONNX operator.
  Translation& input(int slot);
  Translation& inputs(int count);
  /// Next come numbers that the ONNX operator has elsewhere: a vector, or one of no rank.
  Translation& integers(std::span<const std::int64_t> values);
  Translation& integers(std::span<const std::int64_t> values, Shape shape);
  Translation& integer(std::int64_t value);
  /// One element of that type with all bytes 0.
  Translation& zero(DType type);

  Result<std::unique_ptr<Kernel>> prepare();

  /// A constant with memory of its own.
  struct Constant {
    Tensor tensor;
    std::vector<std::byte> bytes;
  };

 private:
  Constant& add_constant(DType type, Shape shape);

  PrepareContext& context_;
  Operator op_;
  std::vector<PrepareContext::Operand> operands_;
  std::shared_ptr<std::deque<Constant>> constants_ = std::make_shared<std::deque<Constant>>();
};

/// The attribute, or the values of an input: later operator sets have inputs where earlier ones had attributes. Nothing where there is
/// neither. Errors: as PrepareContext::integers().
Result<std::optional<std::vector<std::int64_t>>> integers_or_input(PrepareContext& context, std::string_view attribute, int slot);

}  // namespace visq::kernels
