// An HDF5 file from anywhere: as test data, as a dump of feature maps, and as labels, in the readers that the tool runs in a child process
// (data/hdf5_child.h). The HDF5 library itself dies of some files; there the child ends, here this process does, which is no finding.
#include <unistd.h>

#include <csignal>
#include <new>

#include "data/hdf5/hdf5_readers.h"
#include "fuzz/data_models.h"
#include "fuzz/fuzz_input.h"
#include "visq/dump.h"

namespace visq::fuzz {
namespace {

OpenFile open(const std::string& path) { return open_regular_file(path).value(); }

void read_records(const std::string& path, const Model& model) {
  const auto source = data::read_hdf5_records(open(path), path, model, {});
  if (source.ok()) read_first(**source, model);
}

void read_dump(const std::string& path) {
  const auto dump = data::read_hdf5_dump(open(path), path);
  if (!dump.ok()) return;
  std::size_t left = 4;
  for (const std::int64_t record : (*dump)->records()) {
    const auto tensors = (*dump)->tensors(record);
    if (!tensors.ok() || left-- == 0) return;
    for (const DumpTensor& tensor : *tensors) static_cast<void>((*dump)->read(record, tensor));
  }
}

void on_fault(int signal) {
  if (hdf5::in_library()) ::_exit(0);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace
}  // namespace visq::fuzz

/// What the library leaves behind when it gives a damaged file up is not ours to free.
extern "C" const char* __lsan_default_suppressions() { return "leak:H5"; }

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) std::signal(signal, visq::fuzz::on_fault);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  hdf5::confine();
  const std::string& path = fuzz::file_of(data, size);
  try {
    fuzz::read_records(path, fuzz::model_taking(DType::kFloat32));
    fuzz::read_records(path, fuzz::model_taking(DType::kString));
    fuzz::read_records(path, fuzz::model_of_two());
    fuzz::read_dump(path);
    static_cast<void>(data::read_hdf5_labels(fuzz::open(path), path, ""));
  } catch (const std::bad_alloc&) {  // as main() does: beyond the limit
  }
  return 0;
}
