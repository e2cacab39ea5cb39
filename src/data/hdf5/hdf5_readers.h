// Readers of HDF5 files that call the library in this process: in the child process of hdf5_child.h, whose promises are those of
// visq/data.h and visq/dump.h, and in fuzzing. Each process that takes strangers' files calls hdf5::confine() first.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/descriptor.h"
#include "visq/data.h"
#include "visq/dump.h"

namespace visq::hdf5 {

/// For a process that reads strangers' files and has one thread: from now on the library loads no plugin and follows no link into another
/// file, and takes no lock (the one that the process was forked under is another thread's for ever).
void confine();

/// Whether this thread is inside the library, or in a reader around it. Safe to call in a signal handler.
bool in_library();

}  // namespace visq::hdf5

namespace visq::data {

/// `path`: what messages call the file. `numbers`: the dataset of each input; empty: in their order.
Result<std::unique_ptr<RecordSource>> read_hdf5_records(OpenFile file, const std::string& path, const Model& model,
                                                        std::vector<int> numbers);
/// Records along the first axis of one dataset. Errors: kBadInput naming file and dataset; a model with several inputs.
Result<std::unique_ptr<RecordSource>> read_hdf5_stacked(OpenFile file, const std::string& path, const Model& model,
                                                        const std::string& dataset);
Result<std::unique_ptr<DumpReader>> read_hdf5_dump(OpenFile file, const std::string& path);
/// `dataset`: empty where the file holds one only.
Result<std::vector<std::int64_t>> read_hdf5_labels(OpenFile file, const std::string& path, std::string dataset);

/// Whether scale, zero point and axis go together, and with the shape. Errors: begin with `place`.
Status check_quantization(const DumpTensor& tensor, const std::string& place);

}  // namespace visq::data
