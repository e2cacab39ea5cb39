#include "visqerror/options/shared_options.h"

#include "core/error.h"
#include "report/words/text.h"

namespace visq::tool {

void DataOptions::add_to(Options& options, const std::string& usual_records) {
  const std::string group = "Data";
  options
      .value("-d,--data", path, "PATH",
             "test data: an HDF5 file (or FILE.h5:/DATASET), an .npz, a stacked .npy, a folder of .npy files (one sub-folder per input, or "
             "one input) or of .jpg and .png pictures; INPUT=PATH,INPUT=PATH of several; default: one random record")
      .group(group);
  options
      .value(
          "--records", records, "SELECTION",
          "only the first N records; A:B, from A up to, not including, B; or worst:K, the K worst as badcase finds them, in one more pass; "
          "default: " +
              usual_records)
      .group(group);
  options.value("--seed", seed, "N", "seed of random data; default: 0").group(group);
  pictures.add_to(options);
}

std::string DataOptions::words() const { return report::shell_word(path) + words_behind(); }

std::string DataOptions::words_behind() const {
  std::string words = pictures.words();
  for (const std::string& pair : pairs.pairs) words += " --pair " + report::shell_word(pair);
  for (const std::string& apart : pairs.apart) words += " --no-pair " + report::shell_word(apart);
  return words;
}

std::string DataOptions::option() const {
  if (!tokens.empty()) return tokens + words_behind();
  return path.empty() ? "-d DATA" : "-d " + words();
}

void add_pairs(Options& options, PairWishes& wishes) {
  const std::string group = "Pairs of feature maps";
  options
      .values("--pair", wishes.pairs, "A=B",
              "map A of the first model and map B of the second belong together, whatever their names and weights say")
      .group(group);
  options.values("--no-pair", wishes.apart, "NAME", "this map of either model has no partner in the other").group(group);
}

void SelectionOptions::add_to(Options& options) {
  const std::string group = "Selection";
  options.values("--nodes", nodes, "GLOB", "only feature maps of this name (of either model; * and ? stand for any characters)")
      .group(group);
  options.values("--ops", ops, "TYPE", "only operators of this type, such as CONV_2D").group(group);
}

void ConsoleOptions::add_to(Options& options) {
  options.flag("--quiet", quiet, "no progress, warnings and hints");
  options.flag("--verbose", verbose, "say what is being done, on stderr");
}

void add_post(Options& options, std::string& target) {
  options.value("--post", target, "FUNCTION",
                "softmax, sigmoid or argmax (over the last axis) on the models' outputs before they are compared");
}

void add_threads(Options& options, std::string& target) { options.value("--threads", target, "N", "threads; default: all cores"); }

Result<int> parse_threads(const std::string& text) {
  if (text.empty()) return 0;
  VISQ_ASSIGN(const std::int64_t threads, parse_integer("--threads", text, 1, 1024));
  return static_cast<int>(threads);
}

}  // namespace visq::tool
