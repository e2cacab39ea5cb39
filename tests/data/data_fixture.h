// What tests of test data share: a folder, reading one array, and messages without the folder's name.
#pragma once

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/models/data_models.h"
#include "support/runs/data_files.h"
#include "visq/data.h"

namespace visq::testing {

class DataTest : public ::testing::Test {
 protected:
  /// A message with the folder's name taken out.
  std::string shown(std::string message) const {
    const std::string prefix = folder_.file("");
    for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) message.erase(at, prefix.size());
    return message;
  }
  std::string error(const std::string& path, const Model& model, const Preparation& preparation = {}, std::int64_t index = 0) const {
    const auto source = open_data(path, model, preparation);
    if (!source.ok()) return shown(source.error().message);
    const auto record = (*source)->read(index);
    return record.ok() ? "no error" : shown(record.error().message);
  }
  Record read(const std::string& path, const Model& model, const Preparation& preparation = {}, std::int64_t index = 0) const {
    const auto source = open_data(path, model, preparation);
    EXPECT_TRUE(source.ok()) << (source.ok() ? "" : source.error().message);
    if (!source.ok()) return {};
    auto record = (*source)->read(index);
    EXPECT_TRUE(record.ok()) << (record.ok() ? "" : record.error().message);
    return record.ok() ? std::move(record).value() : Record{};
  }
  std::vector<float> values(const Array& array) const {
    const auto all = array.values<float>();
    return {all.begin(), all.end()};
  }

  DataFolder folder_;
};

}  // namespace visq::testing
