#include "support/models/renamed_model.h"

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <vector>

namespace visq::testing {
namespace {

using flatbuffers::Table;
using Tables = flatbuffers::Vector<flatbuffers::Offset<Table>>;
using Text = flatbuffers::Vector<char>;

/// Where a field of a table stands in its vtable, by the id in schema/*.fbs, which both schemas share.
constexpr flatbuffers::voffset_t slot(int id) { return static_cast<flatbuffers::voffset_t>(4 + 2 * id); }
constexpr auto kModelSubgraphs = slot(2), kModelDescription = slot(3);
constexpr auto kGraphTensors = slot(0), kGraphName = slot(4), kTensorName = slot(3);

/// Notes the place of a text's offset, where the table has it.
void note(const Table& table, flatbuffers::voffset_t field, const std::string& bytes, std::vector<std::size_t>& places) {
  if (const auto* at = table.GetAddressOf(field))
    places.push_back(static_cast<std::size_t>(at - reinterpret_cast<const std::uint8_t*>(bytes.data())));
}

std::vector<std::size_t> places_of_names(const std::string& bytes) {
  std::vector<std::size_t> places;
  const auto& model = *flatbuffers::GetRoot<Table>(bytes.data());
  note(model, kModelDescription, bytes, places);
  for (const Table* graph : *model.GetPointer<const Tables*>(kModelSubgraphs)) {
    note(*graph, kGraphName, bytes, places);
    for (const Table* tensor : *graph->GetPointer<const Tables*>(kGraphTensors)) note(*tensor, kTensorName, bytes, places);
  }
  return places;
}

}  // namespace

/// New texts go behind the end: offsets point forward, so nothing else moves.
std::string rename_all(std::string_view model, const std::function<std::string(const std::string&)>& rename) {
  std::string bytes(model);
  for (const std::size_t place : places_of_names(bytes)) {
    const auto offset = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(bytes.data() + place);
    const auto* old = reinterpret_cast<const Text*>(bytes.data() + place + offset);
    const std::string text = rename({reinterpret_cast<const char*>(old->data()), old->size()});
    bytes.resize((bytes.size() + 3) / 4 * 4);
    flatbuffers::WriteScalar(bytes.data() + place, static_cast<flatbuffers::uoffset_t>(bytes.size() - place));
    flatbuffers::uoffset_t length = 0;
    flatbuffers::WriteScalar(&length, static_cast<flatbuffers::uoffset_t>(text.size()));
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length).append(text).push_back('\0');
  }
  return bytes;
}

}  // namespace visq::testing
