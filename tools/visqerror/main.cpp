// visqerror: which layer of a quantized network lost the accuracy, and why.
#include <exception>

#include "visqerror/command_line.h"
#include "visqerror/console.h"
#include "visqerror/exit_code.h"

int main(int argc, char** argv) {
  using namespace visq::tool;
  try {
    return run_command_line({argv + 1, argv + argc});
  } catch (const OutputClosed&) {
    return kDone;  // whoever read our output has seen enough
  } catch (const std::exception& fault) {
    print_error(fault.what());
    return kFault;
  }
}
