#include "fuzz/flatbuffer_mutator.h"

#include <flatbuffers/reflection.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "circle_bfbs_generated.h"
#include "tflite_bfbs_generated.h"

namespace visq::fuzz {
namespace {

/// Elements of one vector that may change: weights would otherwise drown everything else.
constexpr flatbuffers::uoffset_t kMostElements = 16;
constexpr int kMostDepth = 16;

/// A number in the file; `length` marks the length of a vector, which may only shrink.
struct Slot {
  std::uint8_t* at = nullptr;
  reflection::BaseType type = reflection::Byte;
  bool length = false;
};

class Collector {
 public:
  explicit Collector(const reflection::Schema& schema) : schema_(schema) {}

  void visit(flatbuffers::Table& table, const reflection::Object& object, int depth) {
    if (depth > kMostDepth) return;
    for (const reflection::Field* field : *object.fields()) {
      if (!table.CheckField(field->offset())) continue;
      const auto type = field->type()->base_type();
      if (flatbuffers::IsScalar(type)) slots.push_back({table.GetAddressOf(field->offset()), type, false});
      if (type == reflection::Vector) visit_vector(table, *field, depth);
      if (type == reflection::Obj) visit_object(table, *field, depth);
      if (type == reflection::Union) visit_union(table, object, *field, depth);
    }
  }

  std::vector<Slot> slots;

 private:
  const reflection::Object& object_of(const reflection::Type& type) const {
    return *schema_.objects()->Get(static_cast<flatbuffers::uoffset_t>(type.index()));
  }

  void visit_vector(flatbuffers::Table& table, const reflection::Field& field, int depth) {
    auto* vector = table.GetPointer<flatbuffers::Vector<std::uint8_t>*>(field.offset());
    const auto element = field.type()->element();
    const auto count = std::min(vector->size(), kMostElements);
    slots.push_back({reinterpret_cast<std::uint8_t*>(vector), reflection::UInt, true});
    if (flatbuffers::IsScalar(element)) {
      const std::size_t width = flatbuffers::GetTypeSize(element);
      for (flatbuffers::uoffset_t i = 0; i < count; ++i) slots.push_back({vector->Data() + i * width, element, false});
    }
    if (element != reflection::Obj || object_of(*field.type()).is_struct()) return;
    auto* tables = reinterpret_cast<flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>*>(vector);
    for (flatbuffers::uoffset_t i = 0; i < tables->size(); ++i) visit(*tables->GetMutableObject(i), object_of(*field.type()), depth + 1);
  }

  void visit_object(flatbuffers::Table& table, const reflection::Field& field, int depth) {
    const reflection::Object& object = object_of(*field.type());
    if (!object.is_struct()) visit(*table.GetPointer<flatbuffers::Table*>(field.offset()), object, depth + 1);
  }

  /// The union's type stands in the field before, named NAME_type.
  void visit_union(flatbuffers::Table& table, const reflection::Object& parent, const reflection::Field& field, int depth) {
    const auto* type = parent.fields()->LookupByKey((field.name()->str() + "_type").c_str());
    if (type == nullptr) return;
    const auto value = flatbuffers::GetAnyFieldI(table, *type);
    const auto* options = schema_.enums()->Get(static_cast<flatbuffers::uoffset_t>(field.type()->index()))->values()->LookupByKey(value);
    if (options == nullptr || options->union_type() == nullptr || options->union_type()->base_type() != reflection::Obj) return;
    visit(*table.GetPointer<flatbuffers::Table*>(field.offset()), object_of(*options->union_type()), depth + 1);
  }

  const reflection::Schema& schema_;
};

using Random = std::mt19937;

template <class T>
void store(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

std::int64_t interesting(Random& random) {
  constexpr std::array<std::int64_t, 24> kValues{
      0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 63, 127, 128, 255, 256, 32767, 65535, 65536, 1 << 20, 1 << 30, INT32_MAX, INT64_MAX, 1LL << 40};
  const std::int64_t value = kValues[random() % kValues.size()];
  return random() % 4 == 0 ? -value : value;
}

double interesting_real(Random& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::array<double, 12> kValues{0,     -0.0, 1,      -1,        0.5,        1e-45,
                                           1e-30, 1e30, 3.4e38, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
  return kValues[random() % kValues.size()];
}

void change(const Slot& slot, const std::vector<Slot>& slots, Random& random) {
  const std::size_t width = flatbuffers::GetTypeSize(slot.type);
  if (slot.length) {
    std::uint32_t length = 0;
    std::memcpy(&length, slot.at, sizeof length);
    store<std::uint32_t>(slot.at, static_cast<std::uint32_t>(random() % (length + 1ULL)));
  } else if (const Slot& other = slots[random() % slots.size()]; random() % 3 == 0 && other.type == slot.type) {
    std::memcpy(slot.at, other.at, width);
  } else if (flatbuffers::IsFloat(slot.type)) {
    const double value = interesting_real(random);
    width == 4 ? store(slot.at, static_cast<float>(value)) : store(slot.at, value);
  } else {
    std::uint64_t value = 0;  // wraps, as the narrower ones do when they are stored
    std::memcpy(&value, slot.at, width);
    value = random() % 2 == 0 ? value + random() % 5 - 2 : static_cast<std::uint64_t>(interesting(random));
    std::memcpy(slot.at, &value, width);
  }
}

struct Known {
  const char* identifier;
  const reflection::Schema* schema;
};

const reflection::Schema* schema_of(std::span<const std::uint8_t> file) {
  static const Known kFormats[] = {{"TFL3", reflection::GetSchema(visq::tflite::ModelBinarySchema::data())},
                                   {"CIR0", reflection::GetSchema(visq::circle::ModelBinarySchema::data())}};
  for (const Known& known : kFormats) {
    if (file.size() > 8 && std::memcmp(file.data() + 4, known.identifier, 4) == 0) return known.schema;
  }
  return nullptr;
}

}  // namespace

bool mutate_flatbuffer(std::span<std::uint8_t> file, std::uint32_t seed) {
  const reflection::Schema* schema = schema_of(file);
  if (schema == nullptr || !flatbuffers::Verify(*schema, *schema->root_table(), file.data(), file.size())) return false;
  Collector collector(*schema);
  collector.visit(*flatbuffers::GetMutableRoot<flatbuffers::Table>(file.data()), *schema->root_table(), 0);
  if (collector.slots.empty()) return false;
  Random random(seed);
  for (std::size_t changes = 1 + random() % 4; changes > 0; --changes) {
    change(collector.slots[random() % collector.slots.size()], collector.slots, random);
  }
  return true;
}

}  // namespace visq::fuzz
