#include "analysis/pairs/pair_worker.h"

namespace visq::analysis {
namespace {

std::vector<Shape> shapes_of(const std::vector<Array>& inputs) {
  std::vector<Shape> shapes;
  for (const Array& input : inputs) shapes.push_back(input.shape);
  return shapes;
}

}  // namespace

Record PairWorker::completed(const Record& record) const {
  return feed_.complete(record, feed_.starts_afresh(record.index) ? feed_.start(SequenceFeed::Side::kModel, record.index) : kept_);
}

Status PairWorker::run(const Record& record, const runtime::Lockstep::Observer& observer) {
  using Side = SequenceFeed::Side;
  if (feed_.starts_afresh(record.index)) {
    kept_ = feed_.start(Side::kModel, record.index);
    quantized_kept_ = feed_.start(Side::kTwin, record.index);
    state_ = {};
    lockstep_.reset();
  }
  VISQ_ASSIGN(const auto reference_inputs, feed_.inputs(Side::kModel, record, std::move(kept_)));
  VISQ_ASSIGN(const auto quantized_inputs, feed_.inputs(Side::kTwin, record, std::move(quantized_kept_)));
  auto shapes = shapes_of(reference_inputs);
  if (!lockstep_ || shapes != shapes_) {
    VISQ_ASSIGN(graphs_, plan_.graphs(shapes, shapes_of(quantized_inputs)));
    VISQ_ASSIGN(auto lockstep, runtime::Lockstep::create(graphs_.lockstep, state_));
    lockstep_ = std::make_shared<runtime::Lockstep>(std::move(lockstep));
    shapes_ = std::move(shapes);
  }
  lockstep_->measure(times_);
  VISQ_TRY(lockstep_->run(reference_inputs, quantized_inputs, observer));
  VISQ_TRY(feed_.keep(Side::kModel, lockstep_->reference(), kept_));
  VISQ_TRY(feed_.keep(Side::kTwin, lockstep_->quantized(), quantized_kept_));
  if (feed_.ends(record.index)) feed_.end(record.index, {kept_, quantized_kept_});
  return {};
}

}  // namespace visq::analysis
