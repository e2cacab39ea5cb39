#include "core/joined.h"
#include "visq/report/ops.h"

#include <fmt/core.h>

#include <algorithm>

#include "report/json/json_text.h"
#include "report/words/text_table.h"
#include "visq/mode.h"

namespace visq::report {
namespace {

/// Narrower than this a column of types is not made.
constexpr std::size_t kSmallestTypes = 16;
constexpr std::size_t kGap = 2;  ///< between the columns of a text table

/// "f32", "i8", "u16", "c64", "str": tables on a terminal have little room.
std::string short_name(DType type) {
  static constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {
      {"float", "f"}, {"bfloat", "bf"}, {"uint", "u"}, {"int", "i"}, {"complex", "c"}, {"string", "str"}, {"resource", "res"}};
  const std::string_view full = name(type);
  for (const auto& [prefix, letters] : kPrefixes) {
    if (full.substr(0, prefix.size()) == prefix) return std::string(letters) + std::string(full.substr(prefix.size()));
  }
  return std::string(full);
}

std::vector<std::string> short_names(const std::vector<DType>& types) {
  std::vector<std::string> names;
  for (const DType type : types) names.push_back(short_name(type));
  if (names.empty()) names.emplace_back("-");
  return names;
}

/// Words in lines of at most `room` characters.
std::vector<std::string> wrapped(const std::vector<std::string>& words, std::size_t room) {
  std::vector<std::string> lines(1);
  for (const std::string& word : words) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > room) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string full_names(const std::vector<DType>& types) {
  std::vector<std::string_view> names;
  for (const DType type : types) names.push_back(name(type));
  return names.empty() ? "–" : joined(names, " ");
}

Json json_types(const std::vector<DType>& types) {
  Json list = Json::array();
  for (const DType type : types) list.push_back(name(type));
  return list;
}

}  // namespace

std::string ops_text(const std::vector<SupportedOp>& ops, std::size_t columns) {
  const auto length = [](const std::vector<DType>& types) { return joined(short_names(types), " ").size(); };
  std::size_t fixed = 2 * kGap, widest = 0;
  for (const SupportedOp& op : ops) widest = std::max(widest, op.name.size());
  fixed += widest;
  widest = std::string_view("integer").size();
  for (const SupportedOp& op : ops) widest = std::max(widest, std::min(length(op.stored), kSmallestTypes));
  fixed += widest;
  const std::size_t stored_room = columns == 0 ? std::string::npos : widest;
  const std::size_t values_room = columns == 0 ? std::string::npos : std::max(columns > fixed ? columns - fixed : 0, kSmallestTypes);
  std::vector<std::vector<std::string>> rows;
  for (const SupportedOp& op : ops) {
    const auto values = wrapped(short_names(op.values), values_room), stored = wrapped(short_names(op.stored), stored_room);
    for (std::size_t i = 0; i < std::max(values.size(), stored.size()); ++i) {
      rows.push_back({i == 0 ? op.name : "", i < values.size() ? values[i] : "", i < stored.size() ? stored[i] : ""});
    }
  }
  return text_table({{"operator"}, {"fp32, fake-quant"}, {"integer"}}, rows) +
         "\nElement types of the operator's main input. In fake-quant runs quantized\n"
         "tensors count as f32. In integer runs f32 means that only weights or results\n"
         "are quantized; operators without an entry run there on unquantized tensors.\n";
}

std::string ops_markdown(const std::vector<SupportedOp>& ops) {
  std::string text =
      "<!-- Made by `visqerror ops --markdown > docs/operators.md`; do not edit. -->\n"
      "# Operators\n\n"
      "What `visqerror` can run, as the registry says. The types are those of the operator's main input, whose slot is given. Those of\n"
      "[ONNX models](onnx.md) are named by their domain too, `ai.onnx.Conv`.\n\n"
      "- **fp32, fake-quant**: values as they are. Quantized tensors count as float32 here: in fake-quant runs they are dequantized, and\n"
      "  results are rounded to the tensor's grid.\n"
      "- **integer**: what the operator takes in integer runs where one of its tensors is quantized. float32 means that only weights or\n"
      "  results are; a dash, that it runs on unquantized tensors only.\n\n"
      "| operator | input | fp32, fake-quant | integer |\n"
      "|---|--:|---|---|\n";
  for (const SupportedOp& op : ops) {
    text += fmt::format("| {} | {} | {} | {} |\n", op.name, op.main_input, full_names(op.values), full_names(op.stored));
  }
  return text;
}

std::string ops_json(const std::vector<SupportedOp>& ops) {
  Json json;
  json["schema"] = "visq.ops/1";
  json["operators"] = Json::array();
  for (const SupportedOp& op : ops) {
    Json entry;
    entry["op"] = op.name;
    entry["main_input"] = op.main_input;
    entry["types"] = Json::object();
    for (const Mode mode : {Mode::kFp32, Mode::kFakeQuant}) entry["types"][std::string(name(mode))] = json_types(op.values);
    entry["types"][std::string(name(Mode::kInteger))] = json_types(op.stored);
    json["operators"].push_back(std::move(entry));
  }
  return json_text(json);
}

}  // namespace visq::report
