#include "visqerror/outputs/result_outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/as_size.h"
#include "core/error.h"
#include "visqerror/options/shared_options.h"

namespace visq::tool {

void ResultOutputOptions::add_to(Options& options, const std::string& files) {
  const std::string group = "Output";
  options.value("-o,--out", folder, "DIR", "write result files into this folder: " + files).group(group);
  options.value("--json", json, "FILE|-", "the result as JSON; - for standard output, instead of text").group(group);
}

Result<std::unique_ptr<ResultOutputs>> ResultOutputs::prepare(const ResultOutputOptions& options, const std::vector<std::string>& names,
                                                              const std::vector<std::string>& inputs,
                                                              const std::vector<std::string>& more) {
  std::unique_ptr<ResultOutputs> outputs(new ResultOutputs());
  outputs->folder_ = options.folder;
  outputs->json_ = options.json;
  std::vector<std::string> paths = more;
  if (outputs->to_folder()) {
    for (const std::string& name : names) paths.push_back((std::filesystem::path(options.folder) / name).string());
  }
  if (!options.json.empty() && options.json != "-") paths.push_back(options.json);
  VISQ_TRY(check_distinct(paths, inputs));
  if (outputs->to_folder()) VISQ_TRY(outputs->made_.prepare(options.folder));
  for (const std::string& path : paths) VISQ_TRY(check_writable(path));
  return outputs;
}

Status ResultOutputs::write(const std::vector<OutputFile>& files, const std::string& json, const std::string& text, const Console& console,
                            const std::vector<FileToWrite>& more) {
  std::vector<FileToWrite> wanted = more;
  if (to_folder()) {
    for (const OutputFile& file : files) wanted.push_back({(std::filesystem::path(folder_) / file.name).string(), file.content});
  }
  if (!json_.empty() && json_ != "-") wanted.push_back({json_, json});
  VISQ_TRY(write_files(wanted));
  made_.keep(console);
  for (const FileToWrite& file : wanted) console.log("wrote " + file.path);
  return write_stdout(json_ == "-" ? json : text);
}

std::size_t text_columns() {
  const int columns = terminal_columns();
  return columns > 0 ? as_size(std::max(columns, 40)) : 80;
}

bool wants_color() {
  const char* unwanted = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool capable = terminal != nullptr && std::string_view(terminal) != "dumb";
  return capable && is_terminal(STDOUT_FILENO) && (unwanted == nullptr || *unwanted == '\0');
}

}  // namespace visq::tool
