#include "report/pictures/tensorboard.h"

#include <array>
#include <bit>

#include "report/words/text.h"

namespace visq::report {
namespace {

template <class T>
std::string little_endian(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

/// A message in Protocol Buffers' wire format, field by field.
class Message {
 public:
  void varint(int field, std::uint64_t value) {
    key(field, 0);
    raw_varint(value);
  }
  void real(int field, double value) {
    key(field, 1);
    bytes_ += little_endian(std::bit_cast<std::uint64_t>(value));
  }
  void text(int field, std::string_view value) {
    key(field, 2);
    raw_varint(value.size());
    bytes_ += value;
  }
  void message(int field, const Message& value) { text(field, value.bytes_); }
  void packed(int field, const std::vector<double>& values) {
    std::string all;
    for (const double value : values) all += little_endian(std::bit_cast<std::uint64_t>(value));
    text(field, all);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, unsigned wire) { raw_varint(static_cast<std::uint64_t>(field) << 3 | wire); }
  void raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7F) | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

/// CRC of TFRecords: rotated and offset, so that a CRC of data that hold CRCs stays meaningful.
std::uint32_t masked(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xA282EAD8U;
}

std::string record(const Message& event) {
  const std::string length = little_endian(std::uint64_t{event.bytes().size()});
  return length + little_endian(masked(length)) + event.bytes() + little_endian(masked(event.bytes()));
}

/// HistogramProto: min 1, max 2, num 3, sum 4, sum_squares 5, bucket_limit 6, bucket 7.
Message histogram_message(const TensorProfile& tensor) {
  const ValueStatistics& values = tensor.values;
  const auto count = static_cast<double>(values.count);
  const Histogram& histogram = tensor.histogram;
  std::vector<double> limits;
  const double width = (histogram.high - histogram.low) / static_cast<double>(histogram.counts.size());
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const bool last = i + 1 == histogram.counts.size();
    limits.push_back(last ? histogram.high : histogram.low + width * static_cast<double>(i + 1));
  }
  Message message;
  message.real(1, values.min);
  message.real(2, values.max);
  message.real(3, count);
  message.real(4, values.mean * count);
  message.real(5, (values.variance + values.mean * values.mean) * count);
  message.packed(6, limits);
  message.packed(7, histogram.counts);
  return message;
}

/// Event: wall_time 1, step 2, file_version 3, summary 5. Summary: value 1. Value: tag 1, histo 5.
std::string histogram_event(const std::string& tag, const TensorProfile& tensor) {
  Message value, summary, event;
  value.text(1, tag);
  value.message(5, histogram_message(tensor));
  summary.message(1, value);
  event.real(1, 0);
  event.varint(2, 0);
  event.message(5, summary);
  return record(event);
}

std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? value >> 1 ^ 0x82F63B78U : value >> 1;
    table[i] = value;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFFU];
  return ~crc;
}

std::string tensorboard_events(const ProfileResult& result) {
  Message version;
  version.real(1, 0);
  version.text(3, "brain.Event:2");
  std::string file = record(version);
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const std::string side = result.models.size() == 1 ? "" : i == 0 ? "reference/" : "quantized/";
    for (const TensorProfile& tensor : result.models[i].tensors) {
      if (tensor.values.count > 0) file += histogram_event(side + valid_utf8(tensor.map.name), tensor);
    }
  }
  return file;
}

}  // namespace visq::report
