// Every JSON that the tool reads back: visq.json (and the graph that is drawn from it), rankings of `sensitivity`, results of `compare`,
// results that merge joins.
#include "fuzz/data_models.h"
#include "fuzz/fuzz_input.h"
#include "visq/graph.h"
#include "visq/report.h"
#include "visq/report/ranking_file.h"
#include "visq/report/result_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace visq;
  fuzz::limit_the_run();
  const std::string& path = fuzz::file_of(data, size);
  static_cast<void>(report::read_ranking(path));
  static_cast<void>(report::read_result(path));
  static_cast<void>(report::read_part(path));
  const auto file = read_visq_json(path);
  if (file.ok()) static_cast<void>(dot_graph(*file, graph_of(fuzz::model_of_two())));
  return 0;
}
