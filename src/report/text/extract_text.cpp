// extract for people: what was extracted, and what each file of the folder holds.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "core/joined.h"
#include "report/words/identity_text.h"
#include "report/words/text.h"
#include "report/words/view.h"
#include "visq/report/extract.h"

namespace visq::report {
namespace {

std::string file_name(const std::string& path) { return printable(std::filesystem::path(path).filename().string()); }

/// "node 3 CONV_2D, node 4 RELU of fp32.tflite".
std::string operators_of(const ExtractedPart& part) {
  std::vector<std::string> nodes;
  for (const MapIdentity& op : part.operators) nodes.push_back(fmt::format("node {} {}", place(op), printable(op.op)));
  return fmt::format("{} of {}", joined(nodes, ", "), file_name(part.model.path));
}

std::string names_of(const std::vector<MapIdentity>& maps) {
  std::vector<std::string> names;
  for (const MapIdentity& map : maps) names.push_back(printable(shown_name(map)));
  return joined(names, ", ");
}

using Entry = std::pair<std::string, std::string>;

std::vector<Entry> file_lines(const ExtractResult& result, const ExtractFiles& files) {
  const std::string records = records_text(result);
  const std::string first = result.records.last - result.records.first == 1
                                ? fmt::format("record {}", result.records.first)
                                : fmt::format("records {}:{}", result.records.first, result.records.last);
  std::vector<Entry> lines{
      {files.reference_model, operators_of(result.reference)},
      {files.quantized_model, operators_of(result.quantized)},
      {files.data,
       fmt::format("their inputs ({}) in {}, from {}: what {} computes for {} of {}", names_of(result.reference.inputs), records,
                   name(result.reference.mode), file_name(result.reference.model.path), first, file_name(result.data))},
      {files.reference_outputs, fmt::format("what {} gives for {} ({})", files.reference_model, files.data, name(result.reference.mode))},
      {files.quantized_outputs, fmt::format("what {} gives for {} ({})", files.quantized_model, files.data, name(result.quantized.mode))},
  };
  if (files.quantized_inputs.empty()) return lines;
  lines.push_back({files.quantized_inputs, fmt::format("the inputs that {} computes itself, with the error of all nodes before ({})",
                                                       file_name(result.quantized.model.path), name(result.quantized.mode))});
  lines.push_back({files.quantized_own_outputs,
                   fmt::format("what {} gives for {}, as in the whole model", files.quantized_model, files.quantized_inputs)});
  return lines;
}

}  // namespace

ExtractFiles extract_files(const ExtractResult& result, bool own_inputs) {
  const auto ending = [](const ExtractedPart& part) { return fmt::format(".{}", part.model.format); };
  ExtractFiles files;
  files.reference_model = std::string("fp32") + ending(result.reference);
  files.quantized_model = std::string("quant") + ending(result.quantized);
  if (!own_inputs) files.quantized_inputs = files.quantized_own_outputs = "";
  return files;
}

std::string extract_text(const ExtractResult& result, const ExtractFiles& files, std::size_t columns) {
  std::string text = wrapped(fmt::format("{} alone, from {} and {}", printable(result.display.empty() ? result.node : result.display),
                                         file_name(result.reference.model.path), file_name(result.quantized.model.path)),
                             columns, 0) +
                     "\n";
  if (!result.remark.empty()) text += wrapped(printable(result.remark), columns, 0) + "\n";
  const auto count = [](const ExtractedPart& part) { return plural(static_cast<std::int64_t>(part.operators.size()), "operator"); };
  if (result.reference.operators.size() != 1 || result.quantized.operators.size() != 1) {
    text += wrapped(fmt::format("{} of the one {} for {} of the other", count(result.reference),
                                result.reference.operators.size() == 1 ? "stands" : "stand", count(result.quantized)),
                    columns, 0) +
            "\n";
  }
  text += "\n";
  const auto lines = file_lines(result, files);
  std::size_t widest = 0;
  for (const Entry& line : lines) widest = std::max(widest, width(line.first));
  for (const auto& [file, what] : lines) {
    text += fmt::format("{}{}  {}\n", file, std::string(widest - width(file), ' '), wrapped(what, columns, widest + 2));
  }
  return text;
}

std::string extract_readme(const ExtractResult& result, const ExtractFiles& files) {
  std::string text = extract_text(result, files, 100);
  const auto run = [&](const std::string& model, const ExtractedPart& part, const std::string& data, const std::string& outputs) {
    text += fmt::format("  visqerror run {} -d {} --mode {} -o maps.h5  # gives {} again\n", model, data, name(part.mode), outputs);
  };
  text += fmt::format(
      "\nThe error that the node itself makes:\n  visqerror compare {} {} -d {}\n"
      "The outputs again, to the bit:\n",
      files.reference_model, files.quantized_model, files.data);
  run(files.reference_model, result.reference, files.data, files.reference_outputs);
  run(files.quantized_model, result.quantized, files.data, files.quantized_outputs);
  if (!files.quantized_inputs.empty()) {
    run(files.quantized_model, result.quantized, files.quantized_inputs, files.quantized_own_outputs);
  }
  text +=
      "\nTest data are /value/RECORD/INPUT with inputs in the model's order, outputs /value/RECORD/TENSOR with tensors by index. Real "
      "values\n"
      "feed quantized inputs too: q = round(x / scale) + zero_point.\n";
  return text;
}

}  // namespace visq::report
