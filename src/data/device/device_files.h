// What devices' tools leave behind: files of raw numbers with a list, folders of arrays or texts, .npz.
#pragma once

#include <memory>
#include <string>

#include "visq/dump.h"

namespace visq::data {

/// The list of raw files that a path is, or that lies in the folder it names (manifest.csv, manifest.json); empty: none.
std::string manifest_of(const std::string& path, bool folder);
/// Errors: kBadInput naming the list and its line or entry.
Result<std::unique_ptr<DumpReader>> open_manifest(const std::string& path);
/// The same of a file whose name does not tell.
Result<std::unique_ptr<DumpReader>> open_manifest_as(const std::string& path, bool json);

/// Whether a folder holds files of maps itself (.npy, or .txt of numbers), or folders that hold texts of numbers.
bool holds_device_folder(const std::string& path);
Result<std::unique_ptr<DumpReader>> open_device_folder(const std::string& path);

/// Whether a file is one of TFLite Micro's layer-by-layer tool, by its structure. Its maps are one record.
bool holds_micro_debug(const std::string& path);
Result<std::unique_ptr<DumpReader>> open_micro_debug(const std::string& path);

/// The arrays of an .npz file, as one record.
Result<std::unique_ptr<DumpReader>> open_npz_dump(const std::string& path);

}  // namespace visq::data
