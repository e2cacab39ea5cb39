// What `cmake --install` and `cpack -G DEB` make: a tool that passes its smoke test, a package with the right fields and files.
// Installing the package in a fresh system takes root and a network; tests/packaging/smoke_test.sh is what to run there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/runs/process.h"

namespace visq::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kBuild = fs::path(VISQ_BINARY).parent_path().string();

bool is_installed(const std::string& program) { return run_process({"sh", "-c", "command -v " + program}).exit_code == 0; }

void expect_smoke_test(const std::string& prefix) {
  const ProcessResult smoke = run_process({std::string(VISQ_SOURCE_DIR) + "/tests/packaging/smoke_test.sh", prefix});
  EXPECT_EQ(smoke.exit_code, 0) << smoke.out << smoke.err;
  EXPECT_THAT(smoke.out, HasSubstr("passed\n"));
}

TEST(Install, OfTheToolPassesItsSmokeTest) {
  const TemporaryFolder folder;
  const ProcessResult install = run_process({"cmake", "--install", kBuild, "--component", "tool", "--prefix", folder / "prefix"});
  ASSERT_EQ(install.exit_code, 0) << install.err;
  EXPECT_FALSE(fs::exists(folder / "prefix/include")) << "headers belong to the component `development`";
  expect_smoke_test(folder / "prefix");
}

TEST(SmokeTest, FailsWhereTheToolIsNot) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_process({std::string(VISQ_SOURCE_DIR) + "/tests/packaging/smoke_test.sh", folder.path().string()}).exit_code, 1);
}

/// Makes the package and returns its path.
std::string make_package(const TemporaryFolder& folder) {
  const ProcessResult pack = run_process({"cpack", "-G", "DEB", "--config", kBuild + "/CPackConfig.cmake", "-B", folder / "pack"});
  EXPECT_EQ(pack.exit_code, 0) << pack.out << pack.err;
  std::string path;
  for (const auto& file : fs::directory_iterator(folder / "pack")) {
    if (file.path().extension() == ".deb") path = file.path().string();
  }
  return path;
}

TEST(Package, HasFieldsAndFilesAndPassesTheSmokeTest) {
  for (const char* program : {"cpack", "dpkg-deb", "dpkg-shlibdeps"}) {
    if (!is_installed(program)) GTEST_SKIP() << program << " is not installed";
  }
  const TemporaryFolder folder;
  const std::string package = make_package(folder);
  ASSERT_NE(package, "");

  const std::string fields = run_process({"dpkg-deb", "--field", package}).out;
  for (const char* field : {"Package: visqerror\n", "Version: 0.", "Section: science\n",
                            "Maintainer: ", "Depends: ", "libc6 (>=", "libdnnl", "libgvc6", "libxnnpack", "Description: "}) {
    EXPECT_THAT(fields, HasSubstr(field));
  }
  const std::string contents = run_process({"dpkg-deb", "--contents", package}).out;
  for (const char* file : {"./usr/bin/visqerror\n", "./usr/share/man/man1/visqerror.1", "./usr/share/man/man1/visqerror-compare.1",
                           "./usr/share/bash-completion/completions/visqerror\n", "./usr/share/zsh/vendor-completions/_visqerror\n",
                           "./usr/share/fish/vendor_completions.d/visqerror.fish\n", "./usr/share/doc/visqerror/copyright\n",
                           "./usr/share/doc/visqerror/changelog", "./usr/share/doc/visqerror/docs/causes.md\n",
                           "./usr/share/doc/visqerror/licences/libprotozero-dev\n"}) {
    EXPECT_THAT(contents, HasSubstr(file));
  }
  for (const char* foreign : {".a\n", "/include/", "/cmake/"}) EXPECT_THAT(contents, ::testing::Not(HasSubstr(foreign)));

  ASSERT_EQ(run_process({"dpkg-deb", "-x", package, folder / "root"}).exit_code, 0);
  expect_smoke_test(folder / "root/usr");
}

}  // namespace
}  // namespace visq::testing
