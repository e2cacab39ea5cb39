// What the tests of the tool share: the example's files, and one-line expectations.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/runs/process.h"
#include "visq/dump.h"

namespace visq::testing {

inline std::string example(const std::string& name) { return std::string(VISQ_SOURCE_DIR) + "/examples/digits/" + name; }

inline const std::string kFp32 = example("fp32.tflite"), kInt8 = example("int8.tflite"), kData = example("data.h5");

/// The run failed with this code and exactly this line on stderr, and said nothing on stdout.
inline void expect_error(const ProcessResult& result, int exit_code, const std::string& message) {
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_EQ(result.err, "visqerror: " + message + "\n");
  EXPECT_EQ(result.out, "");
}

/// As expect_error, where the message has a part that is the system's or a library's.
inline void expect_error_containing(const ProcessResult& result, int exit_code, const std::string& part) {
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << "more than one line: " << result.err;
  EXPECT_EQ(result.err.rfind("visqerror: ", 0), 0U) << result.err;
  EXPECT_EQ(result.out, "");
}

/// The bytes of every tensor of a dump whose name is `name`, one per record.
inline std::vector<std::vector<std::byte>> values_of(const std::string& path, const std::string& name) {
  const auto dump = open_dump(path);
  EXPECT_TRUE(dump.ok()) << (dump.ok() ? "" : dump.error().message);
  std::vector<std::vector<std::byte>> values;
  for (const std::int64_t record : (*dump)->records()) {
    const auto tensors = (*dump)->tensors(record);
    for (const DumpTensor& tensor : *tensors) {
      if (tensor.name == name) values.push_back((*dump)->read(record, tensor)->bytes);
    }
  }
  EXPECT_FALSE(values.empty()) << path << ": " << name;
  return values;
}

}  // namespace visq::testing
