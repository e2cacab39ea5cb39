// A crash while the HDF5 library reads a file is that file's fault: one line, exit code 3. Any other crash stays one.
#include <csignal>

#include "support/data_files.h"
#include "support/sanitized.h"
#include "tool/writers.h"

namespace visq::testing {
namespace {

/// Runs the tool where the system's call on a file whose name ends so crashes. The HDF5 library calls pread; our own code does not.
ProcessResult run_crashing(const std::string& call, const std::string& ending, int signal, const std::vector<std::string>& words,
                           const std::string& folder) {
  return run_in_shell("export LD_PRELOAD=" VISQ_LIBRARY_CRASH " VISQ_CRASH_AT=" + call + " VISQ_CRASH_IN=" + ending +
                          " VISQ_CRASH_BY=" + std::to_string(signal) + "; exec \"$0\" \"$@\"",
                      words, folder);
}

TEST(LibraryFault, IsOneLineThatNamesTheFile) {
  if (kSanitized) GTEST_SKIP() << "nothing can be preloaded below a sanitizer";
  const TemporaryFolder folder;
  const std::string dump = folder / "dump.h5";
  ASSERT_EQ(run_tool({"run", kFp32, "-o", dump, "--quiet"}).exit_code, 0);
  Hdf5File(folder / "labels.h5").dataset("labels", floats({2}, {0, 1}));
  for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGILL}) {
    SCOPED_TRACE(signal);
    for (const auto& [file, words] : {std::pair(kData, std::vector<std::string>{"compare", kFp32, kInt8, "-d", kData}),
                                      std::pair(dump, std::vector<std::string>{"compare", dump, dump}),
                                      std::pair(folder / "labels.h5", std::vector<std::string>{"compare", kFp32, kInt8, "-d", kData,
                                                                                               "--labels", folder / "labels.h5"})}) {
      const std::string ending = file.substr(file.rfind('/'));
      expect_error(run_crashing("pread", ending, signal, words, folder.path().string()), 3,
                   file + ": the HDF5 library fails on it: the file is damaged");
    }
  }
}

TEST(LibraryFault, ACrashElsewhereStaysACrash) {
  if (kSanitized) GTEST_SKIP() << "nothing can be preloaded below a sanitizer";
  const TemporaryFolder folder;
  write_bytes(folder / "labels.npy", npy("<i8", array_of<std::int64_t>(DType::kInt64, {1}, {1})));
  for (const int signal : {SIGSEGV, SIGABRT}) {
    const ProcessResult run =
        run_crashing("read", "/labels.npy", signal, {"compare", kFp32, kInt8, "--labels", "labels.npy"}, folder.path().string());
    EXPECT_EQ(run.exit_code, 128 + signal) << run.err;
    EXPECT_EQ(run.err.find("damaged"), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace visq::testing
