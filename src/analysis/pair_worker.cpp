#include "analysis/pair_worker.h"

namespace visq::analysis {
namespace {

std::vector<Shape> shapes_of(const std::vector<Array>& inputs) {
  std::vector<Shape> shapes;
  for (const Array& input : inputs) shapes.push_back(input.shape);
  return shapes;
}

}  // namespace

Status PairWorker::run(const Record& record, const runtime::Lockstep::Observer& observer) {
  VISQ_ASSIGN(const auto reference_inputs, feed_.for_model(record));
  VISQ_ASSIGN(const auto quantized_inputs, feed_.for_twin(record));
  auto shapes = shapes_of(reference_inputs);
  if (!lockstep_ || shapes != shapes_) {
    VISQ_ASSIGN(graphs_, plan_.graphs(shapes, shapes_of(quantized_inputs)));
    VISQ_ASSIGN(auto lockstep, runtime::Lockstep::create(graphs_.lockstep, state_));
    lockstep_ = std::make_shared<runtime::Lockstep>(std::move(lockstep));
    shapes_ = std::move(shapes);
  }
  return lockstep_->run(reference_inputs, quantized_inputs, observer);
}

}  // namespace visq::analysis
