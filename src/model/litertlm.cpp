#include "model/litertlm.h"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "litertlm_generated.h"
#include "model/printable.h"

namespace visq::loader {
namespace {

// The file: 8 bytes of magic, version as three 32-bit numbers, 4 bytes unused, the offset of the header's end as a 64-bit number, header.
constexpr std::string_view kMagic = "LITERTLM";
constexpr std::size_t kVersionOffset = 8, kHeaderEndOffset = 24, kHeaderOffset = 32;
constexpr std::uint32_t kKnownVersion = 1;
/// Flatbuffers are read where they lie; writers begin sections at multiples of 16384.
constexpr std::uint64_t kAlignment = 16;
/// A header says a few words about each section: far more than any has, and little memory.
constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 20, kMostSections = 4096;
constexpr flatbuffers::uoffset_t kMostItems = 256;
constexpr std::size_t kLongestText = 256;

constexpr std::string_view kModelType = "model_type", kPrefix = "tf_lite_", kUsual = "prefill_decode";

template <class T>
T number_at(std::span<const std::byte> file, std::size_t offset) {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

Result<const litertlm::Header*> header_of(std::span<const std::byte> file, const std::string& path) {
  if (file.size() < kHeaderOffset) return bad_input("{}: is truncated: {} bytes, too short for a LiteRT-LM header", path, file.size());
  const auto major = number_at<std::uint32_t>(file, kVersionOffset);
  if (major != kKnownVersion) return bad_input("{}: is a LiteRT-LM container of version {}, known is {}", path, major, kKnownVersion);
  const auto end = number_at<std::uint64_t>(file, kHeaderEndOffset);
  if (end < kHeaderOffset || end > file.size() || end - kHeaderOffset > kMostHeaderBytes) {
    return bad_input("{}: its LiteRT-LM header ends at byte {} of {}", path, end, file.size());
  }
  const auto header = file.subspan(kHeaderOffset, end - kHeaderOffset);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(header.data());
  flatbuffers::Verifier verifier(bytes, header.size());
  if (!verifier.VerifyBuffer<litertlm::Header>(nullptr)) {
    return bad_input("{}: is truncated or damaged: its {} header bytes are no valid LiteRT-LM header", path, header.size());
  }
  return flatbuffers::GetRoot<litertlm::Header>(bytes);
}

/// "prefill_decode" of an item model_type = "tf_lite_prefill_decode".
std::string model_of(const litertlm::SectionObject& section) {
  const auto* const items = section.items();
  const flatbuffers::uoffset_t count = items != nullptr ? std::min(items->size(), kMostItems) : 0;
  for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
    const auto* const item = items->Get(i);
    if (item->key() == nullptr || item->key()->string_view() != kModelType) continue;
    const auto* text = item->value_as_StringValue();
    if (text == nullptr || text->value() == nullptr) continue;
    std::string_view value = text->value()->string_view();
    if (value.starts_with(kPrefix)) value.remove_prefix(kPrefix.size());
    return std::string(value.substr(0, kLongestText));
  }
  return {};
}

std::string kind_of(litertlm::SectionType type) {
  const char* const name = litertlm::EnumNameSectionType(type);
  return *name != '\0' ? name : fmt::format("type {}", static_cast<int>(type));
}

Status check_places(const std::vector<ContainerSection>& sections, std::uint64_t header_end, std::uint64_t size, const std::string& path) {
  std::vector<std::size_t> order(sections.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sections[i].begin; });
  std::uint64_t free_from = header_end;
  for (const std::size_t i : order) {
    const auto& [kind, model, begin, end, is_model] = sections[i];
    if (begin > end || end > size) return bad_input("{}: section {} is bytes {} to {} of {}", path, i, begin, end, size);
    if (begin == end) continue;
    if (begin < free_from) return bad_input("{}: section {} begins at byte {}, inside what ends at {}", path, i, begin, free_from);
    if (is_model && begin % kAlignment != 0)
      return bad_input("{}: section {} begins at byte {}, no multiple of {}", path, i, begin, kAlignment);
    free_from = end;
  }
  return {};
}

std::string listed(const std::vector<ContainerSection>& sections) {
  std::vector<std::string> models;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].is_model) models.push_back(fmt::format("{} '{}'", i, printable(sections[i].model)));
  }
  return models.empty() ? "it holds no TFLite model" : fmt::format("its models are {}", joined(models, ", "));
}

}  // namespace

bool is_litertlm(std::span<const std::byte> file) {
  return file.size() >= kMagic.size() && std::memcmp(file.data(), kMagic.data(), kMagic.size()) == 0;
}

Result<std::vector<ContainerSection>> litertlm_sections(std::span<const std::byte> file, const std::string& path) {
  VISQ_ASSIGN(const litertlm::Header* header, header_of(file, path));
  std::vector<ContainerSection> sections;
  const auto* metadata = header->section_metadata();
  if (metadata == nullptr || metadata->objects() == nullptr) return sections;
  if (metadata->objects()->size() > kMostSections) return bad_input("{}: has {} sections", path, metadata->objects()->size());
  for (const auto* section : *metadata->objects()) {
    const bool is_model = section->data_type() == litertlm::SectionType::TFLiteModel;
    sections.push_back({kind_of(section->data_type()), model_of(*section), section->begin_offset(), section->end_offset(), is_model});
  }
  VISQ_TRY(check_places(sections, number_at<std::uint64_t>(file, kHeaderEndOffset), file.size(), path));
  return sections;
}

Result<std::span<const std::byte>> litertlm_model(std::span<const std::byte> file, const std::string& path, const std::string& choice) {
  VISQ_ASSIGN(const auto sections, litertlm_sections(file, path));
  std::vector<std::size_t> fitting;
  std::string_view wanted = choice;
  if (wanted.starts_with(kPrefix)) wanted.remove_prefix(kPrefix.size());
  const auto models = std::ranges::count_if(sections, &ContainerSection::is_model);
  if (wanted.empty() && models > 1) wanted = kUsual;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i].is_model) continue;
    if (wanted.empty() || sections[i].model == wanted || std::to_string(i) == wanted) fitting.push_back(i);
  }
  if (fitting.size() == 1) {
    const ContainerSection& section = sections[fitting.front()];
    return file.subspan(section.begin, section.end - section.begin);
  }
  if (choice.empty() && fitting.empty()) return bad_input("{}: {}; FILE:NUMBER says which", path, listed(sections));
  return bad_input("{}: {} of its models '{}'; {}", path, fitting.empty() ? "none" : "several",
                   printable(choice.empty() ? std::string(wanted) : choice), listed(sections));
}

}  // namespace visq::loader
