// What devices' tools leave behind, from anywhere: lists of raw files (CSV, and JSON where the input begins with a bracket), texts of
// numbers,
// files of TFLite Micro's layer-by-layer tool.
#include <new>

#include "core/file.h"
#include "data/device/device_files.h"
#include "data/device/text_map.h"
#include "fuzz/fuzz_input.h"

namespace visq::fuzz {
namespace {

void read_all(const Result<std::unique_ptr<DumpReader>>& dump) {
  if (!dump.ok()) return;
  for (const std::int64_t record : (*dump)->records()) {
    const auto tensors = (*dump)->tensors(record);
    for (const DumpTensor& tensor : *tensors) static_cast<void>((*dump)->read(record, tensor));
  }
}

}  // namespace
}  // namespace visq::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  const std::string& path = fuzz::file_of(data, size);
  try {
    const bool json = size > 0 && (data[0] == '[' || data[0] == '{');
    fuzz::read_all(data::open_manifest_as(path, json));
    if (data::holds_micro_debug(path)) fuzz::read_all(data::open_micro_debug(path));
    const auto tensor = data::look_at_text(path, "text");
    if (tensor.ok()) static_cast<void>(data::read_text(path, *tensor, "text"));
  } catch (const std::bad_alloc&) {  // as main() does: beyond the limit
  }
  return 0;
}
