// TensorBoard files, read back by a reader of its own, and by the real package where it is installed.
#include "report/pictures/tensorboard.h"

#include <gmock/gmock.h>

#include <bit>
#include <cstring>

#include "support/runs/process.h"

namespace visq::report {
namespace {

using ::testing::ElementsAre;

/// Bit by bit, from the definition.
std::uint32_t slow_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool odd = ((crc ^ static_cast<unsigned char>(byte) >> bit) & 1U) != 0;
      crc = crc >> 1 ^ (odd ? 0x82F63B78U : 0U);
    }
  }
  return ~crc;
}

/// A field of a message: number, and its bytes or its number.
struct Field {
  std::uint64_t number = 0;
  std::string bytes;
};

std::uint64_t take(std::string_view& text, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{static_cast<unsigned char>(text.at(i))} << (8 * i);
  text.remove_prefix(size);
  return value;
}

std::uint64_t take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(text.at(0));
    text.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
}

std::vector<Field> fields(std::string_view text) {
  std::vector<Field> list;
  while (!text.empty()) {
    const std::uint64_t key = take_varint(text);
    Field field{key >> 3, {}};
    if ((key & 7) == 0) {
      field.bytes = std::to_string(take_varint(text));
    } else {
      const std::size_t size = (key & 7) == 1 ? 8 : static_cast<std::size_t>(take_varint(text));
      field.bytes = std::string(text.substr(0, size));
      EXPECT_EQ(field.bytes.size(), size);
      text.remove_prefix(size);
    }
    list.push_back(std::move(field));
  }
  return list;
}

std::string field(const std::string& message, std::uint64_t number) {
  for (const Field& each : fields(message)) {
    if (each.number == number) return each.bytes;
  }
  ADD_FAILURE() << "no field " << number;
  return {};
}

std::vector<double> doubles(std::string_view bytes) {
  std::vector<double> list;
  while (!bytes.empty()) list.push_back(std::bit_cast<double>(take(bytes, 8)));
  return list;
}

/// The events of a file; every CRC is checked.
std::vector<std::string> events(std::string_view file) {
  std::vector<std::string> list;
  const auto masked = [](std::string_view bytes) {
    const std::uint32_t crc = slow_crc32c(bytes);
    return (crc >> 15 | crc << 17) + 0xA282EAD8U;
  };
  while (!file.empty()) {
    const std::string_view length_bytes = file.substr(0, 8);
    const auto length = static_cast<std::size_t>(take(file, 8));
    EXPECT_EQ(take(file, 4), masked(length_bytes));
    list.emplace_back(file.substr(0, length));
    file.remove_prefix(length);
    EXPECT_EQ(take(file, 4), masked(list.back()));
  }
  return list;
}

ProfileResult small_profile() {
  ProfileResult result;
  result.models.resize(2);
  for (ModelProfile& model : result.models) {
    TensorProfile& tensor = model.tensors.emplace_back();
    tensor.map.name = "conv;a/b";
    tensor.values = {10, 0, -1, 3, 0.5, 1.25};
    tensor.histogram = {-1, 3, {4, 0, 0, 6}};
    model.tensors.emplace_back().map.name = "without values";
  }
  return result;
}

TEST(Crc32c, IsThatOfRfc3720) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c("visqerror"), slow_crc32c("visqerror"));
}

TEST(TensorBoard, ReadsBack) {
  const auto list = events(tensorboard_events(small_profile()));
  ASSERT_EQ(list.size(), 3U) << "the version, and a histogram per model";
  EXPECT_EQ(field(list[0], 3), "brain.Event:2");
  const std::string value = field(field(list[1], 5), 1);
  EXPECT_EQ(field(value, 1), "reference/conv;a/b");
  const std::string histogram = field(value, 5);
  EXPECT_THAT(doubles(field(histogram, 1)), ElementsAre(-1));
  EXPECT_THAT(doubles(field(histogram, 2)), ElementsAre(3));
  EXPECT_THAT(doubles(field(histogram, 3)), ElementsAre(10));
  EXPECT_THAT(doubles(field(histogram, 4)), ElementsAre(5));
  EXPECT_THAT(doubles(field(histogram, 5)), ElementsAre(10 * (1.25 + 0.25)));
  EXPECT_THAT(doubles(field(histogram, 6)), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(doubles(field(histogram, 7)), ElementsAre(4, 0, 0, 6));
  EXPECT_EQ(field(field(field(list[2], 5), 1), 1), "quantized/conv;a/b");
}

TEST(TensorBoard, TheRealOneReadsItToo) {
  const char* python = std::getenv("VISQ_TENSORBOARD_PYTHON");
  const std::string interpreter = python != nullptr ? python : "python3";
  if (testing::run_process({interpreter, "-c", "import tensorboard"}).exit_code != 0) {
    GTEST_SKIP() << "no Python with the package tensorboard; name one in VISQ_TENSORBOARD_PYTHON";
  }
  const testing::TemporaryFolder folder;
  testing::write_text(folder / std::string(kTensorBoardFile), tensorboard_events(small_profile()));
  const std::string script =
      "import sys\n"
      "from tensorboard.backend.event_processing.event_accumulator import EventAccumulator\n"
      "a = EventAccumulator(sys.argv[1]); a.Reload()\n"
      "print(sorted(a.Tags()['histograms']))\n"
      "h = a.Histograms('reference/conv;a/b')[0].histogram_value\n"
      "print(h.min, h.max, h.num, h.sum, list(h.bucket_limit), list(h.bucket))\n";
  const auto run = testing::run_process({interpreter, "-c", script, folder.path().string()});
  EXPECT_EQ(run.out,
            "['quantized/conv;a/b', 'reference/conv;a/b']\n"
            "-1.0 3.0 10.0 5.0 [0.0, 1.0, 2.0, 3.0] [4.0, 0.0, 0.0, 6.0]\n")
      << run.err;
}

}  // namespace
}  // namespace visq::report
