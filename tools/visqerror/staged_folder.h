// A folder beside the results, for files that libraries write by name, until all results are there.
#pragma once

#include <string>

#include "visq/status.h"

namespace visq::tool {

/// Removed with all that is in it at the end of its scope.
class StagedFolder {
 public:
  /// Makes it inside `folder`. Errors: kBadInput naming it.
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
