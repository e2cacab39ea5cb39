#include "visq/ops.h"

#include <map>

#include "analysis/facts/node_filter.h"
#include "core/error.h"
#include "core/suggest.h"
#include "kernels/op.h"

namespace visq {
namespace {

using kernels::OpDef;

constexpr kernels::DTypes kQuantizable = {DType::kInt4, DType::kInt8, DType::kUInt8, DType::kInt16};

std::vector<DType> listed(const kernels::DTypes& types) {
  std::vector<DType> list;
  for (int i = 0; i < kDTypeCount; ++i) {
    if (types.has(static_cast<DType>(i))) list.push_back(static_cast<DType>(i));
  }
  return list;
}

/// Of an operator that takes stored integers as if they were values. Where the main input is never quantized (the condition of an IF),
/// its types are the same in all modes.
std::vector<DType> movable(const OpDef& op) {
  std::vector<DType> list;
  for (const DType type : listed(op.types)) {
    if (kQuantizable.has(type)) list.push_back(type);
  }
  return list.empty() ? listed(op.types) : list;
}

}  // namespace

Result<std::vector<SupportedOp>> supported_ops(const std::vector<std::string>& globs) {
  std::map<std::string_view, SupportedOp> all;
  for (const OpDef* op : kernels::all_ops()) {
    all[op->name] = {std::string(op->name), op->main_input, listed(op->types), op->takes_stored ? movable(*op) : std::vector<DType>()};
  }
  for (const OpDef* op : kernels::all_integer_ops()) {
    SupportedOp& entry = all[op->name];
    if (entry.name.empty()) entry = {std::string(op->name), op->main_input, {}, {}};
    entry.stored = listed(op->types);
  }
  analysis::NodeFilter filter(globs, {});
  for (const auto& [name, op] : all) filter.learn_name(name);
  std::vector<SupportedOp> chosen;
  for (auto& [name, op] : all) {
    if (filter.passes({name}, name)) chosen.push_back(std::move(op));
  }
  if (chosen.empty()) {
    std::vector<std::string_view> names;
    for (const auto& [name, op] : all) names.push_back(name);
    return usage_error("no operator fits --ops{}", globs.size() == 1 ? suggestion(globs.front(), names) : "");
  }
  return chosen;
}

}  // namespace visq
