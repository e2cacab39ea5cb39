// What is right where one class per record does not say it: boxes around objects, classes of pixels.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "visq/data.h"

namespace visq {

/// In pixels of the picture, from its upper left corner.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};

struct TrueBox {
  Box box;
  int category = 0;    ///< position in BoxTruth::categories
  bool crowd = false;  ///< many objects in one: what is found in it counts neither as right nor as wrong
};

struct TruePicture {
  std::int64_t id = 0;
  std::string file;              ///< as the list names it; may be empty
  double width = 0, height = 0;  ///< in pixels
  std::vector<TrueBox> boxes;
};

struct BoxTruth {
  std::string path;
  std::vector<std::int64_t> categories;  ///< ids, ascending
  std::vector<TruePicture> pictures;     ///< in the order of the file
};

/// Reads ground truth in COCO's JSON: "images" (id, width, height, file_name), "annotations" (image_id, category_id, bbox as x, y, width,
/// height; iscrowd), "categories" (id). All else is passed over, unread.
/// Errors: kBadInput naming the file and the entry: a field that is missing or no such value, an id that is there twice or not at all;
/// more than 65,536 categories.
Result<BoxTruth> load_boxes(const std::string& path);

/// Whether a file is a JSON object by its first letter that is no white space.
bool holds_boxes(const std::string& path);

/// Masks, each a record with one array of whole numbers, [height, width]: the class of every pixel. `path` is a folder of PNG files, whose
/// grey values or places in the palette are the classes, or test data of any other kind (see open_data) for an input of any shape.
/// Errors: kBadInput; reading: what is no mask.
Result<std::unique_ptr<RecordSource>> open_masks(const std::string& path);

/// For every record of the data its place in `truth`, by its name without folders (and, where `ending` is false, without what follows the
/// last point); where the data have no names, its number. -1: there is none of that name.
std::vector<std::int64_t> places_by_name(const RecordSource& data, const std::vector<std::string>& truth, bool ending);

}  // namespace visq
