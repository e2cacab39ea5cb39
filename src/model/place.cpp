#include "model/place.h"

#include "model/printable.h"

namespace visq::loader {

std::string Place::text() const {
  std::string text(path_);
  if (subgraph_ >= 0) text += fmt::format(": subgraph {}", subgraph_);
  if (kind_ == Kind::kTensor) text += fmt::format(", tensor {} '{}'", index_, printable(label_));
  if (kind_ == Kind::kNode) text += fmt::format(", node {} {}", index_, printable(label_));
  return text;
}

}  // namespace visq::loader
