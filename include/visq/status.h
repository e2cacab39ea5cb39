// Errors are values: every function that can fail because of a user's file or option returns Status or Result<T>.
#pragma once

#include <optional>
#include <string>
#include <utility>

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

/// An Error on its way to whoever reports it, or none. A pointer: the code at each of a thousand places that can fail stays short.
class Failure {
 public:
  Failure() = default;
  Failure(Error&& error);  // NOLINT: an Error is a Failure
  Failure(const Failure& other);
  Failure(Failure&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
  Failure& operator=(Failure other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Failure() {
    if (error_ != nullptr) drop();
  }
  bool failed() const { return error_ != nullptr; }
  const Error& error() const { return *error_; }

 private:
  [[gnu::cold]] void drop();

  Error* error_ = nullptr;
};

/// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : failure_(std::move(error)) {}                   // NOLINT: an Error is a Status
  Status(Failure&& failure) noexcept : failure_(std::move(failure)) {}  // NOLINT: so is one that is passed on

  bool ok() const { return !failure_.failed(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return failure_.error(); }
  Failure&& failure() && { return std::move(failure_); }

 private:
  Failure failure_;
};

/// A T, or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                         // NOLINT: a T is a Result<T>
  Result(Error error) : failure_(std::move(error)) {}                   // NOLINT: an Error is a Result<T>
  Result(Failure&& failure) noexcept : failure_(std::move(failure)) {}  // NOLINT: so is one that is passed on

  bool ok() const { return !failure_.failed(); }
  explicit operator bool() const { return ok(); }  ///< whether there is a value, even where T is bool itself
  const Error& error() const { return failure_.error(); }
  Failure&& failure() && { return std::move(failure_); }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Failure failure_;
};

}  // namespace visq

#define VISQ_CONCAT_INNER(a, b) a##b
#define VISQ_CONCAT(a, b) VISQ_CONCAT_INNER(a, b)

/// Returns the error of a Status expression from the enclosing function, if it has one.
#define VISQ_TRY(expression)                                        \
  do {                                                              \
    if (auto visq_status = (expression); !visq_status) [[unlikely]] \
      return std::move(visq_status).failure();                      \
  } while (false)

/// Declares `declaration` from a Result expression, or returns its error from the enclosing function.
#define VISQ_ASSIGN(declaration, expression) VISQ_ASSIGN_INNER(VISQ_CONCAT(visq_result_, __LINE__), declaration, expression)
#define VISQ_ASSIGN_INNER(result, declaration, expression) \
  auto result = (expression);                              \
  if (!result) [[unlikely]]                                \
    return std::move(result).failure();                    \
  declaration = std::move(result).value()
