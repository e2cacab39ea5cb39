// Constants of ONNX models: initializers, and the tensors that attributes hold.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/external_files.h"
#include "model/onnx/message.h"
#include "model/place.h"
#include "visq/model.h"

namespace visq::loader::onnx {

/// The element type that a TensorProto.DataType stands for; nothing where there is none of ours.
std::optional<DType> element_type(std::int64_t code);

/// What constants of one model point into, beside its file.
class ConstantStore {
 public:
  ConstantStore(const std::string& path, std::size_t file_bytes)
      : path_(path), bytes_(file_bytes), made_(std::make_shared<std::deque<std::vector<std::byte>>>()) {}

  /// Keeps bytes that do not stand in the file as they are.
  Bytes keep(std::vector<std::byte> bytes) { return made_->emplace_back(std::move(bytes)); }
  /// Bytes of a file beside the model, confined to its folder. Errors: kBadInput at `place`.
  Result<Bytes> outside(const std::string& name, std::uint64_t offset, std::uint64_t length, const Place& place);
  /// Claims elements that are copied once more, as where operators share a constant. Errors: kBadInput at `place` where the model would
  /// become larger than its files by a multiple that no sound one needs.
  Status claim_copy(std::int64_t elements, const Place& place);
  /// Claims the message of a node that stands in a function, once for each of its calls. Errors: kBadInput at `place` where there are so
  /// many that the model would become larger than any sound one.
  Status claim_inlined(std::size_t bytes, const Place& place);
  /// What keeps all of it alive, `first` with it.
  std::shared_ptr<const void> storage(std::shared_ptr<const void> first) const;

 private:
  const std::string& path_;
  std::uint64_t bytes_;                           ///< of the file
  std::map<std::string, std::uint64_t> outside_;  ///< of files beside it: as far as they are read
  std::uint64_t copied_ = 0, inlined_ = 0, inlined_nodes_ = 0;
  ExternalFiles external_;
  std::shared_ptr<std::deque<std::vector<std::byte>>> made_;
};

/// The name that a TensorProto has; empty where it has none.
std::string tensor_name(Bytes message);

/// Makes a constant of texts, laid out as TFLite has them. Errors: kBadInput at `place` where they are more than such a tensor holds.
Status set_texts(std::span<const std::string> texts, Shape shape, TensorInfo& tensor, ConstantStore& store, const Place& place);

/// Fills a constant but for its name. Errors: kBadInput at `place` for what is not well-formed, and for parts of tensors, which are not
/// read.
Status read_constant(Bytes message, TensorInfo& tensor, ConstantStore& store, const Place& place);

}  // namespace visq::loader::onnx
