#include "support/runs/fake_device.h"

#include <flatbuffers/flatbuffers.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>

#include "support/runs/data_files.h"
#include "support/runs/zip_files.h"

namespace visq::testing {
namespace {

class Collector final : public MapSink {
 public:
  explicit Collector(std::vector<FakeMap>& maps) : maps_(maps) {}
  Status begin_record(std::int64_t) override { return {}; }
  Status add(const FeatureMap& map) override {
    auto found = std::find_if(maps_.begin(), maps_.end(), [&](const FakeMap& each) { return each.index == map.tensor; });
    if (found == maps_.end()) {
      const Quantization& grid = map.info->quantization;
      found = maps_.insert(found, {map.tensor, map.info->name, map.dtype, map.shape, grid.scale, grid.zero_point, {}});
    }
    Array array = make_array(map.dtype, map.shape);
    std::copy_n(map.data, array.bytes.size(), array.bytes.begin());
    found->records.push_back(std::move(array));
    return {};
  }

 private:
  std::vector<FakeMap>& maps_;
};

std::string code_of(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return "|i1";
    case DType::kUInt8:
      return "|u1";
    case DType::kInt16:
      return "<i2";
    case DType::kFloat32:
      return "<f4";
    default:
      throw std::runtime_error("the fake device has no such maps");
  }
}

std::string text_of(const Array& array) {
  std::string text;
  const auto lines = [&](const auto& values) {
    for (const auto value : values) text += fmt::format("{}\n", value);
  };
  if (array.dtype == DType::kInt8) lines(array.values<std::int8_t>());
  if (array.dtype == DType::kUInt8) lines(array.values<std::uint8_t>());
  if (array.dtype == DType::kFloat32) lines(array.values<float>());
  return text;
}

/// With the folders above it.
void write(const std::string& path, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  write_bytes(path, bytes);
}

std::string bytes_of(const Array& array) { return {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()}; }

/// Elements of [n, h, w, c], placed by place(n, pixel, channel).
template <class Place>
Array rearranged(const Array& array, Shape shape, Place place) {
  Array result = make_array(array.dtype, std::move(shape));
  const std::int64_t channels = array.shape[3], pixels = array.shape[1] * array.shape[2];
  const auto width = static_cast<std::int64_t>(size_of(array.dtype));
  for (std::int64_t i = 0; i < array.shape.elements(); ++i) {
    const std::int64_t to = place(i / (channels * pixels), i / channels % pixels, i % channels);
    std::copy_n(array.bytes.begin() + i * width, width, result.bytes.begin() + to * width);
  }
  return result;
}

}  // namespace

FakeDevice::FakeDevice(const std::string& path, const std::string& data, std::int64_t records) {
  auto model = load_model(path);
  if (!model.ok()) throw std::runtime_error(model.error().message);
  const auto shared = std::make_shared<const Model>(std::move(model).value());
  const auto source = open_data(data, *shared);
  if (!source.ok()) throw std::runtime_error(source.error().message);
  RunOptions options;
  options.mode = Mode::kInteger;
  options.records = {0, records};
  Collector collector(maps_);
  const auto outcome = run(shared, **source, options, collector);
  if (!outcome.ok()) throw std::runtime_error(outcome.error().message);
}

FakeMap& FakeDevice::map(const std::string& name) {
  const auto found = std::find_if(maps_.begin(), maps_.end(), [&](const FakeMap& each) { return each.name == name; });
  if (found == maps_.end()) throw std::runtime_error("no map " + name);
  return *found;
}

