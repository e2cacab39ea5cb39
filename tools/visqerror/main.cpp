// visqerror: which layer of a quantized network lost the accuracy, and why.
#include <exception>
#include <new>
#include <string>
#include <system_error>
#ifdef __GLIBC__  // known once a standard header was included
#include <malloc.h>
#endif

#include "visqerror/command_line.h"
#include "visqerror/console.h"
#include "visqerror/exit_code.h"
#include "visqerror/job.h"

namespace {

/// Weights are unpacked, centred and packed in vectors of megabytes. By default the C library gives each back to the system, and
/// clearing fresh pages for the next costs more than the work on it.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargest = 32 << 20;  // what the library allows
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, 8 * kLargest);
#endif
}

int run(int argc, char** argv) {
  using namespace visq::tool;
  try {
    return run_command_line({argv + 1, argv + argc});
  } catch (const OutputClosed&) {
    return kDone;  // whoever read our output has seen enough
  } catch (const std::bad_alloc&) {
    print_error("there is not enough memory for this model and these data; fewer --threads take less");
    return kInputError;
  } catch (const std::system_error& refusal) {
    print_error(std::string("the system refuses what a run takes: ") + refusal.what());
    return kInputError;
  } catch (const std::exception& fault) {
    print_error(fault.what());
    return kFault;
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  if (const auto joined = visq::tool::join_job(); !joined.ok()) return visq::tool::finish(joined.error());
  return visq::tool::leave_job(run(argc, argv));
}
