#include "support/runs/light_runner.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace visq::testing {
namespace {

using kernels::Tensor;

constexpr std::size_t kSlack = 64;
constexpr std::byte kPoison{0xCD};

/// 64-byte aligned memory with slack behind its end, filled with poison.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes), storage_(bytes + kSlack + 64, kPoison) {
    data_ = storage_.data() + (64 - reinterpret_cast<std::uintptr_t>(storage_.data()) % 64) % 64;
  }
  std::byte* data() const { return data_; }
  bool slack_is_untouched() const {
    return std::all_of(data_ + bytes_, data_ + bytes_ + kSlack, [](std::byte b) { return b == kPoison; });
  }

 private:
  std::size_t bytes_;
  std::vector<std::byte> storage_;
  std::byte* data_;
};

/// All that one run needs to stay in place.
struct Run {
  std::deque<Memory> memory;
  std::deque<Tensor> tensors;
  std::deque<TensorInfo> declarations;
  std::deque<std::vector<std::string>> strings;
  std::vector<const Tensor*> inputs;
  std::vector<Tensor*> outputs;
};

Tensor& declare(Run& run, DType type, Shape shape, const Quantization& quantization) {
  TensorInfo& info = run.declarations.emplace_back();
  info.dtype = type;
  info.shape = shape;
  info.quantization = quantization;
  Tensor& tensor = run.tensors.emplace_back();
  tensor.dtype = type;
  tensor.shape = std::move(shape);
  tensor.info = &info;
  return tensor;
}

/// Gives a tensor its values.
void fill(Run& run, Tensor& tensor, const Array& array) {
  if (array.dtype == DType::kString) {
    tensor.strings = &run.strings.emplace_back(array.strings);
    return;
  }
  tensor.data = run.memory.emplace_back(array.bytes.size()).data();
  if (!array.bytes.empty()) std::memcpy(tensor.data, array.bytes.data(), array.bytes.size());
}

void allocate(Run& run, Tensor& tensor) {
  if (tensor.dtype == DType::kString) {
    tensor.strings = &run.strings.emplace_back(static_cast<std::size_t>(tensor.elements()));
  } else {
    tensor.data = run.memory.emplace_back(static_cast<std::size_t>(tensor.elements()) * size_of(tensor.dtype)).data();
  }
}

Array copy_out(const Tensor& tensor) {
  Array array{tensor.dtype, tensor.shape, {}, {}};
  if (tensor.strings != nullptr) {
    array.strings = *tensor.strings;
  } else {
    array.bytes.assign(tensor.data, tensor.data + static_cast<std::size_t>(tensor.elements()) * size_of(tensor.dtype));
  }
  return array;
}

}  // namespace

LightRunner& LightRunner::strings(Shape shape, std::vector<std::string> values) {
  inputs_.push_back({true, true, {DType::kString, std::move(shape), {}, std::move(values)}, {}});
  return *this;
}

LightRunner& LightRunner::absent() {
  inputs_.push_back({false, false, {}, {}});
  return *this;
}

LightRunner& LightRunner::attribute(std::string name, Attribute value) {
  operator_.attributes.set(std::move(name), std::move(value));
  return *this;
}

LightRunner& LightRunner::output(DType type, Shape declared) {
  TensorInfo& info = outputs_.emplace_back();
  info.dtype = type;
  info.shape = std::move(declared);
  return *this;
}

LightRunner& LightRunner::options(std::vector<std::uint8_t> bytes) {
  options_ = std::move(bytes);
  return *this;
}

LightRunner& LightRunner::body(const std::vector<std::string>& ops) {
  Subgraph& subgraph = model_.subgraphs.emplace_back();
  for (const std::string& op : ops) subgraph.operators.emplace_back().type = op;
  return *this;
}

LightRunner& LightRunner::records(int count) {
  records_ = count;
  return *this;
}

LightRunner& LightRunner::stored_output(DType type, float scale, std::int64_t zero_point) {
  output(type);
  outputs_.back().quantization = one_grid(scale, zero_point);
  return *this;
}

Quantization LightRunner::one_grid(float scale, std::int64_t zero_point) {
  Quantization quantization;
  quantization.scale = {scale};
  quantization.zero_point = {zero_point};
  return quantization;
}

const kernels::OpDef* LightRunner::definition() const {
  const auto stored = [](const auto& tensor) { return tensor.quantization.quantized(); };
  const kernels::OpDef* def = kernels::find_op(operator_.type);
  if (std::none_of(inputs_.begin(), inputs_.end(), stored) && std::none_of(outputs_.begin(), outputs_.end(), stored)) return def;
  const kernels::OpDef* integer = kernels::find_integer_op(operator_.type);
  if (integer != nullptr) return integer;
  return def != nullptr && def->takes_stored ? def : nullptr;
}

Result<std::vector<Array>> LightRunner::run() {
  const kernels::OpDef* def = definition();
  if (def == nullptr) return internal_error("no operator {}", operator_.type);
  Run run;
  for (const Slot& slot : inputs_) {
    Tensor& tensor = declare(run, slot.array.dtype, slot.array.shape, slot.quantization);
    run.inputs.push_back(slot.present ? &tensor : nullptr);
    if (slot.known) fill(run, tensor, slot.array);
  }
  if (outputs_.empty()) output(DType::kFloat32);
  for (const TensorInfo& info : outputs_) {
    run.outputs.push_back(&run.tensors.emplace_back());
    run.outputs.back()->dtype = info.dtype;
    run.outputs.back()->info = &info;
  }
  operator_.custom_options = std::as_bytes(std::span(options_));
  const auto prepare = [&] {
    kernels::PrepareContext context(operator_, "m.tflite: subgraph 0, node 0 " + operator_.type, run.inputs, run.outputs);
    context.belongs_to(&model_, &model_.subgraphs[0]);
    auto kernel = def->prepare(context);
    deferred_ = deferred_ || context.deferred();
    return kernel;
  };
  deferred_ = false;
  auto kernel = prepare();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].present && !inputs_[i].known) fill(run, run.tensors[i], inputs_[i].array);
  }
  if (deferred_) kernel = prepare();
  if (!kernel.ok()) return kernel.error();
  for (Tensor* output : run.outputs) allocate(run, *output);
  const auto state = kernel.value()->make_state();
  std::vector<std::byte> scratch;
  kernels::EvalContext eval(run.inputs, run.outputs, state.get(), scratch);
  for (int record = 0; record < records_; ++record) VISQ_TRY(kernel.value()->eval(eval));
  for (const Memory& memory : run.memory) EXPECT_TRUE(memory.slack_is_untouched()) << operator_.type << " wrote behind the end of a tensor";
  std::vector<Array> outputs;
  for (const Tensor* output : run.outputs) outputs.push_back(copy_out(*output));
  return outputs;
}

std::vector<Array> LightRunner::run_or_fail() {
  auto outputs = run();
  if (outputs.ok()) return std::move(outputs).value();
  ADD_FAILURE() << outputs.error().message;
  return {};
}

std::string LightRunner::message() {
  const auto outputs = run();
  return outputs.ok() ? std::string() : outputs.error().message;
}

}  // namespace visq::testing
