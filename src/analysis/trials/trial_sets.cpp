#include "analysis/trials/trial_sets.h"

#include "core/error.h"

namespace visq::analysis {

/// A node of a balanced tree: three pointers, a colour, and the entry, as the allocator rounds them.
constexpr std::uint64_t kBytesPerEntry = 48;

Status TrialSets::add(PartSet set) {
  const std::uint64_t bytes = kBytesPerEntry * (set.weights.size() + set.activations.size() + set.inputs.size());
  if (!claims_.emplace_back(bytes).granted()) {
    return bad_input("no memory for what {} trials quantize: {}; --nodes chooses fewer", sets_.size() + 1, memory_shortage(bytes));
  }
  sets_.push_back(std::move(set));
  return {};
}

}  // namespace visq::analysis
