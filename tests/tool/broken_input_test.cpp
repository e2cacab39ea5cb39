// Inputs that cannot be read and outputs that cannot be written: one line, the documented exit code, nothing left behind.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <limits>

#include "support/runs/data_files.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

TEST(BrokenInput, MissingModel) {
  expect_error(run_tool({"compare", "nowhere.tflite", kInt8, "-d", kData}), 3,
               "nowhere.tflite: cannot be opened: No such file or directory");
  expect_error(run_tool({"nowhere.tflite", kInt8}), 3, "nowhere.tflite: cannot be opened: No such file or directory");
  expect_error(run_tool({"compare", kFp32, "nowhere.tflite", "-d", kData}), 3,
               "nowhere.tflite: cannot be opened: No such file or directory");
}

TEST(BrokenInput, TextInsteadOfAModel) {
  const TemporaryFolder folder;
  const std::string path = folder / "model.tflite";
  write_text(path, "This is not a model, but it is longer than a flatbuffer's head.\n");
  expect_error_containing(run_tool({"compare", path, kInt8, "-d", kData}), 3, path + ": ");
}

TEST(BrokenInput, TruncatedModel) {
  const TemporaryFolder folder;
  const std::string path = folder / "model.tflite";
  const std::string whole = read_text(kInt8);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{100}, whole.size() / 2, whole.size() - 1}) {
    write_text(path, whole.substr(0, size));
    expect_error_containing(run_tool({"compare", kFp32, path, "-d", kData}), 3, path + ": ");
  }
}

TEST(BrokenInput, ModelsInTheWrongOrder) {
  expect_error(run_tool({"compare", kInt8, kFp32, "-d", kData}), 3,
               kInt8 + " is quantized and " + kFp32 + " is not: are they swapped? The reference comes first");
}

TEST(BrokenInput, FilesThatOthersBroke) {
  const std::filesystem::path folder = std::string(VISQ_SHARED_DIR) + "/models/bad";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the broken models of " << folder << " are not here";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    SCOPED_TRACE(path);
    expect_error_containing(run_tool({"compare", path, path}), 3, path + ": ");
    expect_error_containing(run_tool({"inspect", path}), 3, path + ": ");
  }
}

TEST(BrokenInput, ModelsOfDifferentNetworks) {
  const std::filesystem::path models = std::string(VISQ_SHARED_DIR) + "/models";
  if (!std::filesystem::exists(models)) GTEST_SKIP() << "the models of " << models << " are not here";
  const std::string vww = (models / "vww_96/fp32.tflite").string(), resnet = (models / "resnet8/int8.tflite").string();
  expect_error_containing(run_tool({"compare", vww, resnet, "-d", (models / "vww_96/data.h5").string()}), 3, "fits no input of " + vww);
}

TEST(BrokenInput, DataThatAreNotNumbersAreToldAndCompared) {
  const TemporaryFolder folder;
  Array images = make_array(DType::kFloat32, {2, 1, 8, 8, 1});
  images.values<float>()[64 + 7] = std::numeric_limits<float>::quiet_NaN();
  write_text(folder / "images.npy", npy("<f4", images));
  const ProcessResult run = run_tool({"compare", kFp32, kInt8, "-d", folder / "images.npy", "--json", "-"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err.rfind("visqerror: warning: " + (folder / "images.npy") + ": record 1, input 0 'image': ", 0), 0U) << run.err;
}

TEST(BrokenInput, DataOfAnotherShape) {
  const TemporaryFolder folder;
  write_text(folder / "images.npy", npy("<f4", make_array(DType::kFloat32, {2, 1, 8, 9, 1})));
  expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", folder / "images.npy"}), 3, "[1, 8, 8, 1]");
}

TEST(BrokenInput, MissingData) { expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", "nowhere.h5"}), 3, "nowhere.h5: "); }

TEST(BrokenInput, DataInTheWrongGroup) {
  const TemporaryFolder folder;
  const std::string path = folder / "data.h5";
  Hdf5File(path).group("values");
  const ProcessResult run = run_tool({"compare", kFp32, kInt8, "-d", path});
  expect_error_containing(run, 3, path + ": ");
  EXPECT_NE(run.err.find("value"), std::string::npos) << run.err;
}

TEST(BrokenInput, PipesAndDevicesAreRefusedUnopened) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder / "data.h5");  // nobody ever writes into it
  for (const std::string& path : {folder / "pipe", folder / "data.h5", std::string("/dev/zero")}) {
    expect_error_containing(run_tool({"compare", path, path}), 3, path + ": is not a file");
    expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", path}), 3, path + ": is neither a file nor a folder");
    expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", kData, "--labels", path}), 3, path + ": is not a file");
  }
}

