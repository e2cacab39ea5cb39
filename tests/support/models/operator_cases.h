// The operator cases of tests/opcases/data, as tests/opcases/make_cases.py wrote them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/tensor.h"

namespace visq::testing {

/// A line of cases.csv.
struct CaseName {
  std::string family;
  std::vector<std::string> operators;  ///< those that it proves
  std::string key;                     ///< "ADD/row_int8"
  bool quantized = false;
};

/// Arrays of every graph input or output, per record.
using Records = std::vector<std::vector<Array>>;

struct OperatorCase {
  std::string model;  ///< bytes of the file
  bool moves = false;
  Records inputs, value;
  std::optional<Records> fake;
};

/// All lines of cases.csv. Throws where the file is not what it should be, as load_case() does.
std::vector<CaseName> case_names();
OperatorCase load_case(const CaseName& name);

/// The inputs as test data.
std::unique_ptr<RecordSource> case_source(Records inputs);

}  // namespace visq::testing
