// One operator with state in variable tensors, as a model of its own, run record after record on one executor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/executor.h"
#include "visq/mode.h"
#include "visq/model.h"

namespace visq::testing {

/// A tensor's scale and zero point; scale 0: none.
struct Grid {
  float scale = 0;
  std::int64_t zero_point = 0;
};

class RecurrentModel {
 public:
  explicit RecurrentModel(std::string type);
  // One input slot each, in order.
  RecurrentModel& input(Shape shape, DType type = DType::kFloat32, Grid grid = {});
  RecurrentModel& constant(Shape shape, const std::vector<float>& values);
  RecurrentModel& variable(Shape shape, DType type = DType::kFloat32, Grid grid = {});
  RecurrentModel& absent(int count = 1);
  template <class T>
  RecurrentModel& codes(Shape shape, DType type, const std::vector<T>& values, Grid grid) {
    return bytes(std::move(shape), type, std::as_bytes(std::span(values)), grid);
  }

  RecurrentModel& output(DType type = DType::kFloat32, Grid grid = {});
  RecurrentModel& intermediate(Grid grid);
  RecurrentModel& option(std::string name, Attribute value);

  /// Prepares it and starts afresh. The error is that of Prepare.
  Status start(Mode mode);
  /// Runs one record: real values of each graph input. Returns real values of each output.
  std::vector<std::vector<double>> run(const std::vector<std::vector<float>>& inputs);
  Shape output_shape(int slot) const;
  /// The message of what start() ends in; empty where there is no error.
  std::string error(Mode mode = Mode::kFp32);

 private:
  RecurrentModel& bytes(Shape shape, DType type, std::span<const std::byte> data, Grid grid);
  int add(Shape shape, DType type, Grid grid);
  Operator& op() { return model_->subgraphs[0].operators[0]; }

  std::shared_ptr<Model> model_ = std::make_shared<Model>();
  std::shared_ptr<std::vector<std::vector<std::byte>>> constants_ = std::make_shared<std::vector<std::vector<std::byte>>>();
  std::unique_ptr<runtime::Executor> executor_;
};

}  // namespace visq::testing
