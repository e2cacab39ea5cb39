// Test data: records, each with one value per graph input; where they come from, and how they are turned into what a model is fed with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/data/preparation.h"
#include "visq/model.h"
#include "visq/tensor.h"

namespace visq {

/// Records [first, last) of the data.
struct RecordRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// One record: one array per graph input, in the order of the model that the source was opened for, in the element type of the data
/// (int8 data stay int8) and in the shape of the input.
struct Record {
  std::int64_t index = 0;  ///< its number in the data
  std::vector<Array> inputs;
  /// What is odd about the values without being an error, one line each, for the caller to print:
  /// "data.h5: record 3, input 0 'x': 12 non-finite elements, first at 5".
  std::vector<std::string> remarks;
};

/// Where records come from. Not thread-safe: one thread reads, others compute.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  virtual std::int64_t count() const = 0;
  /// Reads record `index`. Errors: kBadInput naming the data, the record and the input; also where `index` is not in [0, count()).
  virtual Result<Record> read(std::int64_t index) = 0;
  /// What messages and results call it: the path as given, or "random".
  virtual std::string description() const = 0;
  /// The file that record `index`, in [0, count()), is; empty where it has none of its own. May be called while another thread reads.
  virtual std::string record_name(std::int64_t) const { return {}; }
};

/// Opens test data for a model. `path` is one of
/// - an HDF5 file: group /value, in it a group per record ("0", "1", …), in it a dataset per input ("0", "1", …). Attribute rawData = 1
///   on /value: each dataset's bytes are the input's bytes, whatever type and shape it declares; only their number must be right;
/// - a folder with a sub-folder per input, each holding 0.npy, 1.npy … Sub-folders match inputs by name exactly, then with '/' and ':'
///   as '_', then by number;
/// - a folder of 0.npy, 1.npy … for a model with one input;
/// - one .npy whose first axis counts the records, for a model with one input;
/// - an .npz with such an array per input, named like sub-folders; for a model with one input the only array that fits it, or
/// FILE.npz:NAME;
///   else as many arrays as there are inputs, in their order, which is a remark;
/// - FILE.h5:/DATASET, one dataset of an HDF5 file whose first axis counts the records, for a model with one input;
/// - a .jpg or .png file, a folder of them, or a folder of folders of them, for a model whose only input takes pictures of 1 or 3
///   channels: in the order of their names, as numbers where all names are numbers, folder after folder;
/// - INPUT=PATH,INPUT=PATH …: data of any of these kinds for each input alone, as many records in each.
/// Names of files, arrays and inputs are the same with and without "serving_default_" before and ":0" behind them.
///
/// Any numeric or bool type is read (InputFeed decides what becomes of it); strings feed string inputs only, complex numbers complex
/// inputs only. A shape must be the input's: -1 in its signature accepts any size, a tensor without rank any shape. An additional or a
/// missing first axis of size 1 (the batch axis) is accepted, and taken off or added. Non-finite floats are remarks, not errors.
/// Errors: kBadInput, in one line: "data.h5: record 3, input 1 'state': shape [1, 2, 128], expected [1, 2, 128, 2]".
Result<std::unique_ptr<RecordSource>> open_data(const std::string& path, const Model& model, const Preparation& preparation = {});

/// The file or folder that a path of data names: without the dataset in it. Of several (INPUT=PATH,…) all.
std::vector<std::string> data_files(const std::string& path);

/// Data that may leave out some inputs.
struct PartialData {
  std::unique_ptr<RecordSource> source;  ///< the arrays of inputs that are absent are empty
  bool complete = false;                 ///< the data hold them nevertheless
};

/// Like open_data, for data that may leave out the inputs at these positions: numbers of datasets are then those of the model's inputs, or
/// count the others alone; sub-folders bear their names. What the data are is told from their first record.
Result<PartialData> open_data_without(const std::string& path, const Model& model, const std::vector<int>& absent,
                                      const Preparation& preparation = {});

/// One random record for `model`, seeded; the same on every platform. `twin` (may be null) is the quantized model of a pair: floats are
/// drawn uniformly from the range of its input (or that of the QUANTIZE behind a float input; without a twin, of `model`'s own), else
/// from [-5, 5]. Unquantized integers are from [0, 100], bools 0/1. `legacy` draws floats from [-5, 5] always, as the original tool does.
/// A dynamic axis has its stored size.
std::unique_ptr<RecordSource> random_data(const Model& model, const Model* twin, std::uint64_t seed, bool legacy);

