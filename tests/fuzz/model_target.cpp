// A model file from anywhere: loaded, described, checked, prepared and run on one random record in all three modes, and once more as the
// last of its signatures has it.
#include <memory>

#include "fuzz/flatbuffer_mutator.h"
#include "fuzz/fuzz_input.h"
#include "fuzz/model_runs.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  auto loaded = load_model(fuzz::file_of(data, size));
  if (!loaded.ok()) return 0;
  if (loaded->signatures.size() > 1) {
    Model chosen = *loaded;
    const std::string key = chosen.signatures.back().key;
    if (choose_signature(chosen, key).ok()) fuzz::try_all(std::make_shared<const Model>(std::move(chosen)));
  }
  fuzz::try_all(std::make_shared<const Model>(std::move(loaded).value()));
  return 0;
}

#ifdef VISQ_LIBFUZZER
/// libFuzzer's own change of bytes.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
  const bool blind = seed % 4 == 0;
  if (!blind && visq::fuzz::mutate_flatbuffer({data, size}, seed)) return size;
  return LLVMFuzzerMutate(data, size, max_size);
}
#endif
