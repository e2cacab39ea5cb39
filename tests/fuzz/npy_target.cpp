// A .npy or .csv file from anywhere: as records of inputs of several types, as labels, and as tokens.
#include <algorithm>
#include <new>

#include "fuzz/data_models.h"
#include "fuzz/fuzz_input.h"
#include "visq/tokens.h"

namespace visq::fuzz {
namespace {

void read_records(const std::string& path, const Model& model) {
  const auto source = open_data(path, model);
  if (source.ok()) read_first(**source, model);
}

}  // namespace
}  // namespace visq::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  const std::string& path = fuzz::file_of(data, size);
  try {
    for (const DType dtype : {DType::kFloat32, DType::kInt8, DType::kBool, DType::kComplex64}) {
      fuzz::read_records(path, fuzz::model_taking(dtype));
    }
    static_cast<void>(load_labels(path));
    static_cast<void>(load_tokens(path));
  } catch (const std::bad_alloc&) {  // as main() does: beyond the limit
  }
  return 0;
}
