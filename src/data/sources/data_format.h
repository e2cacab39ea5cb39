// The registry of kinds of files that data come in: one file each in formats/. What kind a path holds is told from what is there, not from
// its ending.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "visq/data.h"
#include "visq/data/preparation.h"
#include "visq/dump.h"

namespace visq::data {

/// What is asked of test data beside where they are.
struct DataRequest {
  std::vector<int> numbers;  ///< the dataset of each input, for kinds that number them; empty: in their order
  std::string dataset;       ///< of a file that holds several; empty: the user names none. Only for kinds that `name_datasets`
  Preparation preparation;   ///< of pictures: their size; the rest is done for all kinds alike
};

/// One kind of files. What it never holds is null. Errors of all: kBadInput, naming the path.
struct DataFormat {
  std::string_view name = {};  ///< "an HDF5", for messages about files; empty where it is a folder
  int position = 0;            ///< kinds are asked in this order whether a path is theirs
  bool (*holds)(const std::string& path, bool folder);
  /// Test data, see visq::open_data().
  Result<std::unique_ptr<RecordSource>> (*open)(const std::string& path, const Model& model, const DataRequest& request) = nullptr;
  /// Feature maps, see visq::open_dump().
  Result<std::unique_ptr<DumpReader>> (*open_dump)(const std::string& path) = nullptr;
  /// Class labels. `dataset`: one of several in the file, empty where the user names none; only for kinds that `name_datasets`.
  Result<std::vector<std::int64_t>> (*labels)(const std::string& path, const std::string& dataset) = nullptr;
  bool names_datasets = false;
  bool pictures = false;  ///< records are pictures, [1, height, width, channels]
};

/// All kinds, in the order of `position`.
const std::vector<const DataFormat*>& data_formats();

/// The first kind that a path is of, of those that do this: format_of(path, &DataFormat::open_dump). Null where there is none.
template <class Does>
const DataFormat* format_of(const std::string& path, bool folder, Does DataFormat::*does) {
  for (const DataFormat* format : data_formats()) {
    if (format->*does != nullptr && format->holds(path, folder)) return format;
  }
  return nullptr;
}

/// A path, and a dataset of the file there that it may name: FILE:DATASET, split at the last ':' behind which no file's name goes on. What
/// exists is a file's name as a whole.
struct DataPath {
  std::string file, dataset;
};
DataPath split_dataset(const std::string& path);

/// Whether a file begins with these bytes.
bool starts_with(const std::string& path, std::string_view signature);

/// Whether a path is a folder. Errors: it is not there, or neither a file nor a folder.
Result<bool> is_folder(const std::string& path);

}  // namespace visq::data
