// Data that leave out inputs: all three ways to number what is left.
#include <gmock/gmock.h>

#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "support/runs/process.h"
#include "visq/data.h"

namespace visq {
namespace {

using testing::data_model;
using testing::data_tensor;

Array filled(Shape shape, float value) {
  Array array = make_array(DType::kFloat32, std::move(shape));
  for (float& each : array.values<float>()) each = value;
  return array;
}

/// Inputs `state` [2] and `x` [3], of which `state` may be absent.
const Model& model() {
  static const Model made = data_model("m.tflite", {data_tensor("state", DType::kFloat32, {2}), data_tensor("x", DType::kFloat32, {3})});
  return made;
}

TEST(PartialData, HoldsEverything) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_data(folder / "d.h5", {{0, {filled({2}, 1), filled({3}, 2)}, {}}}).ok());
  const auto data = open_data_without(folder / "d.h5", model(), {0});
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_TRUE(data->complete);
  EXPECT_EQ(data->source->read(0)->inputs[0].values<float>()[0], 1);
}

TEST(PartialData, CountsTheOthersAlone) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_data(folder / "d.h5", {{0, {filled({3}, 2)}, {}}}).ok());
  const auto data = open_data_without(folder / "d.h5", model(), {0});
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_FALSE(data->complete);
  const auto record = data->source->read(0);
  ASSERT_TRUE(record.ok()) << record.error().message;
  ASSERT_EQ(record->inputs.size(), 2U);
  EXPECT_TRUE(record->inputs[0].bytes.empty());
  EXPECT_EQ(record->inputs[1].values<float>()[2], 2);
}

TEST(PartialData, KeepsTheNumbersOfTheModel) {
  // x alone is dataset 1 of a model whose input 0 is empty.
  const testing::TemporaryFolder folder;
  testing::Hdf5File(folder / "d.h5").dataset("value/0/1", filled({3}, 2));
  const auto data = open_data_without(folder / "d.h5", model(), {0});
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->source->read(0)->inputs[1].values<float>()[0], 2);
}

TEST(PartialData, StillChecksWhatIsThere) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_data(folder / "d.h5", {{0, {filled({4}, 2)}, {}}}).ok());
  const auto data = open_data_without(folder / "d.h5", model(), {0});
  ASSERT_TRUE(data.ok()) << data.error().message;
  const auto record = data->source->read(0);
  ASSERT_FALSE(record.ok());
  EXPECT_NE(record.error().message.find("shape [4], expected [3]"), std::string::npos) << record.error().message;
}

}  // namespace
}  // namespace visq
