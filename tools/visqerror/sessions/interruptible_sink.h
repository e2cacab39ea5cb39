// A run of one model that a signal ends.
#pragma once

#include "core/error.h"
#include "visq/run.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {

/// Passes maps on, and ends the run after the record in which a signal came.
class InterruptibleSink final : public MapSink {
 public:
  explicit InterruptibleSink(MapSink& inner) : inner_(inner) {}
  Status begin_record(std::int64_t index) override {
    if (interrupted()) return usage_error("interrupted");
    return inner_.begin_record(index);
  }
  Status add(const FeatureMap& map) override {
    ++maps_;
    return inner_.add(map);
  }
  std::int64_t maps() const { return maps_; }

 private:
  MapSink& inner_;
  std::int64_t maps_ = 0;
};

}  // namespace visq::tool
