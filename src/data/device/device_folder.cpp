// Folders of .npy and .txt files: one record, or a folder per record.
#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "data/device/device_files.h"
#include "data/device/entry_dump.h"
#include "data/device/text_map.h"
#include "data/numpy/npy.h"
#include "data/numpy/npz.h"
#include "data/sources/numbered.h"
#include "model/printable.h"

namespace visq::data {
namespace {

namespace fs = std::filesystem;

struct Contents {
  std::vector<fs::path> arrays, texts, folders;
};

Contents contents_of(const fs::path& path) {
  Contents found;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const fs::path file = entry->path();
    if (file.filename().native().starts_with('.')) continue;
    if (entry->is_directory(ignored)) found.folders.push_back(file);
    if (!entry->is_regular_file(ignored)) continue;
    if (file.extension() == ".npy") found.arrays.push_back(file);
    if (file.extension() == ".txt" && holds_numbers(file.string())) found.texts.push_back(file);
  }
  for (auto* list : {&found.arrays, &found.texts, &found.folders}) std::sort(list->begin(), list->end());
  return found;
}

/// A file's name as that of a tensor, or its index.
void name_tensor(const std::string& stem, DumpTensor& tensor) {
  const auto index = decimal(stem);
  const bool numbered = index && *index <= INT32_MAX;
  tensor.index = numbered ? static_cast<int>(*index) : -1;
  tensor.name = numbered ? "" : stem;
}

Result<std::vector<DumpEntry>> entries_of(const Contents& contents) {
  std::vector<DumpEntry> list;
  for (const fs::path& file : contents.arrays) {
    const std::string path = file.string();
    VISQ_ASSIGN(const NpyHeader header, read_npy_header(path, printable(path)));
    DumpEntry entry;
    entry.tensor.dtype = header.dtype;
    entry.tensor.shape = header.shape;
    name_tensor(file.stem().string(), entry.tensor);
    entry.read = [path, header](const std::string& place) { return read_npy(path, header, 0, header.shape, place); };
    list.push_back(std::move(entry));
  }
  for (const fs::path& file : contents.texts) {
    const std::string path = file.string();
    DumpEntry entry;
    VISQ_ASSIGN(entry.tensor, look_at_text(path, printable(path)));
    name_tensor(file.stem().string(), entry.tensor);
    entry.read = [path, tensor = entry.tensor](const std::string& place) { return read_text(path, tensor, place); };
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

bool holds_device_folder(const std::string& path) {
  const Contents top = contents_of(path);
  if (!top.arrays.empty() || !top.texts.empty()) return true;
  return std::any_of(top.folders.begin(), top.folders.end(), [](const fs::path& folder) { return !contents_of(folder).texts.empty(); });
}

Result<std::unique_ptr<DumpReader>> open_device_folder(const std::string& path) {
  const Contents top = contents_of(path);
  DumpEntries entries;
  if (!top.arrays.empty() || !top.texts.empty()) {
    VISQ_ASSIGN(entries[0], entries_of(top));
    return entry_dump(path, std::move(entries));
  }
  for (const fs::path& folder : top.folders) {
    const auto record = decimal(folder.filename().string());
    if (!record) return bad_input("{}: '{}' is not the number of a record", path, printable(folder.filename().string()));
    VISQ_ASSIGN(entries[*record], entries_of(contents_of(folder)));
  }
  return entry_dump(path, std::move(entries));
}

Result<std::unique_ptr<DumpReader>> open_npz_dump(const std::string& path) {
  VISQ_ASSIGN(const auto arrays, list_npz(path));
  DumpEntries entries;
  for (const NpzArray& array : arrays) {
    const std::string array_place = npz_place(path, array);
    VISQ_ASSIGN(const auto stream, open_zip_entry(path, array.entry, array_place));
    VISQ_ASSIGN(const NpyHeader header, read_npy_header(*stream, static_cast<std::int64_t>(array.entry.size), array_place));
    DumpEntry entry;
    entry.tensor.dtype = header.dtype;
    entry.tensor.shape = header.shape;
    name_tensor(array.name, entry.tensor);
    entry.read = [path, zipped = array.entry, header](const std::string& place) -> Result<Array> {
      VISQ_ASSIGN(const auto bytes, open_zip_entry(path, zipped, place));
      return read_npy(*bytes, header, 0, header.shape, place);
    };
    entries[0].push_back(std::move(entry));
  }
  return entry_dump(path, std::move(entries));
}

}  // namespace visq::data
