// Errors are values: every function that can fail because of a user's file or option returns Status or Result<T>.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace visq {

/// Why something failed. The command line maps each reason to one documented exit code.
enum class Reason {
  kUsage,        ///< the command line or an option is wrong (exit 2)
  kBadInput,     ///< an input cannot be read or used, an output cannot be written (exit 3)
  kUnsupported,  ///< a part cannot be computed: an operator or type that is not runnable (exit 4)
  kInternal,     ///< a fault of our own (exit 5)
};

/// One failure: a reason and a one-line message that names file, place and number.
struct Error {
  Reason reason = Reason::kInternal;
  std::string message;
};

/// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: an Error is a Status

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return *error_; }

 private:
  std::optional<Error> error_;
};

/// A T, or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: a T is a Result<T>
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: an Error is a Result<T>

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }  ///< whether there is a value, even where T is bool itself
  const Error& error() const { return std::get<1>(state_); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace visq

#define VISQ_CONCAT_INNER(a, b) a##b
#define VISQ_CONCAT(a, b) VISQ_CONCAT_INNER(a, b)

/// Returns the error of a Status expression from the enclosing function, if it has one.
#define VISQ_TRY(expression)                                                       \
  do {                                                                             \
    if (auto visq_status = (expression); !visq_status) return visq_status.error(); \
  } while (false)

/// Declares `declaration` from a Result expression, or returns its error from the enclosing function.
#define VISQ_ASSIGN(declaration, expression) VISQ_ASSIGN_INNER(VISQ_CONCAT(visq_result_, __LINE__), declaration, expression)
#define VISQ_ASSIGN_INNER(result, declaration, expression) \
  auto result = (expression);                              \
  if (!result) return result.error();                      \
  declaration = std::move(result).value()
