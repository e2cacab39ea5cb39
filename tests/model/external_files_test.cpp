// Constants in files beside the model: read from its folder, and from nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "model/model_edit.h"
#include "support/models/model_builder.h"
#include "support/runs/data_files.h"
#include "visq/model.h"

namespace visq {
namespace {

using testing::DataFolder;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::write_bytes;

/// y = x + w, w being the external buffer 9: `length` bytes of file `name` from `offset` on.
std::string model_with(const std::string& name, std::uint64_t offset = 4, std::uint64_t length = 8,
                       const std::string& packing = "unpacked") {
  return testing::build_model("tflite", fmt::format(R"({{version: 3, operator_codes: [{{builtin_code: ADD}}], buffers: [{{}}],
    external_buffer_groups: [{{name: "other"}}, {{name: "{}"}}],
    external_buffers: [{{id: 7}}, {{id: 9, group: 1, offset: {}, length: {}, packing: "{}"}}],
    subgraphs: [{{inputs: [0], outputs: [2], tensors: [{{name: "x", shape: [2]}}, {{name: "w", shape: [2], external_buffer: 9}},
      {{name: "y", shape: [2]}}], operators: [{{inputs: [0, 1], outputs: [2]}}]}}]}})",
                                                    name, offset, length, packing));
}

class ExternalBuffers : public ::testing::Test {
 protected:
  ExternalBuffers() {
    write_bytes(folder_.file("in/w.bin"), std::string("....\0\0\x80\x3f\0\0\0\x40", 12));  // 1, 2
    write_bytes(folder_.file("out.bin"), std::string(12, '\1'));
  }
  std::string error(const std::string& bytes) const {
    write_bytes(path_, bytes);
    const auto model = load_model(path_);
    return model.ok() ? "" : model.error().message;
  }
  DataFolder folder_;
  const std::string path_ = folder_.file("in/m.tflite");
};

TEST_F(ExternalBuffers, AreReadFromTheModelsFolder) {
  ASSERT_EQ(error(model_with("w.bin")), "");
  const Model model = load_model(path_).value();
  const TensorInfo& w = model.main().tensors[1];
  ASSERT_EQ(w.data.size(), 8U);
  float values[2];
  std::memcpy(values, w.data.data(), sizeof values);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 2);
  EXPECT_TRUE(w.is_constant);
}

TEST_F(ExternalBuffers, GoIntoAModelThatIsWrittenAgain) {
  ASSERT_EQ(error(model_with("w.bin")), "");
  const Model model = load_model(path_).value();
  const auto written = write_edited(model, {});
  ASSERT_TRUE(written.ok()) << written.error().message;
  const auto again = testing::load_bytes(*written);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(testing::first_difference(model, *again), "");
}

TEST_F(ExternalBuffers, NothingOutsideTheFolderIsRead) {
  const auto outside = EndsWith("outside the model's folder, which is not read");
  EXPECT_THAT(error(model_with("../out.bin")), outside);
  EXPECT_THAT(error(model_with(folder_.file("in/w.bin"))), outside);
  std::filesystem::create_symlink("../out.bin", folder_.file("in/link.bin"));
  EXPECT_THAT(error(model_with("link.bin")), outside);
  std::filesystem::create_directory_symlink("..", folder_.file("in/up"));
  EXPECT_THAT(error(model_with("up/out.bin")), outside);
}

TEST_F(ExternalBuffers, WhatIsNotThereIsNamed) {
  EXPECT_THAT(error(model_with("none.bin")), HasSubstr("tensor 1 'w': its values lie in 'none.bin', which cannot be opened: No such file"));
  EXPECT_THAT(error(model_with("")), EndsWith("its values lie in a file without a proper name"));
  EXPECT_THAT(error(model_with(".")), EndsWith("its values lie in '.', which is no file"));
  EXPECT_THAT(error(model_with("w.bin", 5)), EndsWith("its 8 bytes begin at byte 5 of 'w.bin', which has 12"));
  EXPECT_THAT(error(model_with("w.bin", ~std::uint64_t{0} >> 1U)), HasSubstr("which has 12"));
  EXPECT_THAT(error(model_with("w.bin", 4, 8, "q4")), EndsWith("its values are packed as 'q4', which is not known"));
}

}  // namespace
}  // namespace visq
