// An ONNX file from anywhere, as the target `model` has flatbuffers; its shapes are looked for first, for files need not state them.
#include <memory>

#include "fuzz/fuzz_input.h"
#include "fuzz/model_runs.h"
#include "visq/models/find_shapes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  auto loaded = load_model(fuzz::file_of(data, size));
  if (!loaded.ok()) return 0;
  find_shapes(*loaded);
  fuzz::try_all(std::make_shared<const Model>(std::move(loaded).value()));
  return 0;
}
