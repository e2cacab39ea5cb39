// Files that a run will write: refused before the work begins where they cannot be written, and written all or none.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/file.h"
#include "visq/status.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

/// A folder for results. What prepare() had to create is removed again unless keep() is called.
class OutputFolder {
 public:
  OutputFolder() = default;
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Creates the folder where it is missing, and checks that files can be made in it. Errors: kBadInput naming the path.
  Status prepare(const std::string& path);
  /// Says so where more than the folder itself had to be created.
  void keep(const Console& console);

 private:
  std::deque<TemporaryName> created_;  ///< outermost first
};

/// Checks that a file can be made at `path`, without making it. Errors: kBadInput naming the path.
Status check_writable(const std::string& path);

/// Checks that no output is one of the inputs, and no two outputs are the same file. Errors: kUsage.
Status check_distinct(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

/// A file and its whole content.
struct FileToWrite {
  std::string path;
  std::string content;
};

/// Writes every file under a temporary name, then renames all: a full disk leaves what was there before.
/// Of the ranks of a job only the first one writes.
Status write_files(const std::vector<FileToWrite>& files);

/// Removes what an earlier run left: files at these paths that begin as the contents given here do. Of the ranks of a job only the first
/// one does. Who may not remove one keeps it.
void remove_leftovers(const std::vector<FileToWrite>& files);

}  // namespace visq::tool
