// visqerror: which layer of a quantized network lost the accuracy, and why.
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include "visqerror/command_line.h"
#include "visqerror/sessions/job.h"
#include "visqerror/terminal/console.h"
#include "visqerror/terminal/exit_code.h"
#include "visqerror/terminal/heap_policy.h"

namespace {

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
  visq::tool::set_heap_policy();
  if (const auto joined = visq::tool::join_job(); !joined.ok()) return visq::tool::finish(joined.error());
  return visq::tool::leave_job(run(argc, argv));
}
