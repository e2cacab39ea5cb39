// Boxes from COCO's JSON, read as it comes: of a list of gigabytes nothing is kept but what boxes need.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/lines.h"
#include "model/printable.h"
#include "visq/data/truth.h"

namespace visq {
namespace {

/// The fields of one entry of any of the lists.
struct CocoEntry {
  std::optional<double> id, image, category, crowd, width, height;
  std::vector<double> box;
  bool has_box = false;
  std::string file;
};

struct NumberField {
  std::string_view list, key;
  std::optional<double> CocoEntry::*place;
};
constexpr NumberField kNumberFields[] = {
    {"images", "id", &CocoEntry::id},
    {"images", "width", &CocoEntry::width},
    {"images", "height", &CocoEntry::height},
    {"annotations", "image_id", &CocoEntry::image},
    {"annotations", "category_id", &CocoEntry::category},
    {"annotations", "iscrowd", &CocoEntry::crowd},
    {"categories", "id", &CocoEntry::id},
};

struct CocoAnnotation {
  std::int64_t image = 0, category = 0;
  Box box;
  bool crowd = false;
};

/// What the lists of the file hold.
struct CocoLists {
  std::vector<TruePicture> pictures;
  std::vector<CocoAnnotation> annotations;
  std::vector<std::int64_t> categories;
  bool has_pictures = false, has_annotations = false, has_categories = false;
};

constexpr std::size_t kMostCategories = 65'536;
constexpr double kLargestId = 9007199254740992.0;  // 2^53: up to it every whole number is a double

Result<std::int64_t> coco_id(const std::optional<double>& number, const char* what, const std::string& place) {
  if (!number || std::floor(*number) != *number || std::fabs(*number) > kLargestId) {
    return bad_input("{}: '{}' is missing or no whole number", place, what);
  }
  return static_cast<std::int64_t>(*number);
}

Result<TruePicture> coco_picture(const CocoEntry& entry, const std::string& place) {
  TruePicture picture;
  VISQ_ASSIGN(picture.id, coco_id(entry.id, "id", place));
  if (!entry.width || !entry.height || !(*entry.width > 0) || !(*entry.height > 0)) {
    return bad_input("{}: 'width' or 'height' is missing or not above 0", place);
  }
  picture.width = *entry.width, picture.height = *entry.height;
  picture.file = entry.file;
  return picture;
}

Result<CocoAnnotation> coco_annotation(const CocoEntry& entry, const std::string& place) {
  CocoAnnotation annotation;
  VISQ_ASSIGN(annotation.image, coco_id(entry.image, "image_id", place));
  VISQ_ASSIGN(annotation.category, coco_id(entry.category, "category_id", place));
  const bool sizes = entry.box.size() == 4 && entry.box[2] >= 0 && entry.box[3] >= 0;
  if (!sizes) return bad_input("{}: 'bbox' is not x, y, width and height", place);
  annotation.box = {entry.box[0], entry.box[1], entry.box[2], entry.box[3]};
  annotation.crowd = entry.crowd.value_or(0) != 0;
  return annotation;
}

/// Follows the parser through the file: lists at the top, their entries, the entries' fields; all that lies deeper or elsewhere is left
/// alone. `fault` is set, and reading ends, where an entry is not as it must be.
class CocoReader {
 public:
  using Json = nlohmann::json;

  CocoReader(std::string path, CocoLists& lists) : path_(std::move(path)), lists_(lists) {}

  bool null() { return other(); }
  bool boolean(bool value) { return number(value ? 1 : 0); }
  bool number_integer(Json::number_integer_t value) { return number(static_cast<double>(value)); }
  bool number_unsigned(Json::number_unsigned_t value) { return number(static_cast<double>(value)); }
  bool number_float(Json::number_float_t value, const std::string&) { return number(value); }
  bool binary(Json::binary_t&) { return other(); }
  bool string(std::string& value) {
    if (depth_ == kFields && list_ == "images" && key_ == "file_name") entry_.file = std::move(value);
    return other();
  }
  bool key(std::string& value) {
    if (depth_ == kTop) list_ = std::move(value);
    if (depth_ == kFields) key_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t) {
    ++depth_;
    if (depth_ == kFields) entry_ = {};
    return true;
  }
  bool end_object() {
    const bool whole = depth_ == kFields && in_lists_;
    --depth_;
    return !whole || take_entry();
  }
  bool start_array(std::size_t) {
    if (depth_ == kTop) begin_list();
    if (depth_ == kFields && key_ == "bbox") entry_.has_box = true;
    if (depth_ == kFields - 1 && in_lists_) return fail(place() + " is no object");
    ++depth_;
    return true;
  }
  bool end_array() {
    --depth_;
    if (depth_ == kTop) in_lists_ = false;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::detail::exception&) {
    return fail(fmt::format("{}: is no JSON document (at byte {})", path_, byte));
  }

