// Where in a model something stands. Nothing is formatted unless it is needed: millions of tensors pass without a message.
#pragma once

#include <string>
#include <string_view>

#include "core/error.h"

namespace visq::loader {

/// A place for messages: the file, a subgraph, a tensor or a node. Refers to strings that must outlive it.
class Place {
 public:
  explicit Place(std::string_view path) : path_(path) {}

  Place subgraph(int index) const {
    Place place = *this;
    place.subgraph_ = index;
    return place;
  }
  Place tensor(int index, std::string_view name) const { return inside(Kind::kTensor, index, name); }
  Place node(int index, std::string_view label) const { return inside(Kind::kNode, index, label); }

  /// "m.tflite: subgraph 0, node 12 CONV_2D" or "m.tflite: subgraph 0, tensor 3 'conv/w'".
  std::string text() const;

  template <class... Args>
  Error fail(fmt::format_string<Args...> message, Args&&... args) const {
    return bad_input("{}: {}", text(), fmt::format(message, std::forward<Args>(args)...));
  }

 private:
  enum class Kind { kNone, kTensor, kNode };
  Place inside(Kind kind, int index, std::string_view label) const {
    Place place = *this;
    place.kind_ = kind;
    place.index_ = index;
    place.label_ = label;
    return place;
  }

  std::string_view path_, label_;
  Kind kind_ = Kind::kNone;
  int subgraph_ = -1, index_ = -1;
};

}  // namespace visq::loader
