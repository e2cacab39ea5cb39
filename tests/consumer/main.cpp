// Compares two models and prints the SQNR of the first output, then the whole result as JSON: consumer FP32 QUANT DATA.
#include <iostream>
#include <memory>

#include "visq/visq.h"

visq::Result<visq::CompareResult> compare_files(const std::string& fp32, const std::string& int8, const std::string& records) {
  VISQ_ASSIGN(visq::Model reference, visq::load_model(fp32));
  VISQ_ASSIGN(visq::Model quantized, visq::load_model(int8));
  VISQ_ASSIGN(const auto data, visq::open_data(records, reference));
  visq::CompareOptions options;
  options.records = {0, data->count()};
  return visq::compare(std::make_shared<visq::Model>(std::move(reference)), std::make_shared<visq::Model>(std::move(quantized)), *data,
                       options);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto result = compare_files(argv[1], argv[2], argv[3]);
  if (!result) {
    std::cerr << result.error().message << "\n";
    return 1;
  }
  const visq::MetricValue* sqnr = visq::find_metric(*result, visq::compared_output(*result, 0), "sqnr");
  if (sqnr == nullptr) return 1;
  std::cout << sqnr->value << "\n" << visq::result_json(*result);
}
