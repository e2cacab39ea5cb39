// Options of custom operators: a FlexBuffer that holds one map of names to numbers. The bytes are the model's, and so may be anything:
// each is checked to lie inside the buffer before it is read.
#pragma once

#include "kernels/op.h"

namespace visq::kernels {

/// Named numbers, of whatever kind the file has them.
class CustomOptions {
 public:
  /// Empty options hold no names; values that are no numbers are passed over. Errors: bytes that are no FlexBuffer map.
  static Result<CustomOptions> read(const PrepareContext& context);

  std::int64_t integer(std::string_view name, std::int64_t fallback = 0) const;
  double real(std::string_view name, double fallback = 0) const;
  bool flag(std::string_view name) const { return real(name) != 0; }

 private:
  explicit CustomOptions(Attributes options) : options_(std::move(options)) {}
  Attributes options_;
};

}  // namespace visq::kernels
