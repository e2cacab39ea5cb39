// A crash while the HDF5 library reads a file, or a reading without an end, is that file's fault: one line, exit code 3. Any other crash
// stays one.
#include <chrono>
#include <csignal>

#include "support/runs/data_files.h"
#include "support/runs/sanitized.h"
#include "tool/writers.h"

namespace visq::testing {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What makes the system's call on a file crash; 0: it does not return. The HDF5 library reads through pread; nothing else does.
std::string with_crash(const std::string& call, const std::string& file, int signal) {
  return "export LD_PRELOAD=" VISQ_LIBRARY_CRASH " VISQ_CRASH_AT=" + call + " VISQ_CRASH_IN=" + file +
         " VISQ_CRASH_BY=" + std::to_string(signal) + "; ";
}

ProcessResult run_crashing(const std::string& call, const std::string& file, int signal, const std::vector<std::string>& words,
                           const std::string& folder) {
  return run_in_shell(with_crash(call, file, signal) + "exec \"$0\" \"$@\"", words, folder);
}

TEST(LibraryFault, IsOneLineThatNamesTheFile) {
  if (kSanitized) GTEST_SKIP() << "nothing can be preloaded below a sanitizer";
  const TemporaryFolder folder;
  const std::string dump = folder / "dump.h5";
  ASSERT_EQ(run_tool({"run", kFp32, "-o", dump, "--quiet"}).exit_code, 0);
  Hdf5File(folder / "labels.h5").dataset("labels", floats({2}, {0, 1}));
  for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGILL, SIGBUS}) {
    SCOPED_TRACE(signal);
    for (const auto& [file, words] : {std::pair(kData, std::vector<std::string>{"compare", kFp32, kInt8, "-d", kData}),
                                      std::pair(dump, std::vector<std::string>{"compare", dump, dump}),
                                      std::pair(folder / "labels.h5", std::vector<std::string>{"compare", kFp32, kInt8, "-d", kData,
                                                                                               "--labels", folder / "labels.h5"})}) {
      expect_error(run_crashing("pread", file, signal, words, folder.path().string()), 3,
                   file + ": the HDF5 library fails on it: the file is damaged");
    }
  }
}

TEST(LibraryFault, AReadingWithoutAnEndIsGivenUp) {
  if (kSanitized) GTEST_SKIP() << "nothing can be preloaded below a sanitizer";
  const TemporaryFolder folder;
  const auto start = Clock::now();
  expect_error(run_crashing("pread", kData, 0, {"compare", kFp32, kInt8, "-d", kData}, folder.path().string()), 3,
               kData + ": the HDF5 library does not come to an end with it (limit 5 s): the file is damaged");
  EXPECT_GT(seconds_since(start), 4.9);
}

TEST(LibraryFault, ASignalEndsAReadingWithoutAnEnd) {
  if (kSanitized) GTEST_SKIP() << "nothing can be preloaded below a sanitizer";
  for (const auto& [signal, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const TemporaryFolder folder;
    const auto start = Clock::now();
    // A shell starts what it sends to the background with SIGINT ignored; the tool takes it nevertheless.
    const ProcessResult run = run_in_shell(with_crash("pread", kData, 0) + "\"$0\" \"$@\" & sleep 0.3; kill -" + signal + " $!; wait $!",
                                           {"compare", kFp32, kInt8, "-d", kData, "-o", "out"}, folder.path().string());
    EXPECT_EQ(run.exit_code, code);
    EXPECT_EQ(run.err, "visqerror: interrupted, nothing written\n");
    EXPECT_LT(seconds_since(start), 0.3 + 1 + 0.5) << "with half a second for a busy machine";
    EXPECT_TRUE(folder.content().empty());
  }
}

TEST(LibraryFault, ACrashElsewhereStaysACrash) {
  if (kSanitized) GTEST_SKIP() << "nothing can be preloaded below a sanitizer";
  const TemporaryFolder folder;
  write_bytes(folder / "labels.npy", npy("<i8", array_of<std::int64_t>(DType::kInt64, {1}, {1})));
  for (const int signal : {SIGSEGV, SIGABRT}) {
    const ProcessResult run =
        run_crashing("read", "labels.npy", signal, {"compare", kFp32, kInt8, "--labels", "labels.npy"}, folder.path().string());
    EXPECT_EQ(run.exit_code, 128 + signal) << run.err;
    EXPECT_EQ(run.err.find("damaged"), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace visq::testing
