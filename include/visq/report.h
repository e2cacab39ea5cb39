// Results as files and text. Names of tensors are data: every format escapes them as its readers need.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "visq/compare.h"

namespace visq {

/// How values are spread over the nine colours. kDefault: SQNR on fixed borders, linear for MPEIR and where higher is better, otherwise
/// logarithmic where the largest value exceeds the median 100 times.
enum class ColorScale : std::uint8_t { kDefault, kLinear, kLog };

/// What one condition of the user's (--min, --max, --baseline) came to for one feature map.
struct ConditionOutcome {
  std::string condition;  ///< as on the command line: "--min sqnr=20"
  int map = -1;           ///< index into CompareResult::maps; -1: no particular one
  std::string failure;    ///< one line that says what does not hold; empty: it holds
};

struct ReportOptions {
  std::string title;  ///< shown above pictures and views; empty: none
  ColorScale colors = ColorScale::kDefault;
  bool quantized_names = false;                 ///< model-explorer: tensors by the quantized model's names, not by the reference's
  std::vector<ConditionOutcome> outcomes = {};  ///< in the order of the conditions; for reports that build servers read
};

/// A file to be written: name relative to the output folder, and its whole content.
struct OutputFile {
  std::string name;
  std::string content;
};

/// One output format.
struct ReportKind {
  std::string_view kind;         ///< "visq", "dot", "csv" …
  std::string_view description;  ///< one line
  bool by_default = false;       ///< written by `compare -o OUT` without being asked for
};

/// All formats, by kind.
std::vector<ReportKind> report_kinds();

/// Writes one format into a folder, which is made if it is not there. Returns the paths written.
/// Errors: kUsage for an unknown kind; kBadInput naming the path that cannot be written.
Result<std::vector<std::string>> write_report(const CompareResult& result, std::string_view kind, const std::string& folder,
                                              const ReportOptions& options);

/// Writes a format that consists of one file (visq and dot do where the result holds one metric) to a path.
/// Errors: as above; kUsage where the format consists of several files.
Status write_report_file(const CompareResult& result, std::string_view kind, const std::string& path, const ReportOptions& options);

/// result.json: everything that is known, as schema/compare.schema.json describes.
std::string result_json(const CompareResult& result);

/// STEM.METRIC.visq.json for one metric. `path` is where the text will be stored: the model is named
/// relative to its folder.
std::string visq_json(const CompareResult& result, Metric metric, const std::string& path, const ReportOptions& options);

/// The graph in Graphviz' language, every operator in the colour of its worst output.
std::string dot_graph(const CompareResult& result, Metric metric, const ReportOptions& options);

/// The same from the contents of a *.visq.json file.
struct VisqFile {
  std::string path;    ///< of the file itself, for messages
  std::string model;   ///< path of the model, resolved against the file's folder
  std::string metric;  ///< label, e.g. "MSE"
  std::string title;   ///< empty: none
  struct Bin {
    double begin = 0, end = 0;
    std::string color;  ///< "#rrggbb"
  };
  std::vector<Bin> bins;
  std::vector<std::vector<std::pair<std::string, double>>> errors;  ///< per subgraph: tensor name, value
};

/// Errors: kBadInput naming the file and the key that is missing or of the wrong type.
Result<VisqFile> read_visq_json(const std::string& path);

/// Errors: kBadInput where the file speaks of more subgraphs than the graph has, or of no tensor that the graph knows.
Result<std::string> dot_graph(const VisqFile& file, const Graph& graph);

struct SummaryOptions {
  int width = 80;               ///< columns of the terminal
  int worst = 10;               ///< rows of the table of worst nodes
  Metric sort = Metric::kNone;  ///< by which nodes are worst; kNone: SQNR if present, else the first
  bool color = false;           ///< terminal colours
  std::string folder;           ///< where files were written; empty: none were
  bool next = true;             ///< end with the next useful command
  std::string data_options;     ///< how that takes the data, as behind -d: " --scale 1/255"
  std::string more_options;     ///< what else was asked for that goes with any next command: " --labels y.npy"
  std::string own_options;      ///< the same that goes with compare alone: " --score psnr"
};

/// What `compare` prints: models, outputs, the worst nodes, anomalies, pairing, and the next useful command.
std::string summary(const CompareResult& result, const SummaryOptions& options);

}  // namespace visq
