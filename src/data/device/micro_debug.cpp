// The flatbuffer that the layer-by-layer tool of TFLite Micro's sources writes: what every operator gave, by subgraph and tensor index. Its
// tables, as its layer_by_layer_schema.fbs numbers their fields:
//   ModelTestData  0 input_data: [TensorData], 1 subgraph_data: [SubgraphData]
//   SubgraphData   0 outputs: [TensorData], 1 subgraph_index: uint
//   TensorData     0 input_index: uint, 1 tensor_index: uint, 2 shape: [int], 3 dtype: byte, 4 data: [ubyte], 5 num_bytes: uint,
//                  6 layer_number: uint
#include <flatbuffers/flatbuffers.h>

#include <algorithm>

#include "core/checked.h"
#include "core/error.h"
#include "core/file.h"
#include "data/device/device_files.h"
#include "data/device/entry_dump.h"

namespace visq::data {
namespace {

using flatbuffers::Offset;
using flatbuffers::Vector;
using flatbuffers::Verifier;

constexpr flatbuffers::voffset_t field(int number) { return static_cast<flatbuffers::voffset_t>(4 + 2 * number); }

struct TensorData : private flatbuffers::Table {
  std::uint32_t tensor() const { return GetField<std::uint32_t>(field(1), 0); }
  const Vector<std::int32_t>* shape() const { return GetPointer<const Vector<std::int32_t>*>(field(2)); }
  std::int8_t type() const { return GetField<std::int8_t>(field(3), 0); }
  const Vector<std::uint8_t>* bytes() const { return GetPointer<const Vector<std::uint8_t>*>(field(4)); }
  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyField<std::uint32_t>(verifier, field(1), 4) && VerifyOffset(verifier, field(2)) &&
           verifier.VerifyVector(shape()) && VerifyField<std::int8_t>(verifier, field(3), 1) && VerifyOffset(verifier, field(4)) &&
           verifier.VerifyVector(bytes()) && verifier.EndTable();
  }
};
using Tensors = Vector<Offset<TensorData>>;

struct SubgraphData : private flatbuffers::Table {
  const Tensors* outputs() const { return GetPointer<const Tensors*>(field(0)); }
  std::uint32_t index() const { return GetField<std::uint32_t>(field(1), 0); }
  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyOffset(verifier, field(0)) && verifier.VerifyVector(outputs()) &&
           verifier.VerifyVectorOfTables(outputs()) && VerifyField<std::uint32_t>(verifier, field(1), 4) && verifier.EndTable();
  }
};

struct ModelTestData : private flatbuffers::Table {
  const Tensors* inputs() const { return GetPointer<const Tensors*>(field(0)); }
  const Vector<Offset<SubgraphData>>* subgraphs() const { return GetPointer<const Vector<Offset<SubgraphData>>*>(field(1)); }
  bool Verify(Verifier& verifier) const {
    return VerifyTableStart(verifier) && VerifyOffset(verifier, field(0)) && verifier.VerifyVector(inputs()) &&
           verifier.VerifyVectorOfTables(inputs()) && VerifyOffset(verifier, field(1)) && verifier.VerifyVector(subgraphs()) &&
           verifier.VerifyVectorOfTables(subgraphs()) && verifier.EndTable();
  }
};

/// The root of a file that is one; null otherwise. Models have an identifier, which these have not.
const ModelTestData* root_of(const MappedFile& file) {
  constexpr std::size_t kSmallest = 16, kLargest = std::size_t{1} << 31;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(file.bytes().data());
  if (file.bytes().size() < kSmallest || file.bytes().size() >= kLargest) return nullptr;
  Verifier verifier(bytes, file.bytes().size(), 8, 1'000'000);
  if (!verifier.VerifyBuffer<ModelTestData>(nullptr)) return nullptr;
  const auto* root = flatbuffers::GetRoot<ModelTestData>(bytes);
  return root->subgraphs() != nullptr && root->subgraphs()->size() > 0 ? root : nullptr;
}

/// The numbers of the format of models.
constexpr std::pair<int, DType> kMicroTypes[] = {{0, DType::kFloat32},  {1, DType::kFloat16}, {2, DType::kInt32},  {3, DType::kUInt8},
                                                 {4, DType::kInt64},    {6, DType::kBool},    {7, DType::kInt16},  {9, DType::kInt8},
                                                 {10, DType::kFloat64}, {15, DType::kUInt32}, {16, DType::kUInt16}};

/// Adds a tensor; what the types or sizes of cannot be told is an error that begins with `path`.
Status add_tensor(const TensorData& tensor, const std::shared_ptr<const MappedFile>& file, const std::string& path,
                  std::vector<DumpEntry>& list) {
  const auto* type =
      std::find_if(std::begin(kMicroTypes), std::end(kMicroTypes), [&](const auto& each) { return each.first == tensor.type(); });
  std::vector<std::int64_t> dims;
  if (tensor.shape() != nullptr) dims.assign(tensor.shape()->begin(), tensor.shape()->end());
  const auto elements = checked_elements(dims);
  if (type == std::end(kMicroTypes) || !elements || tensor.bytes() == nullptr) {
    return bad_input("{}: tensor {}: type {} or its shape cannot be read", path, tensor.tensor(), tensor.type());
  }
  const auto bytes = checked_mul(*elements, static_cast<std::int64_t>(size_of(type->second)));
  if (!bytes || *bytes != static_cast<std::int64_t>(tensor.bytes()->size())) {
    return bad_input("{}: tensor {}: {} bytes, but {} of {} need others", path, tensor.tensor(), tensor.bytes()->size(),
                     to_string(Shape(dims)), name(type->second));
  }
  DumpEntry entry;
  entry.tensor.index = static_cast<int>(std::min<std::uint32_t>(tensor.tensor(), INT32_MAX));
  entry.tensor.dtype = type->second;
  entry.tensor.shape = Shape(dims);
  const bool seen = std::any_of(list.begin(), list.end(), [&](const DumpEntry& each) { return each.tensor.index == entry.tensor.index; });
  if (seen) return {};  // an input of the graph that an operator hands on
  const std::span<const std::uint8_t> values(tensor.bytes()->data(), tensor.bytes()->size());
  entry.read = [file, values, shown = entry.tensor](const std::string&) -> Result<Array> {
    Array array = make_array(shown.dtype, shown.shape);
    std::ranges::copy(std::as_bytes(values), array.bytes.begin());
    return array;
  };
  list.push_back(std::move(entry));
  return {};
}

}  // namespace

bool holds_micro_debug(const std::string& path) {
  const auto file = MappedFile::open(path);
  return file.ok() && root_of(**file) != nullptr;
}

Result<std::unique_ptr<DumpReader>> open_micro_debug(const std::string& path) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  const ModelTestData* root = root_of(*file);
  if (root == nullptr) return bad_input("{}: is no file of TFLite Micro's layer-by-layer tool", path);
  DumpEntries entries;
  const auto add_all = [&](const Tensors* tensors) -> Status {
    for (std::size_t i = 0; tensors != nullptr && i < tensors->size(); ++i) {
      VISQ_TRY(add_tensor(*tensors->Get(static_cast<flatbuffers::uoffset_t>(i)), file, path, entries[0]));
    }
    return {};
  };
  VISQ_TRY(add_all(root->inputs()));
  for (const SubgraphData* subgraph : *root->subgraphs()) {
    if (subgraph->index() == 0) VISQ_TRY(add_all(subgraph->outputs()));
  }
  return entry_dump(path, std::move(entries));
}

}  // namespace visq::data
