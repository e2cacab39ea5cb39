// What a run that was stopped leaves behind to go on from: OUT/.visqerror/COMMAND-KEY.state, whole or not there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "visq/status.h"

namespace visq::tool {

/// Tells runs apart by the content of what they work on. Order matters.
class ContentKey {
 public:
  void add(const std::string& text);
  /// A file's bytes, or those of all files in a folder with their names. Errors: kBadInput where one cannot be read.
  Status add_content(const std::string& path);
  std::string digest() const;

 private:
  std::string parts_;
};

class ResumeFile {
 public:
  /// `folder`: of the results; empty: nothing is kept. `key`: ContentKey::digest().
  ResumeFile(const std::string& folder, const std::string& command, const std::string& key);

  bool possible() const { return !path_.empty(); }
  /// The state that save() was given, where there is one and it is whole.
  /// Of the ranks of a job all get what the first one has.
  std::optional<std::string> load() const;
  Status save(const std::string& state) const;
  /// Removes this command's states, and the folder where nothing else is in it.
  void clean() const;

 private:
  std::optional<std::string> load_own() const;
  std::string folder_, command_, path_;
};

}  // namespace visq::tool
