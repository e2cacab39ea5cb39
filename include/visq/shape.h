// Shape of a tensor: its sizes per axis, outermost first.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace visq {

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) : dims_(dims) {}
  explicit Shape(std::span<const std::int64_t> dims) : dims_(dims.begin(), dims.end()) {}
  explicit Shape(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  std::int64_t operator[](int axis) const { return dims_[static_cast<std::size_t>(axis)]; }
  std::int64_t& operator[](int axis) { return dims_[static_cast<std::size_t>(axis)]; }
  std::int64_t back() const { return dims_.back(); }
  std::span<const std::int64_t> dims() const { return dims_; }
  void push_back(std::int64_t size) { dims_.push_back(size); }

  /// Product of all sizes; 1 for a scalar. Only for shapes that were checked (see checked_elements in core/checked.h).
  std::int64_t elements() const;
  /// Product of the sizes of axes [first, last).
  std::int64_t elements(int first, int last) const;

  bool operator==(const Shape&) const = default;

 private:
  std::vector<std::int64_t> dims_;
};

/// "[1, 48, 48, 8]"; "[]" for a scalar.
std::string to_string(const Shape& shape);

}  // namespace visq
