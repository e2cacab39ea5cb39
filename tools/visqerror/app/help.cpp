#include "visqerror/app/help.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/hdf5/hdf5_version.h"
#include "data/numpy/zip.h"
#include "data/pictures/pixels.h"
#include "kernels/backend/build_info.h"
#include "model/flatbuffers_version.h"
#include "report/page/graph_layout.h"
#include "report/page/page_library.h"
#include "visqerror/options/command.h"

namespace visq::tool {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kColumn = 24;  ///< where descriptions begin

/// Words of `text` in lines that end before column kWidth; lines after the first begin at column `indent`.
std::string wrap(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (column > indent && column + 1 + word.size() > kWidth) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// "  NAME   description", the description on its own line where the name is too long.
std::string entry(std::string_view name, std::string_view description) {
  std::string line = fmt::format("  {}", name);
  line += line.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - line.size(), ' ');
  return line + wrap(description, kColumn) + "\n";
}

std::string entry(const Option& option) {
  std::string name;
  for (const std::string& each : option.names()) name += (name.empty() ? "" : ", ") + each;
  if (!option.placeholder().empty()) name += " " + option.placeholder();
  return entry(name, option.description());
}

template <class Wanted>
std::string section(std::string_view title, const Options& options, Wanted wanted) {
  std::string text;
  for (const Option& option : options.all()) {
    if (wanted(option)) text += entry(option);
  }
  return text.empty() ? "" : fmt::format("\n{}:\n{}", title, text);
}

}  // namespace

std::string help(const Options& options) {
  std::string text = wrap(options.name() + ": " + options.summary(), 0) + "\n\nUsage: " + usage(options) + "\n";
  text += section("Arguments", options, [](const Option& option) { return option.is_argument(); });
  for (const std::string& group : options.groups()) {
    text += section(group, options, [&](const Option& option) { return !option.is_argument() && option.group() == group; });
  }
  if (!options.footer().empty()) text += "\n" + options.footer() + "\n";
  return text;
}

std::string usage(const Options& options) {
  std::string text = options.name();
  for (const Option& option : options.all()) {
    if (option.is_argument()) text += option.usual().empty() ? " " + option.names().front() : " [" + option.names().front() + "]";
  }
  return text + " [options]";
}

const std::string_view kPurpose =
    "compares a neural network with its quantized twin (circle, TFLite or ONNX): it runs both in lockstep and tells, for every feature "
    "map, how "
    "far it is off.";

const std::vector<NamedText>& general_options() {
  static const std::vector<NamedText> options = {
      {"-h, --help", "print this help, or a command's: visqerror COMMAND --help"},
      {"--version", "print version, libraries, CPU features and which are in use"},
      {"--completion SHELL", "print what makes bash, zsh or fish complete commands, options and values"},
      {"--man-page [COMMAND]", "print the manual page, for man -l -"},
  };
  return options;
}

const std::vector<std::string_view>& general_examples() {
  static const std::vector<std::string_view> examples = {
      "visqerror fp32.tflite int8.tflite",
      "visqerror compare fp32.circle int8.circle -d data.h5 -o out",
      "visqerror run int8.tflite -d data.h5 -o maps.h5",
      "source <(visqerror --completion bash)",
  };
  return examples;
}

const std::vector<NamedText>& exit_codes() {
  static const std::vector<NamedText> codes = {
      {"0", "done"},
      {"1", "a --min or --max condition does not hold"},
      {"2", "wrong command line"},
      {"3", "an input cannot be read or used, an output not written"},
      {"4", "a part could not be computed"},
      {"5", "a fault of visqerror's own"},
      {"129, 130, 143", "interrupted"},
  };
  return codes;
}

std::string general_help() {
  std::string text = wrap("visqerror " + std::string(kPurpose), 0);
  text +=
      "\n\nUsage: visqerror COMMAND [arguments] [options]\n"
      "       visqerror FP32 QUANT [options]        compare, on the terminal\n"
      "\nCommands:\n";
  for (const CommandDef* command : all_commands()) text += entry(command->name, command->summary);
  text += "\nOptions:\n";
  for (const auto& [name, description] : general_options()) text += entry(name, description);
  text += "\nExamples:\n";
  for (const std::string_view example : general_examples()) text += fmt::format("  {}\n", example);
  text +=
      "\nThe flags of the original visq (--fp32_circle A --q_circle B --mpeir_output F …)\n"
      "work too, without a command.\n\n";
  std::string codes = "Exit codes:";
  for (const auto& [code, meaning] : exit_codes()) codes += fmt::format(" {} {};", code, meaning);
  codes.back() = '.';
  return text + wrap(codes, 0) + "\n";
}

std::string version_text() {
  std::string text = fmt::format("visqerror {}\n", VISQ_VERSION);
  for (const std::string& library : kernels::kernel_libraries()) text += fmt::format("{}\n", library);
  for (const std::string& library : {hdf5::version(), data::inflating_library(), data::jpeg_version(), data::png_version(),
                                     flatbuffers_version(), report::graphviz_version(), report::page_library_version()})
    text += library + "\n";
  return text + fmt::format("CPU: {}\n", kernels::cpu_features());
}

}  // namespace visq::tool
