// What the tests of the tool share: the example's files, and one-line expectations.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/process.h"

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

}  // namespace visq::testing
