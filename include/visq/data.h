// Test data: records, each with one value per graph input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/model.h"
#include "visq/tensor.h"

namespace visq {

/// One record: one array per graph input, in the order of the model that the source was opened for.
struct Record {
  std::int64_t index = 0;  ///< its number in the data
  std::vector<Array> inputs;
};

/// Where records come from. Not thread-safe: one thread reads, others compute.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  virtual std::int64_t count() const = 0;
  /// Reads record `index` of [0, count()). Errors name the file, the record and the input.
  virtual Result<Record> read(std::int64_t index) = 0;
  /// What messages and results call it: the path as given, or "random".
  virtual std::string description() const = 0;
};

/// Opens test data for a model: an HDF5 file, a folder of .npy files (one sub-folder per input, or one input), a stacked .npy.
/// Arrays come in the model's input order; types are checked against what an input can be fed with (see to_model_input),
/// shapes against the input's shape (where its signature says -1, any size).
/// Errors: kBadInput naming file, record and input.
Result<std::unique_ptr<RecordSource>> open_data(const std::string& path, const Model& model);

/// One random record for `model`, seeded. `twin` (may be null) is the quantized model of a pair: its input's range (or that of the
/// QUANTIZE behind a float input) is drawn from uniformly; without a range, `legacy` or not, floats are from [-5, 5], integers from
/// [0, 100], bools 0/1. `legacy` draws floats from [-5, 5] always, as the original tool does.
std::unique_ptr<RecordSource> random_data(const Model& model, const Model* twin, std::uint64_t seed, bool legacy);

/// For each graph input of `twin`, the position of the matching graph input of `model`: by name, else shape and type, else position.
/// Errors: kBadInput where the numbers of inputs differ or no input is left that fits.
Result<std::vector<int>> match_inputs(const Model& model, const Model& twin);

}  // namespace visq
