// Feature-map dumps: what `run --out` writes and a comparison of dumps reads.
//
// HDF5: root attributes `model` (file name) and `mode` ("fp32", "fake-quant", "integer"); group /value, in it a group per record, named by
// its index in the data; in that a dataset per tensor of subgraph 0, named by the tensor's index, in the tensor's shape. Attributes of a
// dataset: `name`; where the tensor is quantized, `scale` (float32), `zero_point` (int64, as long as scale) and `quantized_dimension`.
// int4 and int2 are int8, uint4 is uint8, bfloat16 is float32, bool an enum FALSE/TRUE over int8, complex a compound r, i; strings are
// variable-length UTF-8. Other types (resources, float8) are left out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/mode.h"
#include "visq/run.h"
#include "visq/tensor.h"

namespace visq {

/// Writes a dump. The file appears under its name only with commit(); until then, and after any error, there is only a temporary beside
/// it, which the destructor removes.
class DumpWriter : public MapSink {
 public:
  /// `model` is the path of the model; its file name is stored.
  /// Errors: kBadInput, "out.h5: cannot be written: No such file or directory".
  static Result<std::unique_ptr<DumpWriter>> create(const std::string& path, const std::string& model, Mode mode);
  ~DumpWriter() override;

  /// Errors: kBadInput naming the file and the system's reason (a full disk), also where a record or a tensor is written twice.
  Status begin_record(std::int64_t index) override;
  Status add(const FeatureMap& map) override;
  /// Closes the file, flushes it to the disk and gives it its name. Nothing can be added any more.
  Status commit();

 private:
  struct State;
  explicit DumpWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// One tensor of one record of a dump.
struct DumpTensor {
  int index = -1;    ///< tensor index; -1 in a folder whose files bear names
  std::string name;  ///< tensor name; empty where the dump does not say
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<float> scale;  ///< empty: not quantized
  std::vector<std::int64_t> zero_point;
  int quantized_dimension = 0;
};

/// Reads a dump. Not thread-safe.
class DumpReader {
 public:
  virtual ~DumpReader() = default;
  /// File name of the model that the maps are of; empty where the dump does not say.
  virtual const std::string& model() const = 0;
  virtual std::optional<Mode> mode() const = 0;
  /// Indices of the records, ascending.
  virtual const std::vector<std::int64_t>& records() const = 0;
  /// The tensors of one record by ascending index (folders: by name). Errors: kBadInput naming file, record and tensor.
  virtual Result<std::vector<DumpTensor>> tensors(std::int64_t record) = 0;
  /// The elements of a tensor that tensors() listed. Maps of more than limits().input are refused.
  virtual Result<Array> read(std::int64_t record, const DumpTensor& tensor) = 0;
};

/// Opens a dump: an HDF5 file as above, or a folder with a sub-folder per record ("0", "1", …), in it TENSOR.npy files, where TENSOR is a
/// tensor's index or its name (with '/' and ':' as '_'). Or as devices' tools write them, where names, shapes and scales may be other than
/// the model's (see device_dump() in visq/device/compare_device.h):
/// - an .npz file, its arrays one record;
/// - a folder of TENSOR.npy files, one record; folders, numbered or not, with TENSOR.txt files: numbers between white space;
/// - a manifest, a .csv or .json file that lists raw files beside it, or a folder with a manifest.csv or manifest.json
/// (docs/device_dumps.md);
/// - the file of TFLite Micro's layer-by-layer debugging tool.
Result<std::unique_ptr<DumpReader>> open_dump(const std::string& path);
/// Whether a path is something that open_dump() takes, by what kind of file it is.
bool holds_dump(const std::string& path);

}  // namespace visq
