// An .npz file from anywhere: as records, as labels, as a device's maps.
#include <algorithm>
#include <new>

#include "fuzz/data_models.h"
#include "fuzz/fuzz_input.h"
#include "visq/dump.h"

namespace visq::fuzz {
namespace {

void read_maps(const std::string& path) {
  const auto dump = open_dump(path);
  if (!dump.ok()) return;
  const auto tensors = (*dump)->tensors((*dump)->records().front());
  for (const DumpTensor& tensor : *tensors) static_cast<void>((*dump)->read((*dump)->records().front(), tensor));
}

}  // namespace
}  // namespace visq::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  const std::string& path = fuzz::file_of(data, size);
  try {
    for (const Model& model : {fuzz::model_taking(DType::kFloat32), fuzz::model_of_two()}) {
      const auto source = open_data(path, model);
      if (source.ok()) fuzz::read_first(**source, model);
    }
    static_cast<void>(load_labels(path));
    fuzz::read_maps(path);
  } catch (const std::bad_alloc&) {  // as main() does: beyond the limit
  }
  return 0;
}
