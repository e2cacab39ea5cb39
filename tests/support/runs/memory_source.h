// Test data held in memory.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "visq/data.h"

namespace visq::testing {

/// Records held in memory, for models with one input.
class MemorySource : public RecordSource {
 public:
  explicit MemorySource(std::vector<Array> values) : values_(std::move(values)) {}
  std::int64_t count() const override { return static_cast<std::int64_t>(values_.size()); }
  Result<Record> read(std::int64_t index) override {
    Record record;
    record.index = index;
    record.inputs = {values_[static_cast<std::size_t>(index)]};
    return record;
  }
  std::string description() const override { return "memory"; }

 private:
  std::vector<Array> values_;
};

}  // namespace visq::testing
