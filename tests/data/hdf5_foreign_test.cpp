// HDF5 files that point to what is not in them, or that inflate without measure: refused by what their structure says.
#include <gtest/gtest.h>

#include "data/hdf5/hdf5_child.h"
#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "support/runs/sanitized.h"
#include "visq/data.h"
#include "visq/dump.h"

namespace visq {
namespace {

using testing::data_model;
using testing::data_tensor;
using testing::DataFolder;
using testing::floats;
using testing::Hdf5File;

class ForeignData : public ::testing::Test {
 protected:
  ForeignData() { Hdf5File(folder_.file("other.h5")).dataset("x", floats({3}, {1, 2, 3})).dataset("group/0", floats({3}, {1, 2, 3})); }
  std::string shown(std::string message) const {
    const auto at = message.find(path_);
    return at == std::string::npos ? message : message.replace(at, path_.size(), "data.h5");
  }
  std::string record_error() const {
    const auto source = open_data(path_, model_);
    if (!source.ok()) return shown(source.error().message);
    const auto record = (*source)->read(0);
    return record.ok() ? "no error" : shown(record.error().message);
  }
  std::string dump_error() const {
    const auto dump = open_dump(path_);
    if (!dump.ok()) return shown(dump.error().message);
    const auto tensors = (*dump)->tensors(0);
    if (!tensors.ok()) return shown(tensors.error().message);
    const auto array = (*dump)->read(0, tensors->at(0));
    return array.ok() ? "no error" : shown(array.error().message);
  }
  std::string label_error(const std::string& dataset) const {
    const auto labels = load_labels(path_ + ":" + dataset);
    return labels.ok() ? "no error" : shown(labels.error().message);
  }
  /// In record 0, as test data and as a dump.
  void expect_refused(const std::string& what) const {
    EXPECT_EQ(record_error(), "data.h5: record 0, input 0 'x': " + what);
    EXPECT_EQ(dump_error(), "data.h5: record 0, tensor 0: " + what);
    EXPECT_EQ(label_error("value/0/0"), "data.h5: dataset 'value/0/0': " + what);
  }

  DataFolder folder_;
  const std::string path_ = folder_.file("data.h5"), other_ = folder_.file("other.h5");
  const Model model_ = data_model("m.tflite", {data_tensor("x", DType::kFloat32, {3})});
};

TEST_F(ForeignData, LinksIntoOtherFiles) {
  Hdf5File(path_).external_link("value/0/0", "other.h5", "/x");
  expect_refused("is a link into another file, 'other.h5': no file but the one given is read");
  Hdf5File(path_).external_link("value/0/0", path_, "/x");
  EXPECT_NE(record_error().find("is a link into another file"), std::string::npos);
  Hdf5File(path_).external_link("value/0/0", "/dev/zero", "/x");
  expect_refused("is a link into another file, '/dev/zero': no file but the one given is read");
  Hdf5File(path_).external_link("value/0/0", "no\x1b[31m", "/x");
  expect_refused("is a link into another file, 'no\\x1b[31m': no file but the one given is read");
}

TEST_F(ForeignData, GroupsInOtherFiles) {
  Hdf5File(path_).external_link("value/0", "other.h5", "/group");
  EXPECT_EQ(record_error(), "data.h5: record 0: is a link into another file, 'other.h5': no file but the one given is read");
  EXPECT_EQ(dump_error(), record_error());
  EXPECT_EQ(label_error("value/0/0"),
            "data.h5: dataset 'value/0/0': is a link into another file, 'other.h5': no file but the one given is read");
  Hdf5File(path_).external_link("value", "other.h5", "/");
  EXPECT_EQ(record_error(), "data.h5: /value: is a link into another file, 'other.h5': no file but the one given is read");
  EXPECT_EQ(dump_error(), record_error());
}

TEST_F(ForeignData, LinksWithinTheFileAreFollowedUnlessTheyLeadOutOfIt) {
  Hdf5File(path_).dataset("x", floats({3}, {1, 2, 3})).soft_link("y", "/x").soft_link("value/0/0", "/y");
  EXPECT_EQ(record_error(), "no error");
  EXPECT_EQ(label_error("y"), "no error");
  Hdf5File(path_).external_link("x", "other.h5", "/x").soft_link("y", "/x").soft_link("value/0/0", "/y");
  expect_refused("is a link into another file, 'other.h5': no file but the one given is read");
  Hdf5File(path_).soft_link("value/0/0", "/value/0/0");
  EXPECT_NE(record_error(), "no error");
}

TEST_F(ForeignData, ElementsInOtherFiles) {
  for (const char* const file : {"/etc/passwd", "/dev/zero", "other.h5"}) {
    Hdf5File(path_).external_data("value/0/0", file);
    expect_refused("its data lie in another file, '" + std::string(file) + "': no file but the one given is read");
  }
  Hdf5File(path_).external_data("value/0/0", "/etc/passwd").integer_attribute("value", "rawData", 1);
  EXPECT_EQ(record_error(),
            "data.h5: record 0, input 0 'x': its data lie in another file, '/etc/passwd': no file but the one given is read");
}

TEST_F(ForeignData, VirtualDatasets) {
  Hdf5File(path_).virtual_data("value/0/0", other_, "/x");
  expect_refused("is a virtual dataset, of '/x' in '" + other_ + "': no dataset but the one asked for is read");
  Hdf5File(path_).virtual_data("value/0/0", ".", "/value/0/0");
  expect_refused("is a virtual dataset, of '/value/0/0' in '.': no dataset but the one asked for is read");
}

TEST_F(ForeignData, FiltersThatAreNotTheLibrarysOwnAndFiltersInARow) {
  Hdf5File(path_).filtered("value/0/0", {1, 2, 3});
  EXPECT_EQ(record_error(), "no error");
  Hdf5File(path_).filtered("value/0/0", {2, 32001});
  expect_refused("is packed by filter 32001 '', which the HDF5 library has not built in: plugins are not loaded");
  Hdf5File(path_).filtered("value/0/0", {1, 1});
  expect_refused("is packed twice by filter 1 'deflate'");
}

TEST_F(ForeignData, ChunksThatInflateWithoutMeasure) {
  if (testing::kSanitized) GTEST_SKIP() << "memory is not limited below a sanitizer";
  Hdf5File(path_).bomb("value/0/0", kOwnMemory + (std::size_t{32} << 20));
  EXPECT_EQ(dump_error(), "data.h5: record 0, tensor 0: takes more memory than its shape needs: it inflates without measure");
}

}  // namespace
}  // namespace visq
