#include "support/results/xml_fault.h"

#include <regex>
#include <vector>

namespace visq::testing {

std::string xml_fault(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size();) {
    const unsigned char c = static_cast<unsigned char>(text[at]);
    if (c < 0x20 && c != '\n') return "a control character";
    if (text[at] == '&' &&
        !std::regex_search(text.begin() + static_cast<std::ptrdiff_t>(at),
                           text.begin() + static_cast<std::ptrdiff_t>(std::min(at + 7, text.size())), std::regex("^&(lt|gt|amp|quot);"))) {
      return "a bare ampersand";
    }
    if (text[at] != '<') {
      ++at;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "an open tag";
    const std::string tag = text.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" /", 1) - (tag[0] == '/' ? 1 : 0));
    if (tag[0] == '?') {  // what stands before the first element
      if (at != 0) return "<?" + name + " in the middle";
    } else if (tag[0] == '/') {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    at = end + 1;
  }
  return open.empty() ? "" : open.back() + " stays open";
}

}  // namespace visq::testing
