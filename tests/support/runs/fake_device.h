// A device that computes what a model's integer execution does, and writes its maps in other tools' formats.
#pragma once

#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/model.h"
#include "visq/run.h"

namespace visq::testing {

/// One map of all records, as stored.
struct FakeMap {
  int index = -1;
  std::string name;
  DType dtype = DType::kInt8;
  Shape shape;
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;
  std::vector<Array> records;
};

class FakeDevice {
 public:
  /// Runs the first `records` records.
  FakeDevice(const std::string& model, const std::string& data, std::int64_t records);

  FakeMap& map(const std::string& name);
  std::vector<FakeMap>& maps() { return maps_; }
  /// Letters and digits of a name, all else '_'.
  static std::string mangled(const std::string& name);
  /// [n, h, w, c] as [n, c, h, w].
  static Array channels_second(const Array& array);
  /// [n, h, w, c] with zeros up to a multiple of `unit` channels.
  static Array filled_up(const Array& array, std::int64_t unit);
  /// Records one behind the other along the first axis.
  static Array stacked(const std::vector<Array>& records);

  /// Each writes all maps. A folder per record with .npy files of codes, names as files have them.
  void write_npy_folders(const std::string& folder) const;
  /// An .npz with mangled names, records along the first axis.
  void write_npz(const std::string& file, bool deflated) const;
  /// A folder per record with texts, a number a line, channels second, mangled names: as RKNN's snapshots are.
  void write_texts(const std::string& folder) const;
  /// Raw files of all records and a list of them.
  void write_manifest(const std::string& folder, bool json) const;
  /// The first record, as TFLite Micro's layer-by-layer tool has it.
  void write_micro_debug(const std::string& file) const;

 private:
  std::vector<FakeMap> maps_;
};

}  // namespace visq::testing
