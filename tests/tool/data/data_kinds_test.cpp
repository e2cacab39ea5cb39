// Test data of every kind through the program, and what it says of data that do not fit.
#include <filesystem>

#include "support/runs/data_files.h"
#include "support/runs/fake_device.h"
#include "support/runs/zip_files.h"
#include "tool/tool_support.h"

namespace visq::testing {
namespace {

using ::testing::HasSubstr;

/// The images of the example, stacked.
Array images() {
  const auto model = load_model(kFp32).value();
  const auto data = open_data(kData, model).value();
  std::vector<Array> records;
  for (std::int64_t i = 0; i < data->count(); ++i) records.push_back(data->read(i)->inputs[0]);
  return FakeDevice::stacked(records);
}

std::string outputs_of(const ProcessResult& run) {
  const auto begin = run.out.find("\"outputs\""), end = run.out.find("\"post\"");
  return begin == std::string::npos ? run.out + run.err : run.out.substr(begin, end - begin);
}

TEST(DataKinds, GiveTheSameResultInEveryForm) {
  const TemporaryFolder folder;
  const Array all = images();
  write_bytes(folder / "images.npy", npy("<f4", all));
  write_bytes(folder / "data.npz", zip({{"image.npy", npy("<f4", all)}, {"labels.npy", npy("<f4", floats({2}, {0, 1}))}}, true));
  write_bytes(folder / "other.npz", zip({{"x_test.npy", npy("<f4", all)}}, false));
  Hdf5File(folder / "whole.h5").dataset("test/images", all);
  const auto compare = [&](const std::string& data) {
    return outputs_of(run_tool({"compare", kFp32, kInt8, "-d", data, "--json", "-", "--quiet"}));
  };
  const std::string wanted = compare(kData);
  EXPECT_THAT(wanted, HasSubstr("\"sqnr\""));
  for (const std::string name : {"images.npy", "data.npz", "data.npz:image", "other.npz", "whole.h5:/test/images"})
    EXPECT_EQ(compare(folder / name), wanted) << name;
  EXPECT_EQ(compare("image=" + (folder / "images.npy")), wanted);
}

TEST(DataKinds, ScalesAreUndoneByOptionsAndNextCommandsRepeatThem) {
  const TemporaryFolder folder;
  Array scaled = images();
  for (float& value : scaled.values<float>()) value *= 16;
  write_bytes(folder / "images.npy", npy("<f4", scaled));
  const ProcessResult run = run_tool({"accumulate", kFp32, kInt8, "-d", folder / "images.npy", "--scale", "1/16", "--records", "4"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const ProcessResult wrong = run_tool({"compare", kFp32, kInt8, "-d", folder / "images.npy"});
  EXPECT_THAT(wrong.err, HasSubstr("the data are scaled otherwise than those it was calibrated with"));
  EXPECT_THAT(run_tool({"compare", kFp32, kInt8, "-d", folder / "images.npy", "--scale", "1/16", "--labels", example("labels.npy"),
                        "--pair", "Identity=Identity"})
                  .out,
              HasSubstr("images.npy --scale 1/16 --pair Identity=Identity --labels " + example("labels.npy")));
  const ProcessResult next = run_tool({"diagnose", kFp32, kInt8, "-d", folder / "images.npy", "--scale", "1/16", "--records", "4"});
  EXPECT_THAT(next.out, HasSubstr("images.npy --scale 1/16"));
}

TEST(DataKinds, OptionsThatMakeNoSenseAreRefused) {
  const auto error = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", kFp32, "-d", kData, "-o", "/dev/null"};
    words.insert(words.end(), more.begin(), more.end());
    return run_tool(words);
  };
  expect_error(error({"--preset", "best"}), 2, "--preset: 'best' is not one of raw, unit, keras-tf, keras-caffe, keras-torch, torchvision");
  expect_error(error({"--scale", "1/0"}), 2, "--scale: '1/0' divides by 0");
  expect_error(error({"--std", "1,0,1"}), 2, "--std: 0 divides by 0");
  expect_error(error({"--layout", "hwc"}), 2, "--layout: 'hwc' is neither nchw nor nhwc");
  expect_error(error({"--rgb", "--bgr"}), 2, "--rgb and --bgr: one order of the channels at a time");
  expect_error(error({"--resize", "8x"}), 2, "--resize: '' is not a whole number from 1 to 65536");
  expect_error(error({"--resize", "input"}), 2, "--resize: " + kData + " holds no PNG or JPEG files; arrays have the size that they have");
}

TEST(DataKinds, AFileInWhichADatasetLiesIsNotOverwritten) {
  const TemporaryFolder folder;
  Hdf5File(folder / "whole.h5").dataset("images", images());
  expect_error(run_tool({"run", kFp32, "-d", (folder / "whole.h5") + ":/images", "-o", folder / "whole.h5"}), 2,
               (folder / "whole.h5") + ": would overwrite an input");
}

TEST(DataKinds, FoldersThatAreMadeAreSaid) {
  const TemporaryFolder folder;
  const ProcessResult run = run_tool({"compare", kFp32, kInt8, "-d", kData, "--records", "1", "-o", folder / "a/b/out"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err,
              HasSubstr((folder / "a/b/out") + ": the folders above it were missing and are made, from " + (folder / "a") + " on"));
}

TEST(DeviceComparison, NamesTheBrokenKernelAndTheNextCommandCutsItOut) {
  const TemporaryFolder folder;
  FakeDevice device(example("../cases/device_int8.tflite"), kData, 2);
  device.write_npz(folder / "device.npz", true);
  FakeDevice(kInt8, kData, 2).write_npz(folder / "sound.npz", true);
  const ProcessResult run = run_tool({"compare", kInt8, folder / "device.npz", "-d", kData, "--json", folder / "r.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("Device: the device leaves the model first at node 1 DEPTHWISE_CONV_2D"));
  EXPECT_THAT(run.out, HasSubstr("Next: visqerror extract "));
  write_text(folder / "names", "stem_Relu,stem/Relu\n");
  EXPECT_THAT(run_tool({"compare", kInt8, folder / "sound.npz", "-d", kData, "--map", folder / "names"}).out,
              HasSubstr(" -d " + kData + " --map " + (folder / "names") + " -o OUT"));
  EXPECT_THAT(run_tool({"compare", kInt8, folder / "device.npz", "-d", kData, "--scale", "1"}).out,
              HasSubstr(" --nodes spatial/Relu6 -d " + kData + " --scale 1 --mode integer -o OUT"));
  EXPECT_THAT(read_text(folder / "r.json"), HasSubstr("\"first\": \"spatial/Relu6\""));
  const ProcessResult cut =
      run_tool({"extract", kInt8, kInt8, "--nodes", "spatial/Relu6", "-d", kData, "--mode", "integer", "-o", folder / "out"});
  EXPECT_EQ(cut.exit_code, 0) << cut.err;
}

TEST(DeviceComparison, SaysWhatItNeeds) {
  const TemporaryFolder folder;
  FakeDevice(kInt8, kData, 1).write_npz(folder / "device.npz", true);
  const std::string dump = folder / "device.npz";
  const ProcessResult without_data = run_tool({"compare", kInt8, dump});  // this dump holds what the network was fed with
  EXPECT_EQ(without_data.exit_code, 0) << without_data.err;
  expect_error(run_tool({"compare", kInt8, dump, "-d", kData, "--origin"}), 2,
               "--origin: runs operators once more, so it needs models, not dumps of feature maps");
  expect_error(run_tool({"compare", kInt8, dump, "-d", kData, "--mode", "integer"}), 2,
               "--mode: a device's maps are as they are; --ref-mode is the model's");
  expect_error(run_tool({"compare", kFp32, kInt8, "-d", kData, "--map", "names"}), 2,
               "--map: goes with two dumps, or with a model, a device's dump of it and the data");
  write_text(folder / "names", "stem");
  expect_error(run_tool({"compare", kInt8, dump, "-d", kData, "--map", folder / "names"}), 3,
               (folder / "names") + ": line 1: 'stem' is not DEVICE,MODEL");
}

}  // namespace
}  // namespace visq::testing
