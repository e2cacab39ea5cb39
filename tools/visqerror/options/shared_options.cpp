#include "visqerror/options/shared_options.h"

#include <CLI/CLI.hpp>

#include "core/error.h"

namespace visq::tool {

CLI::Option* add_value(CLI::App& app, const std::string& names, std::string& target, const std::string& placeholder,
                       const std::string& description) {
  return app.add_option(names, target, description)->option_text(placeholder);
}

CLI::Option* add_values(CLI::App& app, const std::string& names, std::vector<std::string>& target, const std::string& placeholder,
                        const std::string& description) {
  return app.add_option(names, target, description)->option_text(placeholder)->allow_extra_args(false);
}

void DataOptions::add_to(CLI::App& app, const std::string& usual_records) {
  const std::string group = "Data";
  add_value(app, "-d,--data", path, "PATH",
            "test data: an HDF5 file, a folder of .npy files (one sub-folder per input, or one input), or a stacked .npy; default: one "
            "random record")
      ->group(group);
  add_value(
      app, "--records", records, "SELECTION",
      "only the first N records; A:B, from A up to, not including, B; or worst:K, the K worst as badcase finds them, in one more pass; "
      "default: " +
          usual_records)
      ->group(group);
  add_value(app, "--seed", seed, "N", "seed of random data; default: 0")->group(group);
}

void SelectionOptions::add_to(CLI::App& app) {
  const std::string group = "Selection";
  add_values(app, "--nodes", nodes, "GLOB", "only feature maps of this name (of either model; * and ? stand for any characters)")
      ->group(group);
  add_values(app, "--ops", ops, "TYPE", "only operators of this type, such as CONV_2D")->group(group);
}

void ConsoleOptions::add_to(CLI::App& app) {
  app.add_flag("--quiet", quiet, "no progress, warnings and hints");
  app.add_flag("--verbose", verbose, "say what is being done, on stderr");
}

void add_post(CLI::App& app, std::string& target) {
  add_value(app, "--post", target, "FUNCTION",
            "softmax, sigmoid or argmax (over the last axis) on the models' outputs before they are compared");
}

void add_threads(CLI::App& app, std::string& target) { add_value(app, "--threads", target, "N", "threads; default: all cores"); }

Result<int> parse_threads(const std::string& text) {
  if (text.empty()) return 0;
  VISQ_ASSIGN(const std::int64_t threads, parse_integer("--threads", text, 1, 1024));
  return static_cast<int>(threads);
}

}  // namespace visq::tool
