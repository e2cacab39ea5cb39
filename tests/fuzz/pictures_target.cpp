// A JPEG or PNG file from anywhere, as it is and resized, in colour and grey.
#include <algorithm>
#include <new>

#include "fuzz/data_models.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  const std::string& path = fuzz::file_of(data, size);
  try {
    Model model = fuzz::model_taking(DType::kFloat32);
    TensorInfo& input = model.subgraphs[0].tensors[0];
    input.has_rank = true;
    for (const std::int64_t channels : {3, 1}) {
      input.shape = Shape{1, 9, 7, channels};
      for (const auto resize : {Preparation::Resize::kNone, Preparation::Resize::kInput, Preparation::Resize::kMiddle}) {
        Preparation wanted;
        wanted.resize = resize;
        wanted.width = 10;
        wanted.scale = 0.5;
        const auto source = open_data(path, model, wanted);
        if (source.ok()) fuzz::read_first(**source, model);
      }
    }
  } catch (const std::bad_alloc&) {  // as main() does: beyond the limit
  }
  return 0;
}
