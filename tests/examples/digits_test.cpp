// The bundled example reads digits: the whole way from file to feature map gives the right answers.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "tool/tool_support.h"
#include "visq/dump.h"
#include "visq/model.h"

namespace visq::testing {
namespace {

/// The int32 values behind the head of labels.npy.
std::vector<std::int32_t> labels() {
  const std::string bytes = read_text(example("labels.npy"));
  std::vector<std::int32_t> values(64);
  std::memcpy(values.data(), bytes.data() + bytes.size() - values.size() * sizeof(std::int32_t), values.size() * sizeof(std::int32_t));
  return values;
}

int correct_answers(const std::string& model_path) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"run", model_path, "-d", kData, "-o", folder / "maps.h5"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto model = load_model(model_path);
  const auto dump = open_dump(folder / "maps.h5");
  if (!model.ok() || !dump.ok()) return -1;
  int correct = 0;
  for (const std::int64_t record : (*dump)->records()) {
    const auto tensors = (*dump)->tensors(record);
    const auto output =
        std::find_if(tensors->begin(), tensors->end(), [&](const DumpTensor& t) { return t.index == model->main().outputs[0]; });
    const auto map = (*dump)->read(record, *output);
    const auto scores = map->values<float>();
    const auto answer = std::max_element(scores.begin(), scores.end()) - scores.begin();
    correct += answer == labels()[static_cast<std::size_t>(record)] ? 1 : 0;
  }
  return correct;
}

TEST(Digits, EveryModelReadsThem) {
  for (const char* name : {"fp32.tflite", "fp32.circle", "int8.tflite", "int8.circle", "int16x8.tflite", "int16x8.circle"}) {
    EXPECT_GE(correct_answers(example(name)), 63) << name << " (LiteRT: 64 of 64)";
  }
}

TEST(Digits, StaySmall) {
  std::uintmax_t bytes = 0;
  for (const auto& file : std::filesystem::directory_iterator(example(""))) bytes += file.file_size();
  EXPECT_LT(bytes, 300U << 10);
}

}  // namespace
}  // namespace visq::testing
