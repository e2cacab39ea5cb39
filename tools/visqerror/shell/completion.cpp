#include "visqerror/shell/completion.h"

namespace visq::tool {

std::optional<std::string> completion(std::string_view shell) {
  if (shell == "bash") return bash_completion();
  if (shell == "zsh") return zsh_completion();
  if (shell == "fish") return fish_completion();
  return std::nullopt;
}

}  // namespace visq::tool
