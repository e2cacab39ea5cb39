// The sums of a record as merge unpacks them from a result of anywhere, of the example's models. The first byte says of which command they
// are, and with which options.
#include <cstdlib>
#include <memory>

#include "fuzz/fuzz_input.h"
#include "visq/merge.h"

namespace visq::fuzz {
namespace {

constexpr unsigned kBadcase = 1, kPerChannel = 2, kOrigin = 4, kPost = 8;

std::shared_ptr<const Model> example(const char* name) {
  auto model = load_model(std::string(VISQ_SOURCE_DIR "/examples/digits/") + name);
  if (!model.ok()) std::abort();
  return std::make_shared<const Model>(std::move(model).value());
}

void merge(unsigned kind, const std::string& sums) {
  static const auto reference = example("fp32.tflite"), quantized = example("int8.tflite");
  Part part;
  part.path = "part.json";
  part.data = "random";
  part.post = (kind & kPost) != 0 ? PostProcess::kSoftmax : PostProcess::kNone;
  part.sums.per_channel = (kind & kPerChannel) != 0;
  part.sums.origin = (kind & kOrigin) != 0;
  part.sums.records = {sums, sums, sums};  // folds what went before
  part.records = {0, 3};
  if ((kind & kBadcase) != 0) {
    part.metrics = {every_metric().front()};
    static_cast<void>(merge_badcases(reference, quantized, {part}));
  } else {
    static_cast<void>(merge_comparisons(reference, quantized, {part}));
  }
}

}  // namespace
}  // namespace visq::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  visq::fuzz::limit_the_run();
  if (size > 0) visq::fuzz::merge(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
