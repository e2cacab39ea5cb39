#include "support/models/model_builder.h"

#include <flatbuffers/idl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace visq::testing {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Parsers that know the schemas; parsing a schema takes longer than building a model.
flatbuffers::Parser& parser_of(std::string_view format) {
  static std::map<std::string_view, flatbuffers::Parser> parsers;
  flatbuffers::Parser& parser = parsers[format];
  if (parser.root_struct_def_ == nullptr) {
    const std::string schema = read_text(fmt::format("{}/schema/{}.fbs", VISQ_SOURCE_DIR, format));
    EXPECT_TRUE(parser.Parse(schema.c_str())) << parser.error_;
  }
  return parser;
}

bool same(std::span<const std::byte> a, std::span<const std::byte> b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

bool same(const Sparsity* a, const Sparsity* b) {
  if (a == nullptr || b == nullptr) return a == b;
  const auto same_dimension = [](const SparseDimension& x, const SparseDimension& y) {
    return x.dense == y.dense && x.dense_size == y.dense_size && x.segments == y.segments && x.indices == y.indices;
  };
  return a->traversal_order == b->traversal_order && a->block_map == b->block_map &&
         std::equal(a->dimensions.begin(), a->dimensions.end(), b->dimensions.begin(), b->dimensions.end(), same_dimension);
}

/// Floats by their bits: NaN equals itself.
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return same(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

bool same(const Quantization& a, const Quantization& b) {
  return same(a.scale, b.scale) && a.zero_point == b.zero_point && a.axis == b.axis && same(a.min, b.min) && same(a.max, b.max) &&
         a.block_size == b.block_size && a.block_scales == b.block_scales && a.block_zero_points == b.block_zero_points;
}

bool same(const TensorInfo& a, const TensorInfo& b) {
  return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape && a.shape_signature == b.shape_signature &&
         a.has_rank == b.has_rank && same(a.quantization, b.quantization) && a.is_variable == b.is_variable &&
         a.is_constant == b.is_constant && same(a.data, b.data) && same(a.sparsity.get(), b.sparsity.get());
}

bool same(const Operator& a, const Operator& b) {
  return a.type == b.type && a.custom_code == b.custom_code && a.version == b.version && a.inputs == b.inputs && a.outputs == b.outputs &&
         a.intermediates == b.intermediates && a.attributes.all() == b.attributes.all() && same(a.custom_options, b.custom_options);
}

bool same(const Signature& a, const Signature& b) {
  return a.key == b.key && a.subgraph == b.subgraph && a.inputs == b.inputs && a.outputs == b.outputs;
}

/// Index of the first pair that differs, -1 where none does.
template <class T>
int first_unequal(const std::vector<T>& a, const std::vector<T>& b) {
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (!same(a[i], b[i])) return static_cast<int>(i);
  }
  return a.size() == b.size() ? -1 : static_cast<int>(shared);
}

}  // namespace

std::string build_model(std::string_view format, const std::string& json) {
  flatbuffers::Parser& parser = parser_of(format);
  if (!parser.Parse(json.c_str())) {
    ADD_FAILURE() << parser.error_;
    return {};
  }
  const auto& builder = parser.builder_;
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

TemporaryModel::TemporaryModel(std::string_view bytes) {
  static std::atomic<int> count = 0;
  path_ = (std::filesystem::temp_directory_path() / fmt::format("visq-test-{}-{}.model", ::getpid(), count++)).string();
  std::ofstream created(path_, std::ios::binary);
  created.close();
  write(bytes);
}

TemporaryModel::~TemporaryModel() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

void TemporaryModel::write(std::string_view bytes) const {
  // In place: some file systems flush a file to disk when it is truncated and written again, which takes a millisecond each time.
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(file.flush().good()) << path_;
  if (std::filesystem::file_size(path_) != bytes.size()) std::filesystem::resize_file(path_, bytes.size());
}

Result<Model> load_bytes(std::string_view bytes) {
  const std::string shown_path(1, 'm');
  const TemporaryModel file(bytes);
  auto loaded = load_model(file.path());
  if (!loaded.ok()) {
    Error error = loaded.error();
    const auto at = error.message.find(file.path());
    if (at != std::string::npos) error.message.replace(at, file.path().size(), shown_path);
    return error;
  }
  loaded->path = shown_path;
  return loaded;
}

std::string load_error(std::string_view bytes) {
  const auto loaded = load_bytes(bytes);
  if (loaded.ok()) return {};
  EXPECT_EQ(loaded.error().reason, Reason::kBadInput);
  return loaded.error().message;
}

std::string first_difference(const Model& a, const Model& b) {
  if (a.description != b.description) return "description";
  if (a.subgraphs.size() != b.subgraphs.size()) return "number of subgraphs";
  for (std::size_t g = 0; g < a.subgraphs.size(); ++g) {
    const Subgraph& x = a.subgraphs[g];
    const Subgraph& y = b.subgraphs[g];
    if (x.name != y.name || x.inputs != y.inputs || x.outputs != y.outputs) return fmt::format("subgraph {}", g);
    if (const int i = first_unequal(x.tensors, y.tensors); i >= 0) return fmt::format("subgraph {}, tensor {}", g, i);
    if (const int i = first_unequal(x.operators, y.operators); i >= 0) return fmt::format("subgraph {}, node {}", g, i);
  }
  if (const int i = first_unequal(a.signatures, b.signatures); i >= 0) return fmt::format("signature {}", i);
  return {};
}

}  // namespace visq::testing
