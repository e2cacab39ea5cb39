// The result of inspect as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "visq/inspect.h"

namespace visq::report {

struct InspectTextOptions {
  bool tensors = false;     ///< also a table of all tensors
  std::size_t columns = 0;  ///< width of the terminal: names give way in their middle, lines end there. 0: nothing is cut
};

/// Summary, operators by type, graph inputs and outputs, and for each operator a line with its options, followed by one per tensor.
std::string inspect_text(const Inspection& inspection, const InspectTextOptions& options);

/// The document of schema/inspect.schema.json. Scales that are no finite number are null.
std::string inspect_json(const Inspection& inspection);

}  // namespace visq::report
