"""What makes a wheel of Debian 12 one of every Linux: symbols bound to older versions, and a stop at those that nobody has thought about."""

import re
import shutil
import subprocess
import sys

import pytest
from conftest import SOURCE

pytest.importorskip("lief")
FOLDER = SOURCE / "packaging" / "manylinux"

LIBRARY = """
int twice(int x) { return 2 * x; }
"""
PROGRAM = """
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
int twice(int);
static int constructed;
__attribute__((constructor)) static void construct(int count, char **words) { constructed = count > 0 && words[0] != NULL; }
int main(int count, char **words) {
  struct stat of;
  printf("%d %d %d %.17g %d\\n", constructed, stat(words[0], &of) == 0 && of.st_size > 0, twice(count), pow(count + 1, 0.5),
         dlopen(NULL, RTLD_NOW) != NULL);
  return 0;
}
"""
UNKNOWN = "#include <sys/epoll.h>\n" + PROGRAM.replace("return 0;", "return epoll_pwait2(0, 0, 0, 0, 0) == 1;")


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


@pytest.fixture
def compile_c(tmp_path):
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")

    def make(name, source, *options):
        (tmp_path / "source.c").write_text(source)
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        made = run("cc", "-D_GNU_SOURCE", "-O1", "-o", tmp_path / name, tmp_path / "source.c", *options)
        assert made.returncode == 0, made.stderr
        return tmp_path / name

    return make


@pytest.fixture
def lowered(tmp_path, compile_c):
    """The prefix of a program with a library whose symbols have versions, after elf_versions.py, and how that ended."""

    def make(program):
        versions = tmp_path / "versions"
        versions.write_text("OWN_9 { twice; };")
        own = compile_c("prefix/lib/visqerror/libown.so", LIBRARY, "-shared", "-fPIC", f"-Wl,--version-script={versions},-soname,libown.so")
        compile_c("prefix/bin/visqerror", program, own, "-lm", "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib/visqerror")
        stand_ins = compile_c("libstand_ins.so", (FOLDER / "stand_ins.c").read_text(), "-shared", "-fPIC", "-Wl,-soname,libstand_ins.so")
        return tmp_path / "prefix", run(sys.executable, "-B", FOLDER / "elf_versions.py", tmp_path / "prefix", stand_ins)

    return make


def test_a_lowered_program_does_the_same_with_symbols_of_glibc_2_28(lowered):
    prefix, ended = lowered(PROGRAM)
    assert ended.returncode == 0, ended.stderr
    program = prefix / "bin" / "visqerror"
    assert run("env", "LD_BIND_NOW=1", program).stdout == "1 1 2 1.4142135623730951 1\n"
    versions = run("readelf", "--version-info", "--wide", program, *(prefix / "lib/visqerror").iterdir()).stdout
    numbers = [tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([0-9.]+)", versions)]
    assert numbers and max(numbers) <= (2, 28)
    assert re.findall(r"[\w.]*OWN_9", versions) and set(re.findall(r"[\w.]*OWN_9", versions)) == {"visqerror.OWN_9"}
    needed = run("readelf", "--dynamic", "--wide", program).stdout
    assert "[libstand_ins.so]" in needed and "[libdl.so.2]" in needed


def test_a_symbol_that_nobody_has_thought_about_ends_it(lowered):
    prefix, ended = lowered(UNKNOWN)
    assert ended.returncode == 1
    assert "visqerror: epoll_pwait2@GLIBC_2.35 of libc.so.6" in ended.stderr
    assert not (prefix / "lib/visqerror/libstand_ins.so").exists()


def test_a_library_that_is_neither_here_nor_everywhere_ends_it(lowered, compile_c, tmp_path):
    compile_c("prefix/lib/other/libother.so", "int other;", "-shared", "-fPIC", "-Wl,-soname,libother.so")
    stray = ["-Wl,--no-as-needed", tmp_path / "prefix/lib/other/libother.so", "-Wl,--as-needed"]
    compile_c("prefix/lib/visqerror/libstray.so", LIBRARY, "-shared", "-fPIC", *stray)
    prefix, ended = lowered(PROGRAM)
    assert ended.returncode == 1 and "libstray.so: libother.so, which is neither" in ended.stderr


def test_stand_ins_are_what_the_table_lists(compile_c):
    stand_ins = compile_c("libstand_ins.so", (FOLDER / "stand_ins.c").read_text(), "-shared", "-fPIC")
    defined = set(re.findall(r" [TBD] stand_in_(\w+)", run("nm", "--dynamic", stand_ins).stdout))
    names = "[name for row in OLDER if row.given is None for name in row.names.split()]"
    listed = run("env", f"PYTHONPATH={FOLDER}", sys.executable, "-B", "-c", f"from older_symbols import OLDER; print(*{names})")
    assert listed.returncode == 0 and defined == set(listed.stdout.split())
