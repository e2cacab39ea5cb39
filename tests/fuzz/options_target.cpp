// Words of the command line: values of --min and --max and the other options with a grammar, and filters of nodes. Lines: the first is
// the word, or the pattern of a filter that the others go through as names.
#include "analysis/facts/node_filter.h"
#include "fuzz/fuzz_input.h"
#include "visqerror/options/conditions.h"
#include "visqerror/options/values.h"

namespace visq::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void parse(const std::string& word) {
  for (const char* option : {"--min", "--max"}) {
    const auto condition = tool::parse_condition(option, word);
    if (condition.ok()) static_cast<void>(tool::evaluate(*condition, CompareResult{}));
  }
  static_cast<void>(tool::parse_records(word));
  static_cast<void>(tool::parse_number("--tolerance", word));
  static_cast<void>(tool::parse_integer("--top", word, 1, 100));
  static_cast<void>(tool::parse_memory("--memory", word));
  static_cast<void>(tool::parse_metric("--metrics", word));
  static_cast<void>(tool::parse_post(word));
}

}  // namespace
}  // namespace visq::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  const auto lines = fuzz::lines_of({reinterpret_cast<const char*>(data), size});
  if (lines.empty()) return 0;
  fuzz::parse(lines.front());
  analysis::NodeFilter filter({lines.front()}, {});
  for (const std::string& line : lines) filter.learn_name(line);
  for (const std::string& line : lines) static_cast<void>(filter.passes({line}, "CONV_2D"));
  return 0;
}
