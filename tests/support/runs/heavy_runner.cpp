#include "support/runs/heavy_runner.h"

#include <fmt/core.h>

#include <cstring>
#include <future>
#include <list>
#include <stdexcept>

#include "kernels/op.h"
#include "runtime/aligned_buffer.h"

namespace visq::testing {
namespace {

using kernels::Tensor;
using Kind = HeavyInput::Kind;

template <class T>
void put(std::vector<std::byte>& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

/// Integers as a file or an activation stores them; int4 packed in files only.
std::vector<std::byte> stored_bytes(const HeavyInput& input, bool in_file) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < input.codes.size(); ++i) {
    const std::int64_t code = input.codes[i];
    switch (input.stored) {
      case DType::kInt8:
      case DType::kUInt8:
        bytes.push_back(static_cast<std::byte>(code));
        break;
      case DType::kInt16:
        put(bytes, static_cast<std::int16_t>(code));
        break;
      case DType::kInt32:
        put(bytes, static_cast<std::int32_t>(code));
        break;
      case DType::kInt64:
        put(bytes, code);
        break;
      case DType::kInt4:
        if (!in_file || i % 2 == 0) bytes.push_back(static_cast<std::byte>(in_file ? code & 15 : code));
        if (in_file && i % 2 == 1) bytes.back() |= static_cast<std::byte>((code & 15) << 4);
        break;
      default:
        throw std::logic_error("type of integers");
    }
  }
  return bytes;
}

std::vector<float> real_values(const HeavyInput& input) {
  const Quantization& q = input.quantization;
  if (!q.quantized()) return input.real;
  const auto inner = static_cast<std::size_t>(input.shape.elements(q.axis + 1, input.shape.rank()));
  std::vector<float> values;
  for (std::size_t i = 0; i < input.codes.size(); ++i) {
    const std::size_t c = q.scale.size() == 1 ? 0 : i / inner % q.scale.size();
    values.push_back(static_cast<float>(static_cast<double>(q.scale[c]) * static_cast<double>(input.codes[i] - q.zero_point[c])));
  }
  return values;
}

/// An operand in memory.
struct Operand {
  TensorInfo info;
  Tensor tensor;
  runtime::AlignedBuffer data, codes;
  std::vector<std::byte> raw;
};

runtime::AlignedBuffer in_memory(const void* bytes, std::size_t size) {
  runtime::AlignedBuffer buffer(size + runtime::kSlack);
  if (size > 0) std::memcpy(buffer.data(), bytes, size);
  std::memset(buffer.data() + size, 0xFF, runtime::kSlack);  // NaN as a float: what lies behind the end must not matter
  return buffer;
}

void fill(Operand& operand, const HeavyInput& input, bool integer_run) {
  operand.info.name = "operand";
  operand.info.dtype = input.stored;
  operand.info.shape = input.shape;
  operand.info.quantization = input.quantization;
  operand.info.is_constant = input.kind == Kind::kConstant;
  operand.tensor.shape = input.shape;
  operand.tensor.info = &operand.info;
  const bool real = !integer_run && input.quantization.quantized();
  const bool as_integers = input.stored != DType::kFloat32 && !real;
  if (as_integers) {
    operand.tensor.dtype = input.stored;
    const auto bytes = stored_bytes(input, false);
    operand.data = in_memory(bytes.data(), bytes.size());
  } else {
    const auto values = real_values(input);
    operand.data = in_memory(values.data(), values.size() * sizeof(float));
  }
  if (operand.info.is_constant) {
    operand.raw = stored_bytes(input, true);
    if (input.stored == DType::kFloat32) {
      for (const float value : input.real) put(operand.raw, value);
    }
    operand.info.data = operand.raw;
  }
  if (real && !operand.info.is_constant) {
    const auto bytes = stored_bytes(input, false);
    operand.codes = in_memory(bytes.data(), bytes.size());
  }
}

template <class T>
void append(std::vector<std::int32_t>& integers, const Tensor& tensor) {
  const auto values = tensor.values<T>();
  integers.insert(integers.end(), values.begin(), values.end());
}

/// The values of a tensor of integers.
std::vector<std::int32_t> integers_of(const Tensor& tensor) {
  std::vector<std::int32_t> integers;
  if (tensor.dtype == DType::kInt8) append<std::int8_t>(integers, tensor);
  if (tensor.dtype == DType::kUInt8) append<std::uint8_t>(integers, tensor);
  if (tensor.dtype == DType::kInt16) append<std::int16_t>(integers, tensor);
  if (tensor.dtype == DType::kInt32) append<std::int32_t>(integers, tensor);
  return integers;
}

/// A prepared operator with its operands.
class Bench {
 public:
  explicit Bench(const HeavyOp& op) : op_(op) {
    definition_.type = op.type;
    definition_.attributes = op.attributes;
    for (const HeavyInput& input : op.inputs) {
      const bool is_absent = input.kind == Kind::kAbsent;
      if (!is_absent) fill(operands_.emplace_back(), input, op.integer_run);
      slots_.push_back(is_absent ? nullptr : &operands_.back());
      definition_.inputs.push_back(is_absent ? -1 : static_cast<int>(slots_.size()));
    }
    output_.dtype = op.output;
    for (const HeavyInput& input : op.declared) {
      fill(operands_.emplace_back(), input, op.integer_run);
      subgraph_.tensors.push_back(operands_.back().info);
    }
    output_info_.dtype = op.output;
    output_info_.quantization = op.output_quantization;
    output_.info = &output_info_;
  }

