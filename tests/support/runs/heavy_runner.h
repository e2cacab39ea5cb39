// Runs one operator by itself, as the runtime would: operands in aligned memory with slack, stored integers beside real values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/status.h"

namespace visq::testing {

/// One operand. Float tensors have `real`, all others `codes`, from which quantized ones get their real values.
struct HeavyInput {
  Shape shape;
  DType stored = DType::kFloat32;
  std::vector<float> real = {};
  std::vector<std::int64_t> codes = {};
  Quantization quantization = {};
  enum class Kind { kActivation, kConstant, kComputedAhead, kAbsent } kind = Kind::kActivation;
};

HeavyInput activation(Shape shape, std::vector<float> real);
HeavyInput constant(Shape shape, std::vector<float> real);
HeavyInput computed_ahead(Shape shape, std::vector<float> real);  ///< known while preparing, but no constant of the file
HeavyInput absent();
HeavyInput integer_constant(Shape shape, DType stored, std::vector<std::int64_t> codes);

/// per tensor (one scale) or per channel of `axis`.
Quantization quantization(std::vector<float> scale, std::vector<std::int64_t> zero_point, int axis = 0);
HeavyInput quantized_activation(Shape shape, DType stored, std::vector<std::int64_t> codes, Quantization quantization);
HeavyInput quantized_constant(Shape shape, DType stored, std::vector<std::int64_t> codes, Quantization quantization);

struct HeavyOp {
  std::string type;
  std::vector<HeavyInput> inputs;
  Attributes attributes = {};
  bool offer_codes = true;  ///< fake-quant run; false: fp32 run
  DType output = DType::kFloat32;
  bool integer_run = false;  ///< quantized operands appear as their stored integers; without any, floats are summed up in order
  Quantization output_quantization = {};  ///< integer run only
  std::vector<HeavyInput> declared = {};  ///< tensors of the subgraph, which quantizations may name by their index here
};

struct HeavyResult {
  Shape shape;
  std::vector<float> values;                ///< of a float output
  std::vector<std::int32_t> integers = {};  ///< of an integer output
};

/// Prepares once and evaluates on three executors' states, two of them at the same time; all must give the same bits.
Result<HeavyResult> run(const HeavyOp& op);

/// The message of the error that run() ends in; empty where there is none.
std::string error_of(const HeavyOp& op);

Attributes attributes(std::initializer_list<std::pair<std::string, Attribute>> fields);

/// Reproducible numbers.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2654435761U + 88172645463325252U) {}
  std::int64_t integer(std::int64_t low, std::int64_t high);
  std::vector<float> reals(std::int64_t count);  ///< in [-1, 1]
  std::vector<std::int64_t> integers(std::int64_t count, std::int64_t low, std::int64_t high);

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

}  // namespace visq::testing
