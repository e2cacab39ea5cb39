#include "visqerror/terminal/exit_code.h"

#include "core/ranks.h"
#include "visqerror/terminal/console.h"
#include "visqerror/terminal/interrupt.h"
#include "visqerror/terminal/message.h"

namespace visq::tool {

ExitCode exit_code(Reason reason) {
  switch (reason) {
    case Reason::kUsage:
      return kUsageError;
    case Reason::kBadInput:
      return kInputError;
    case Reason::kUnsupported:
      return kIncomplete;
    case Reason::kInternal:
      break;
  }
  return kFault;
}

void print_error(std::string_view message) {
  ranks().note_failure(std::string(message));
  write_stderr("visqerror: " + readable(message) + "\n");
}

int finish(const Result<int>& outcome) {
  if (outcome.ok()) return *outcome;
  if (interrupted()) return interruption_exit_code();  // what was given up for that is no error
  print_error(outcome.error().message);
  return exit_code(outcome.error().reason);
}

}  // namespace visq::tool