  Status prepare() {
    std::vector<const Tensor*> inputs;
    std::vector<bool> codes;
    std::list<Tensor> seen;  // what Prepare sees: only known values
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] != nullptr) {
        Tensor& tensor = seen.emplace_back(slots_[i]->tensor);
        tensor.data = op_.inputs[i].kind == Kind::kActivation ? nullptr : slots_[i]->data.data();
      }
      inputs.push_back(slots_[i] == nullptr ? nullptr : &seen.back());
      codes.push_back(op_.offer_codes && slots_[i] != nullptr && slots_[i]->codes.data() != nullptr);
    }
    kernels::PrepareContext context(definition_, fmt::format("m.tflite: subgraph 0, node 0 {}", op_.type), inputs, {&output_});
    context.offer_codes(codes);
    context.belongs_to(nullptr, &subgraph_);
    const bool stored =
        std::any_of(op_.inputs.begin(), op_.inputs.end(), [](const HeavyInput& i) { return size_of(i.stored) < sizeof(float); });
    const kernels::OpDef* definition = op_.integer_run && stored ? kernels::find_integer_op(op_.type) : kernels::find_op(op_.type);
    const bool in_order = op_.integer_run && !stored && definition->prepare_in_order != nullptr;
    auto kernel = in_order ? definition->prepare_in_order(context) : definition->prepare(context);
    if (!kernel.ok()) return kernel.error();
    kernel_ = std::move(kernel).value();
    packed_ = context.packed();
    reads_codes_ = context.reads_codes();
    return {};
  }

  /// As one executor; several may run at once.
  Result<HeavyResult> evaluate() const {
    std::list<Tensor> seen;  // packed constants are gone, and values where codes are read instead
    std::vector<const Tensor*> inputs;
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i] != nullptr) {
        Tensor& tensor = seen.emplace_back(slots_[i]->tensor);
        tensor.data = packed_[i] || reads_codes_[i] ? nullptr : slots_[i]->data.data();
        tensor.codes = reads_codes_[i] ? slots_[i]->codes.data() : nullptr;
      }
      inputs.push_back(slots_[i] == nullptr ? nullptr : &seen.back());
    }
    Tensor output = output_;
    const auto count = static_cast<std::size_t>(output.elements());
    runtime::AlignedBuffer memory(count * 4 + runtime::kSlack);
    std::memset(memory.data(), 0xFF, count * 4);
    output.data = memory.data();
    std::vector<Tensor*> outputs = {&output};
    const auto state = kernel_->make_state();
    std::vector<std::byte> scratch;
    kernels::EvalContext context(inputs, outputs, state.get(), scratch);
    VISQ_TRY(kernel_->eval(context));
    HeavyResult result{output.shape, {}};
    if (op_.output != DType::kFloat32) {
      result.integers = integers_of(output);
    } else {
      const auto values = output.values<float>();
      result.values.assign(values.begin(), values.end());
    }
    return result;
  }

 private:
  const HeavyOp& op_;
  Operator definition_;
  Subgraph subgraph_;
  std::list<Operand> operands_;
  std::vector<Operand*> slots_;
  TensorInfo output_info_;
  Tensor output_;
  std::unique_ptr<kernels::Kernel> kernel_;
  std::vector<bool> packed_, reads_codes_;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

}  // namespace