std::string FakeDevice::mangled(const std::string& name) {
  std::string text = name;
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

Array FakeDevice::channels_second(const Array& array) {
  if (array.shape.rank() != 4) return array;
  const Shape& s = array.shape;
  const std::int64_t pixels = s[1] * s[2], channels = s[3];
  return rearranged(array, {s[0], s[3], s[1], s[2]},
                    [=](std::int64_t n, std::int64_t p, std::int64_t c) { return (n * channels + c) * pixels + p; });
}

Array FakeDevice::filled_up(const Array& array, std::int64_t unit) {
  const Shape& s = array.shape;
  const std::int64_t filled = (s[3] + unit - 1) / unit * unit, pixels = s[1] * s[2];
  return rearranged(array, {s[0], s[1], s[2], filled},
                    [=](std::int64_t n, std::int64_t p, std::int64_t c) { return (n * pixels + p) * filled + c; });
}

Array FakeDevice::stacked(const std::vector<Array>& records) {
  Shape shape = records.front().shape;
  shape[0] *= static_cast<std::int64_t>(records.size());
  Array all{records.front().dtype, shape, {}, {}};
  for (const Array& record : records) all.bytes.insert(all.bytes.end(), record.bytes.begin(), record.bytes.end());
  return all;
}

void FakeDevice::write_npy_folders(const std::string& folder) const {
  for (const FakeMap& map : maps_) {
    std::string name = map.name;
    std::replace(name.begin(), name.end(), '/', '_');
    for (std::size_t i = 0; i < map.records.size(); ++i) {
      write(fmt::format("{}/{}/{}.npy", folder, i, name), npy(code_of(map.dtype), map.records[i]));
    }
  }
}

void FakeDevice::write_npz(const std::string& file, bool deflated) const {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const FakeMap& map : maps_) entries.emplace_back(mangled(map.name) + ".npy", npy(code_of(map.dtype), stacked(map.records)));
  write(file, zip(entries, deflated));
}

void FakeDevice::write_texts(const std::string& folder) const {
  for (const FakeMap& map : maps_) {
    for (std::size_t i = 0; i < map.records.size(); ++i) {
      write(fmt::format("{}/{}/{}.txt", folder, i, mangled(map.name)), text_of(channels_second(map.records[i])));
    }
  }
}

void FakeDevice::write_manifest(const std::string& folder, bool json) const {
  std::string list = json ? "[" : "file,name,record,dtype,shape,scale,zero_point\n";
  for (const FakeMap& map : maps_) {
    for (std::size_t i = 0; i < map.records.size(); ++i) {
      const std::string file = fmt::format("{}.{}.bin", mangled(map.name), i);
      write(folder + "/" + file, bytes_of(map.records[i]));
      const std::string shape = fmt::format("{}", fmt::join(map.shape.dims(), "x"));
      const float scale = map.scale.empty() ? 0 : map.scale[0];
      if (json) {
        list += fmt::format(R"({}{{"file":"{}","name":"{}","record":{},"dtype":"{}","shape":"{}","scale":{},"zero_point":{}}})",
                            list.size() > 1 ? "," : "", file, map.name, i, name(map.dtype), shape, scale, map.zero_point[0]);
      } else {
        list += fmt::format("{},{},{},{},{},{},{}\n", file, map.name, i, name(map.dtype), shape, scale, map.zero_point[0]);
      }
    }
  }
  write(folder + (json ? "/manifest.json" : "/manifest.csv"), list + (json ? "]" : ""));
}

void FakeDevice::write_micro_debug(const std::string& file) const {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<flatbuffers::Table>> tensors;
  for (const FakeMap& map : maps_) {
    const std::vector<std::int32_t> dims(map.shape.dims().begin(), map.shape.dims().end());
    const auto shape = builder.CreateVector(dims);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(map.records[0].bytes.data());
    const auto data = builder.CreateVector(bytes, map.records[0].bytes.size());
    const auto begin = builder.StartTable();
    builder.AddElement<std::uint32_t>(6, static_cast<std::uint32_t>(map.index), 0);
    builder.AddOffset(8, shape);
    builder.AddElement<std::int8_t>(10, 9, 0);  // int8
    builder.AddOffset(12, data);
    tensors.emplace_back(builder.EndTable(begin));
  }
  const auto outputs = builder.CreateVector(tensors);
  const auto begin = builder.StartTable();
  builder.AddOffset(4, outputs);
  const std::vector<flatbuffers::Offset<flatbuffers::Table>> subgraph{builder.EndTable(begin)};
  const auto subgraphs = builder.CreateVector(subgraph);
  const auto root = builder.StartTable();
  builder.AddOffset(6, subgraphs);
  builder.Finish(flatbuffers::Offset<flatbuffers::Table>(builder.EndTable(root)));
  write(file, {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()});
}

}  // namespace visq::testing
