// A message of protocol buffers, field by field. Whatever a field's number promises, its wire type is looked at before it is read: files
// may hold anything. protozero's exceptions (a message that ends too early) are caught where a file is read, see formats/onnx.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace visq::loader::onnx {

using Bytes = std::span<const std::byte>;

inline Bytes bytes_of(protozero::data_view view) { return std::as_bytes(std::span(view.data(), view.size())); }

template <class Field>
class Message {
 public:
  explicit Message(Bytes bytes) : reader_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  /// Goes on to the next field. Each must then be read once, or skipped.
  bool next() { return reader_.next(); }
  Field field() const { return static_cast<Field>(reader_.tag()); }
  void skip() { reader_.skip(); }

  /// A string, bytes or a message; empty where the field is of another kind.
  Bytes bytes() { return is(Wire::length_delimited) ? bytes_of(reader_.get_view()) : nothing<Bytes>(); }
  std::string text() {
    const Bytes value = bytes();
    return {reinterpret_cast<const char*>(value.data()), value.size()};
  }
  std::int64_t integer() { return is(Wire::varint) ? reader_.get_int64() : nothing<std::int64_t>(); }
  float real() { return is(Wire::fixed32) ? reader_.get_float() : nothing<float>(); }

  /// Repeated numbers: one of them, or many packed together.
  void append_integers(std::vector<std::int64_t>& values) {
    if (!is(Wire::length_delimited)) return values.push_back(integer());
    for (const std::int64_t value : reader_.get_packed_int64()) values.push_back(value);
  }
  void append_reals(std::vector<double>& values) {
    if (!is(Wire::length_delimited)) return values.push_back(real());
    for (const float value : reader_.get_packed_float()) values.push_back(value);
  }
  /// Repeated numbers of fixed size, as they stand in the file.
  void append_fixed(std::vector<std::byte>& values) {
    if (is(Wire::length_delimited)) return append(values, bytes());
    if (is(Wire::fixed32)) return append(values, std::as_bytes(std::span(&(fixed32_ = reader_.get_fixed32()), 1)));
    if (is(Wire::fixed64)) return append(values, std::as_bytes(std::span(&(fixed64_ = reader_.get_fixed64()), 1)));
    skip();
  }

 private:
  using Wire = protozero::pbf_wire_type;
  bool is(Wire type) const { return reader_.wire_type() == type; }
  template <class T>
  T nothing() {
    reader_.skip();
    return {};
  }
  static void append(std::vector<std::byte>& values, Bytes more) { values.insert(values.end(), more.begin(), more.end()); }

  protozero::pbf_reader reader_;
  std::uint32_t fixed32_ = 0;
  std::uint64_t fixed64_ = 0;
};

}  // namespace visq::loader::onnx
