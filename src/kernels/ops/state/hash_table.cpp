// HASHTABLE, HASHTABLE_IMPORT, HASHTABLE_FIND, HASHTABLE_SIZE: tables from int64 to string or from string to int64, filled once.
#include <cstring>

#include "core/as_size.h"
#include "core/available_memory.h"
#include "kernels/op.h"

namespace visq::kernels::ops_hash_table {
namespace {

constexpr int kTable = 0;
constexpr int kKeys = 1;
constexpr int kValues = 2;

/// An element as the table holds it.
std::string element(const Tensor& tensor, std::int64_t index) {
  if (tensor.strings != nullptr) return (*tensor.strings)[as_size(index)];
  return {reinterpret_cast<const char*>(tensor.data) + index * 8, 8};
}

void store(const Tensor& tensor, std::int64_t index, const std::string& value) {
  if (tensor.strings != nullptr) {
    (*tensor.strings)[as_size(index)] = value;
  } else {
    std::memcpy(tensor.data + index * 8, value.data(), 8);
  }
}

Status expect_pair(const PrepareContext& context, DType key, DType value) {
  const bool fits = (key == DType::kInt64 && value == DType::kString) || (key == DType::kString && value == DType::kInt64);
  if (fits) return {};
  return context.unsupported("tables from {} to {} are unknown, only int64 to string and back", name(key), name(value));
}

DType type_attribute(const PrepareContext& context, std::string_view attribute) {
  return context.attributes().text(attribute) == "STRING" ? DType::kString : DType::kInt64;
}

Result<std::unique_ptr<Kernel>> prepare_table(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(0, 0));
  VISQ_TRY(context.expect_outputs(1));
  const DType key = type_attribute(context, "key_dtype");
  const DType value = type_attribute(context, "value_dtype");
  VISQ_TRY(expect_pair(context, key, value));
  VISQ_TRY(context.set_output(0, DType::kResource, {}));
  return make_kernel([=, name = fmt::format("table {}", context.attributes().integer("table_id"))](EvalContext& eval) -> Status {
    eval.session().tables.try_emplace(name, HashTable{key, value, {}});
    eval.output(0).strings->front() = name;
    return {};
  });
}

/// The table that a handle names, if its types are those of the operator's tensors.
Result<HashTable*> find_table(EvalContext& eval, const std::string& place, std::optional<DType> key, std::optional<DType> value) {
  const auto& names = *eval.input(kTable).strings;
  const auto found = names.empty() ? eval.session().tables.end() : eval.session().tables.find(names.front());
  if (found == eval.session().tables.end()) return bad_input("{}: there is no such table", place);
  if ((key && found->second.key != *key) || (value && found->second.value != *value)) {
    return bad_input("{}: the table goes from {} to {}", place, name(found->second.key), name(found->second.value));
  }
  return &found->second;
}

Result<std::unique_ptr<Kernel>> prepare_import(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(0));
  VISQ_TRY(expect_pair(context, context.input(kKeys).dtype, context.input(kValues).dtype));
  if (context.input(kKeys).elements() != context.input(kValues).elements()) {
    return context.fail("has {} keys and {} values", context.input(kKeys).elements(), context.input(kValues).elements());
  }
  return make_kernel([place = context.place()](EvalContext& eval) -> Status {
    const Tensor& keys = eval.input(kKeys);
    const Tensor& values = eval.input(kValues);
    VISQ_ASSIGN(HashTable* const table, find_table(eval, place, keys.dtype, values.dtype));
    if (!table->entries.empty()) return {};  // filled once per run
    for (std::int64_t i = 0; i < keys.elements(); ++i) table->entries.try_emplace(element(keys, i), element(values, i));
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_find(PrepareContext& context) {
  constexpr int kDefault = 2;
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(1));
  const DType value = context.output(0).dtype;
  VISQ_TRY(expect_pair(context, context.input(kKeys).dtype, value));
  if (context.input(kDefault).dtype != value || context.input(kDefault).elements() != 1) {
    return context.fail("the default is no single {}", name(value));
  }
  VISQ_TRY(context.set_output(0, value, context.input(kKeys).shape));
  return make_kernel([place = context.place()](EvalContext& eval) -> Status {
    const Tensor& keys = eval.input(kKeys);
    VISQ_ASSIGN(const HashTable* const table, find_table(eval, place, keys.dtype, eval.output(0).dtype));
    const std::string fallback = element(eval.input(kDefault), 0);
    std::uint64_t characters = 0;  // one long text may be found any number of times
    for (std::int64_t i = 0; i < keys.elements(); ++i) {
      const auto found = table->entries.find(element(keys, i));
      characters += (found == table->entries.end() ? fallback : found->second).size();
    }
    if (!affordable(characters)) return bad_input("{}: no memory for its output: {}", place, memory_shortage(characters));
    for (std::int64_t i = 0; i < keys.elements(); ++i) {
      const auto found = table->entries.find(element(keys, i));
      store(eval.output(0), i, found == table->entries.end() ? fallback : found->second);
    }
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_size(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.set_output(0, DType::kInt64, {1}));
  return make_kernel([place = context.place()](EvalContext& eval) -> Status {
    VISQ_ASSIGN(const HashTable* const table, find_table(eval, place, {}, {}));
    eval.out<std::int64_t>(0)[0] = static_cast<std::int64_t>(table->entries.size());
    return {};
  });
}

constexpr DTypes kHandle = {DType::kResource};

constexpr OpDef kDefinitions[] = {
    {.name = "HASHTABLE", .prepare = prepare_table, .types = {}, .stateful = true},
    {.name = "HASHTABLE_IMPORT", .prepare = prepare_import, .types = kHandle, .stateful = true},
    {.name = "HASHTABLE_FIND", .prepare = prepare_find, .types = kHandle, .stateful = true},
    {.name = "HASHTABLE_SIZE", .prepare = prepare_size, .types = kHandle, .stateful = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_hash_table