HeavyInput activation(Shape shape, std::vector<float> real) { return {.shape = std::move(shape), .real = std::move(real)}; }

HeavyInput constant(Shape shape, std::vector<float> real) {
  return {.shape = std::move(shape), .real = std::move(real), .kind = Kind::kConstant};
}

HeavyInput computed_ahead(Shape shape, std::vector<float> real) {
  return {.shape = std::move(shape), .real = std::move(real), .kind = Kind::kComputedAhead};
}

HeavyInput absent() { return {.shape = {}, .kind = Kind::kAbsent}; }

HeavyInput integer_constant(Shape shape, DType stored, std::vector<std::int64_t> codes) {
  return {.shape = std::move(shape), .stored = stored, .codes = std::move(codes), .kind = Kind::kConstant};
}

Quantization quantization(std::vector<float> scale, std::vector<std::int64_t> zero_point, int axis) {
  Quantization result;
  result.scale = std::move(scale);
  result.zero_point = std::move(zero_point);
  result.axis = axis;
  return result;
}

HeavyInput quantized_activation(Shape shape, DType stored, std::vector<std::int64_t> codes, Quantization parameters) {
  return {.shape = std::move(shape), .stored = stored, .codes = std::move(codes), .quantization = std::move(parameters)};
}

HeavyInput quantized_constant(Shape shape, DType stored, std::vector<std::int64_t> codes, Quantization parameters) {
  HeavyInput input = quantized_activation(std::move(shape), stored, std::move(codes), std::move(parameters));
  input.kind = Kind::kConstant;
  return input;
}

Result<HeavyResult> run(const HeavyOp& op) {
  Bench bench(op);
  VISQ_TRY(bench.prepare());
  VISQ_ASSIGN(HeavyResult first, bench.evaluate());
  auto elsewhere = std::async(std::launch::async, [&] { return bench.evaluate(); });
  VISQ_ASSIGN(const HeavyResult again, bench.evaluate());
  VISQ_ASSIGN(const HeavyResult second, elsewhere.get());
  if (!same_bits(first.values, second.values) || !same_bits(first.values, again.values) || first.integers != second.integers) {
    return Error{Reason::kInternal, "two executors of one kernel disagree"};
  }
  return first;
}

std::string error_of(const HeavyOp& op) {
  const auto result = run(op);
  return result.ok() ? "" : result.error().message;
}

Attributes attributes(std::initializer_list<std::pair<std::string, Attribute>> fields) {
  Attributes result;
  for (const auto& [name, value] : fields) result.set(name, value);
  return result;
}

std::uint64_t Numbers::next() {  // xorshift64
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return state_;
}

std::int64_t Numbers::integer(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
}

std::vector<float> Numbers::reals(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(integer(-1000000, 1000000)) * 1e-6F;
  return values;
}

std::vector<std::int64_t> Numbers::integers(std::int64_t count, std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  for (std::int64_t& value : values) value = integer(low, high);
  return values;
}

}  // namespace visq::testing
