#include "visq/report/ranking_file.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "report/json/json_file.h"

namespace visq::report {
namespace {

bool is_type(const std::string& text) {
  constexpr std::string_view kInput = "input-";
  if (text.starts_with(kInput))
    return text.size() > kInput.size() && text.find_first_not_of("0123456789", kInput.size()) == std::string::npos;
  return text == "output" || text == "node" || text == "node+output" || text == "weight" || text == "activation";
}

struct Ranked {
  std::int64_t rank = 0;
  Ranking::Entry entry;
};

Result<Ranked> read_entry(const PlainJson& node, std::size_t index, const std::string& path) {
  const PlainJson *name = member(&node, "op_name"), *type = member(&node, "sensitive_type"), *rank = member(&node, "rank");
  if (name == nullptr || !name->is_string()) return bad_input("{}: 'nodes[{}].op_name' is not a string", path, index);
  if (type == nullptr || !type->is_string() || !is_type(type->get<std::string>())) {
    return bad_input("{}: 'nodes[{}].sensitive_type' is not output, node, node+output, weight, activation or input-N", path, index);
  }
  if (rank == nullptr || !rank->is_number_integer()) return bad_input("{}: 'nodes[{}].rank' is not a whole number", path, index);
  const PlainJson* cosine = member(member(&node, "metrics"), "cosine");
  const bool known = cosine != nullptr && cosine->is_number();
  return Ranked{rank->get<std::int64_t>(), {{type->get<std::string>(), name->get<std::string>()}, known ? cosine->get<double>() : NAN}};
}

}  // namespace

Result<Ranking> read_ranking(const std::string& path) {
  VISQ_ASSIGN(const PlainJson document, read_json(path));
  const PlainJson* schema = member(&document, "schema");
  if (schema == nullptr || *schema != "visq.sensitivity/1") return bad_input("{}: is not a result of `visqerror sensitivity`", path);
  const PlainJson* nodes = member(&document, "nodes");
  if (nodes == nullptr || !nodes->is_array() || nodes->empty()) return bad_input("{}: 'nodes' is not an array with entries", path);
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    VISQ_ASSIGN(ranked.emplace_back(), read_entry((*nodes)[i], i, path));
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) { return a.rank < b.rank; });
  Ranking ranking;
  ranking.path = path;
  const PlainJson* left_out = member(&document, "leave_one_out");
  const bool alone = left_out == nullptr || *left_out != true;
  for (Ranked& each : ranked) {
    ranking.has_cosine = ranking.has_cosine || (alone && !std::isnan(each.entry.cosine));
    ranking.entries.push_back(std::move(each.entry));
  }
  return ranking;
}

}  // namespace visq::report