TEST(BrokenInput, ModelInsteadOfData) { expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", kInt8}), 3, kInt8 + ": "); }

TEST(BrokenInput, VisqJsonThatIsNone) {
  const TemporaryFolder folder;
  write_text(folder / "a.visq.json", "{\"meta\": 3}");
  expect_error_containing(run_tool({"dot", folder / "a.visq.json"}), 3, folder / "a.visq.json" + ": ");
  expect_error_containing(run_tool({"dot", "nowhere.visq.json"}), 3, "nowhere.visq.json: ");
}

TEST(BrokenOutput, FolderThatCannotBe) {
  const TemporaryFolder folder;
  write_text(folder / "file", "");
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "-o", folder / "file"}), 3, folder / "file" + ": is not a folder");
  expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", kData, "-o", folder / "file/sub"}), 3, folder / "file/sub" + ": ");
  expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", kData, "-o", "/proc/visqerror"}), 3, "/proc/visqerror: cannot be ");
  expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", kData, "--json", folder / "none/r.json"}), 3,
                          folder / "none/r.json" + ": cannot be written: No such file or directory");
  expect_error_containing(run_tool({"run", kInt8, "-d", kData, "-o", folder / "none/m.h5"}), 3,
                          folder / "none/m.h5" + ": cannot be written");
  expect_error(run_tool({"run", kInt8, "-d", kData, "-o", folder.path().string()}), 3, folder.path().string() + ": is a folder");
  expect_error_containing(run_tool({"-f", kFp32, "-q", kInt8, "--mse_output", folder / "none/m.json"}), 3, folder / "none/m.json" + ": ");
}

TEST(BrokenOutput, IsToldBeforeTheModelsAreRead) {
  expect_error_containing(run_tool({"compare", "nowhere.tflite", kInt8, "-o", "/proc/visqerror"}), 3, "/proc/visqerror: cannot be ");
}

TEST(BrokenOutput, FailedRunLeavesNoFolderBehind) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_tool({"compare", kFp32, kInt8, "-d", "nowhere.h5", "-o", folder / "a/b/c"}).exit_code, 3);
  EXPECT_TRUE(folder.content().empty());
}

TEST(BrokenOutput, StandardOutputOnAFullDevice) {
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData}, {.stdout_file = "/dev/full"}), 3,
               "standard output: cannot be written: No space left on device");
}

/// A file system of 64 KiB, of which a file fills all but the last few pages.
class FullDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::mount("none", folder_.path().c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "mounting a small file system needs root";
    mounted_ = true;
    write_text(folder_ / "ballast", std::string(48 << 10, 'x'));
  }
  void TearDown() override {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  TemporaryFolder folder_;
  bool mounted_ = false;
};

TEST_F(FullDisk, LeavesWhatWasThere) {
  write_text(folder_ / "result.json", "old");
  expect_error_containing(run_tool({"compare", kFp32, kInt8, "-d", kData, "-o", folder_.path().string()}), 3, "No space left on device");
  EXPECT_EQ(read_text(folder_ / "result.json"), "old");
  EXPECT_EQ(folder_.content(), (std::vector<std::string>{"ballast", "result.json"}));

  const ProcessResult run = run_tool({"run", kFp32, "-d", kData, "-o", folder_ / "maps.h5"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_EQ(run.err.rfind("visqerror: " + folder_ / "maps.h5" + ": ", 0), 0U) << run.err;
  EXPECT_EQ(folder_.content(), (std::vector<std::string>{"ballast", "result.json"}));
}

}  // namespace
}  // namespace visq::testing
