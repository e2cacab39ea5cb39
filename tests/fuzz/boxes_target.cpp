// Boxes in COCO's JSON from anywhere; and masks, where the input is a file of arrays or a PNG.
#include <new>

#include "fuzz/fuzz_input.h"
#include "visq/data/truth.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  const std::string& path = fuzz::file_of(data, size);
  try {
    if (holds_boxes(path)) {
      static_cast<void>(load_boxes(path));
      return 0;
    }
    const auto masks = open_masks(path);
    if (masks.ok() && (*masks)->count() > 0) static_cast<void>((*masks)->read(0));
  } catch (const std::bad_alloc&) {  // as main() does: beyond the limit
  }
  return 0;
}