  const std::string& fault() const { return fault_; }

 private:
  /// Containers that are open where the file's own keys stand, the fields of an entry, the numbers of a box.
  static constexpr int kTop = 1, kFields = 3, kInField = 4;

  bool fail(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
    return false;
  }
  std::string place() const { return fmt::format("{}: entry {} of '{}'", path_, count_, list_); }

  void begin_list() {
    count_ = 0;
    bool* const found = list_ == "images"        ? &lists_.has_pictures
                        : list_ == "annotations" ? &lists_.has_annotations
                        : list_ == "categories"  ? &lists_.has_categories
                                                 : nullptr;
    in_lists_ = found != nullptr;
    if (found != nullptr) *found = true;
  }

  /// A value that is none of those that are asked for.
  bool other() { return depth_ != kFields - 1 || !in_lists_ || fail(place() + " is no object"); }

  bool number(double value) {
    if (depth_ == kInField && in_lists_ && key_ == "bbox" && entry_.box.size() < 5) entry_.box.push_back(value);
    if (depth_ == kFields && in_lists_) {
      for (const NumberField& field : kNumberFields) {
        if (field.list == list_ && field.key == key_) entry_.*field.place = value;
      }
    }
    return other();
  }

  bool take_entry() {
    const std::string where = place();
    ++count_;
    if (list_ == "images") return keep(coco_picture(entry_, where), lists_.pictures);
    if (list_ == "categories") return keep(coco_id(entry_.id, "id", where), lists_.categories);
    return keep(coco_annotation(entry_, where), lists_.annotations);
  }
  template <class T>
  bool keep(Result<T> made, std::vector<T>& list) {
    if (!made.ok()) return fail(made.error().message);
    list.push_back(std::move(made).value());
    return true;
  }

  std::string path_;
  CocoLists& lists_;
  int depth_ = 0;
  bool in_lists_ = false;
  std::int64_t count_ = 0;
  std::string list_, key_, fault_;
  CocoEntry entry_;
};

/// Each box to its picture.
Result<BoxTruth> joined_lists(CocoLists lists, const std::string& path) {
  BoxTruth truth;
  truth.path = path;
  truth.categories = std::move(lists.categories);
  std::sort(truth.categories.begin(), truth.categories.end());
  if (truth.categories.size() > kMostCategories) {
    return bad_input("{}: has {} categories; at most {} are read", path, truth.categories.size(), kMostCategories);
  }
  const auto twice = std::adjacent_find(truth.categories.begin(), truth.categories.end());
  if (twice != truth.categories.end()) return bad_input("{}: category {} is there twice", path, *twice);
  std::map<std::int64_t, std::size_t> place_of;
  for (std::size_t i = 0; i < lists.pictures.size(); ++i) {
    if (!place_of.emplace(lists.pictures[i].id, i).second) return bad_input("{}: image {} is there twice", path, lists.pictures[i].id);
  }
  truth.pictures = std::move(lists.pictures);
  for (std::size_t i = 0; i < lists.annotations.size(); ++i) {
    const CocoAnnotation& annotation = lists.annotations[i];
    const auto picture = place_of.find(annotation.image);
    if (picture == place_of.end()) return bad_input("{}: entry {} of 'annotations': there is no image {}", path, i, annotation.image);
    const auto category = std::lower_bound(truth.categories.begin(), truth.categories.end(), annotation.category);
    if (category == truth.categories.end() || *category != annotation.category) {
      return bad_input("{}: entry {} of 'annotations': there is no category {}", path, i, annotation.category);
    }
    truth.pictures[picture->second].boxes.push_back(
        {annotation.box, static_cast<int>(category - truth.categories.begin()), annotation.crowd});
  }
  return truth;
}

}  // namespace

bool holds_boxes(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  return file >> first && first == '{';
}

Result<BoxTruth> load_boxes(const std::string& path) {
  VISQ_ASSIGN(const auto file, MappedFile::open(path));
  CocoLists lists;
  CocoReader reader(path, lists);
  const bool whole = nlohmann::json::sax_parse(data::text_of(*file), &reader);
  if (!whole) return bad_input("{}", printable(reader.fault()));
  const std::pair<const char*, bool> needed[] = {
      {"images", lists.has_pictures}, {"annotations", lists.has_annotations}, {"categories", lists.has_categories}};
  for (const auto& [list, found] : needed) {
    if (!found) return bad_input("{}: has no list '{}', so it is no ground truth of boxes as COCO's JSON has it", path, list);
  }
  if (lists.pictures.empty()) return bad_input("{}: its list 'images' is empty", path);
  return joined_lists(std::move(lists), path);
}

}  // namespace visq
