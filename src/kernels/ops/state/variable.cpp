// VAR_HANDLE, ASSIGN_VARIABLE, READ_VARIABLE: values that live from record to record, known by container and name.
#include <algorithm>
#include <cstring>

#include "kernels/element_types.h"

namespace visq::kernels::ops_variable {
namespace {

constexpr int kResource = 0;
constexpr int kValue = 1;

Result<std::unique_ptr<Kernel>> prepare_handle(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(0, 0));
  VISQ_TRY(context.expect_outputs(1));
  VISQ_TRY(context.set_output(0, DType::kResource, {}));
  return make_kernel([name = fmt::format("variable {}/{}", context.attributes().text("container"),
                                         context.attributes().text("shared_name"))](EvalContext& eval) -> Status {
    eval.output(0).strings->front() = name;
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_assign(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(2, 2));
  VISQ_TRY(context.expect_outputs(0));
  return make_kernel([place = context.place()](EvalContext& eval) -> Status {
    if (eval.input(kResource).strings->empty()) return bad_input("{}: its resource names nothing", place);
    const Tensor& value = eval.input(kValue);
    Array& variable = eval.session().variables[eval.input(kResource).strings->front()];
    variable.dtype = value.dtype;
    variable.shape = value.shape;
    if (value.strings != nullptr) {
      variable.strings = *value.strings;
    } else {
      variable.bytes.assign(value.data, value.data + value.elements() * static_cast<std::int64_t>(size_of(value.dtype)));
    }
    return {};
  });
}

/// What a resource holds; null before it was assigned.
const Array* find_variable(const Session& session, const Tensor& resource) {
  if (resource.strings == nullptr || resource.strings->empty()) return nullptr;
  const auto found = session.variables.find(resource.strings->front());
  return found == session.variables.end() ? nullptr : &found->second;
}

/// The shape is that of the last assignment, so it is prepared in the run.
Result<std::unique_ptr<Kernel>> prepare_read(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(1, 1));
  VISQ_TRY(context.expect_outputs(1));
  if (context.session() == nullptr) return context.postpone("the variable");
  const Array* variable = find_variable(*context.session(), context.input(kResource));
  if (variable == nullptr) return context.fail("the variable is read before it is assigned");
  VISQ_TRY(context.set_output(0, variable->dtype, variable->shape));
  return make_kernel([](EvalContext& eval) -> Status {
    const Array& now = *find_variable(eval.session(), eval.input(kResource));
    if (eval.output(0).strings != nullptr) {
      *eval.output(0).strings = now.strings;
    } else {
      std::copy(now.bytes.begin(), now.bytes.end(), eval.output(0).data);
    }
    return {};
  });
}

constexpr OpDef kDefinitions[] = {
    {.name = "VAR_HANDLE", .prepare = prepare_handle, .types = {}, .stateful = true},
    {.name = "ASSIGN_VARIABLE", .prepare = prepare_assign, .types = {DType::kResource}, .takes_stored = true, .stateful = true},
    {.name = "READ_VARIABLE", .prepare = prepare_read, .types = {DType::kResource}, .takes_stored = true, .stateful = true},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_variable
