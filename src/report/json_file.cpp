#include "report/json_file.h"

#include "core/error.h"
#include "core/file.h"

namespace visq::report {

Result<nlohmann::json> read_json(const std::string& path) {
  VISQ_ASSIGN(const auto mapped, MappedFile::open(path));
  const auto bytes = mapped->bytes();
  const auto* begin = reinterpret_cast<const char*>(bytes.data());
  auto document = nlohmann::json::parse(begin, begin + bytes.size(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return bad_input("{}: is not JSON", path);
  return document;
}

const nlohmann::json* member(const nlohmann::json* object, const char* key) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(key);
  return found == object->end() ? nullptr : &*found;
}

}  // namespace visq::report
