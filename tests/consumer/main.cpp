// Compares two models and prints the SQNR of the first output: consumer FP32 QUANT DATA.
#include <iostream>
#include <memory>

#include "visq/compare.h"

namespace {

visq::Result<double> output_sqnr(const std::string& reference_path, const std::string& quantized_path, const std::string& data_path) {
  VISQ_ASSIGN(visq::Model reference, visq::load_model(reference_path));
  VISQ_ASSIGN(visq::Model quantized, visq::load_model(quantized_path));
  VISQ_ASSIGN(const auto data, visq::open_data(data_path, reference));
  visq::CompareOptions options;
  options.records = {0, data->count()};
  options.metrics = {visq::metric_index("sqnr")};
  VISQ_ASSIGN(const visq::CompareResult result, visq::compare(std::make_shared<visq::Model>(std::move(reference)),
                                                              std::make_shared<visq::Model>(std::move(quantized)), *data, options));
  return result.maps[static_cast<std::size_t>(result.outputs.at(0))].metrics.at(0).value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto sqnr = output_sqnr(argv[1], argv[2], argv[3]);
  if (!sqnr.ok()) {
    std::cerr << sqnr.error().message << "\n";
    return 1;
  }
  std::cout << *sqnr << "\n";
}
