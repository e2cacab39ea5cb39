// A folder for files that are there only during a run: results until all are there, what other programs are to read.
#pragma once

#include <string>

#include "visq/status.h"

namespace visq::tool {

/// Removed with all that is in it at the end of its scope.
class StagedFolder {
 public:
  /// Makes one inside `folder`. Errors: kBadInput naming it.
  static Result<StagedFolder> create(const std::string& folder);
  StagedFolder(StagedFolder&& other) noexcept;
  ~StagedFolder();

  std::string operator/(const std::string& name) const;
  /// The content of a file in it.
  Result<std::string> read(const std::string& name) const;

 private:
  explicit StagedFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace visq::tool
