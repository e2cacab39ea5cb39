#include "report/json/json_file.h"

#include "core/available_memory.h"
#include "core/error.h"
#include "core/file.h"

namespace visq::report {

namespace {

/// The most memory that a document takes: a value 16 bytes, twice where arrays grow; an array or object and the entry of an object a
/// piece of their own; and its characters.
std::uint64_t memory_of(std::string_view text) {
  constexpr std::uint64_t kValue = 32, kPiece = 112;
  std::uint64_t bytes = text.size();
  for (const char c : text) {
    bytes += c == ',' ? kValue : 0;
    bytes += c == '[' || c == '{' || c == ':' ? kPiece : 0;
  }
  return bytes;
}

}  // namespace

Result<PlainJson> read_json(const std::string& path) {
  VISQ_ASSIGN(const auto mapped, MappedFile::open(path));
  const auto bytes = mapped->bytes();
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  if (const std::uint64_t needed = memory_of({begin, bytes.size()}); !affordable(needed)) {
    return bad_input("{}: no memory for what it holds: {}", path, memory_shortage(needed));
  }
  auto document = PlainJson::parse(begin, begin + bytes.size(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return bad_input("{}: is not JSON", path);
  return document;
}

const PlainJson* member(const PlainJson* object, const char* key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

}  // namespace visq::report