/// Values of an input that the quantized twin of a model was not calibrated with: much of them far outside what it represents (more than
/// 5 % outside, the farthest by half its range or more), or all of them in less than 1/50 of that.
struct InputMismatch {
  int input = 0;                         ///< position in the model's inputs
  std::string name;                      ///< of its tensor
  double low = 0, high = 0;              ///< the values in the record
  double range_low = 0, range_high = 0;  ///< what the twin represents
  double outside_share = 0;              ///< of the values
  bool grave = false;                    ///< other units: off by 4 times the range or more, or by 50 times too small
};

/// The inputs of which the record has such values. Errors: those of InputFeed.
Result<std::vector<InputMismatch>> input_mismatches(const Record& record, const Model& model, const Model& twin);

/// One line that names both ranges and, where it is one of the usual scalings of pictures, what to do.
std::string sentence(const InputMismatch& mismatch, const std::string& twin_path);

/// The class of every record, from a .npy file, a .csv file, or an HDF5 file with one dataset (or FILE.h5:DATASET): whole numbers, one per
/// record, or a row per record with a single 1 among zeros (one-hot). Errors: kBadInput naming file and place; other shapes. Boxes and
/// masks: visq/data/truth.h.
Result<std::vector<std::int64_t>> load_labels(const std::string& path);

/// Only these records of `source`, renumbered from 0 in the order given.
std::unique_ptr<RecordSource> select_records(std::unique_ptr<RecordSource> source, std::vector<std::int64_t> records);

/// Records that are at hand; record i has index i. `description`: see RecordSource.
std::unique_ptr<RecordSource> stored_records(std::shared_ptr<const std::vector<Record>> records, std::string description);

/// Writes records as an HDF5 file that open_data() reads: whole under its name, or not at all. Record i of the file is records[i]; its
/// attribute `record` says which it was in the data it came from.
/// Errors: kBadInput naming the file and the system's reason.
Status write_data(const std::string& path, const std::vector<Record>& records);

/// How far read_ahead() may be ahead: it stops at `records` of them, or earlier with the one that reaches `bytes`.
struct ReadAheadLimit {
  std::size_t records = 256;
  std::size_t bytes = std::size_t{4} << 20;
};

/// Reads `source` ahead on a thread of its own, from record range.first up to range.last, no further than `limit` before they are asked
/// for. read() may still ask for any record: one that is not the next restarts the reading there. Errors come with the record they belong
/// to. The thread ends, and closes `source`, in the destructor. read() is called by one thread at a time.
std::unique_ptr<RecordSource> read_ahead(std::unique_ptr<RecordSource> source, RecordRange range, ReadAheadLimit limit = {});

/// For each graph input of `twin`, the position of the matching graph input of `model`: by name, else shape and type, else position.
/// Inputs match only if the same data can feed both: equal shapes (dynamic axes and a first axis of 1 aside), and both real-valued
/// (float or quantized), both integer, or of one other type.
/// Errors: kBadInput where the numbers of inputs differ or no input is left that fits.
Result<std::vector<int>> match_inputs(const Model& model, const Model& twin);

/// Turns records into the inputs of a model or of a pair. An input that is float or quantized takes real values:
/// - float data are real values;
/// - integer data of a quantized input's own storage type (int8 for int4) are its stored values: handed over as they are to that model,
///   dequantized with that input's parameters for the other. Where both models store that type, the first model's parameters count;
/// - other integers, and bools, are real values.
/// Unquantized integer and bool inputs take any data whose every value their type can hold exactly.
class InputFeed {
 public:
  /// `twin`: the other model of a pair, or null. Copies what it needs of both.
  /// Errors: those of match_inputs.
  static Result<InputFeed> create(const Model& model, const Model* twin);

  /// Arrays in the model's input order, each float32 (real values), or of the input's own type: stored values of a quantized input,
  /// integers, bools, float64, complex, strings.
  /// Errors: kBadInput naming the model, the record, the input and the element: "m.tflite: record 3, input 0 'ids': element 5 is 0.5,
  /// which int32 cannot hold".
  Result<std::vector<Array>> for_model(Record record) const;
  /// The same in the twin's input order. Only where there is a twin.
  Result<std::vector<Array>> for_twin(Record record) const;

 private:
  struct Side {
    std::string path;
    std::vector<TensorInfo> inputs;
    std::vector<int> order;  ///< position in the record of each input
  };
  Result<std::vector<Array>> feed(Record record, const Side& side) const;
  const TensorInfo* owner(std::size_t position, DType data) const;

  Side model_, twin_;
};

}  // namespace visq
