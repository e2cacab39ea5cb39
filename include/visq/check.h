// check: is a model built well? What its file alone tells, without data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "visq/compare.h"
#include "visq/model.h"

namespace visq {

/// error: the model computes something wrong, or no device can run it. warning: it most likely costs accuracy, or is not what was meant.
/// hint: it may be meant, but costs accuracy or time.
enum class Severity : std::uint8_t { kHint, kWarning, kError };

/// "hint", "warning", "error".
std::string_view name(Severity severity);

/// One odd thing about how a model is built.
struct StructureFinding {
  std::string kind;  ///< the check that found it: "bias-scale", "unfused-activation" …
  Severity severity = Severity::kHint;
  bool in_reference = false;  ///< about the reference; otherwise about the model
  int subgraph = 0;
  int node = -1;                                         ///< operator index; -1: not about one operator
  std::string op;                                        ///< its type; empty where there is no node
  int tensor = -1;                                       ///< tensor index; -1: about the model as a whole
  std::string name;                                      ///< of the tensor (see tensor_names)
  std::string display = {};                              ///< of it, short, for people (see display_names)
  std::string text;                                      ///< one line, without the names of node and tensor
  std::vector<std::pair<std::string, double>> evidence;  ///< the numbers behind it, by name
};

/// A weight that is not read exactly once, or a subgraph that is not called exactly once.
struct UseCount {
  int subgraph = 0;
  int tensor = -1;  ///< -1: the subgraph itself
  std::string name;
  std::int64_t uses = 0;
  std::string display = {};  ///< of the tensor, short, for people (see display_names)
};

/// A tensor of an operator: what an operator makes, or a constant with real values that it reads.
struct CheckedTensor {
  int subgraph = 0, node = 0, tensor = 0;
  std::string op, name;
  std::string display = {};          ///< of the tensor, short, for people (see display_names)
  std::string role;                  ///< "output", "weight", "bias", "constant"
  std::optional<DType> input_dtype;  ///< of the operator's first computed input; outputs only
  DType dtype = DType::kFloat32;
  Quantization quantization;
  std::optional<double> min, max;  ///< a constant's values; an output's representable range; nothing where there is none
};

struct CheckResult {
  ModelIdentity model;
  std::optional<ModelIdentity> reference;
  std::string quantization;  ///< the scheme in words
  std::int64_t operators = 0;
  std::vector<std::string> kinds;          ///< every check that was made, by name
  std::vector<StructureFinding> findings;  ///< most severe first, then the reference's, then graph order
  std::vector<UseCount> uses;              ///< empty: everything is used exactly once
  std::vector<CheckedTensor> tensors;      ///< graph order; outputs of an operator, then its constants
};

/// Looks at a float or quantized model, and where `reference` is not null, whether it is the same network as that.
/// `pairs`: what is known about which maps belong together, see pair_rules(). Errors: kBadInput where the two models have nothing in
/// common.
Result<CheckResult> check(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> model,
                          const std::vector<PairRule>& pairs = {});

}  // namespace visq
