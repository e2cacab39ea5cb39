"""Binds the program and the libraries beside it to symbols of glibc 2.28, without a change of their code.

    python elf_versions.py PREFIX STAND_INS     PREFIX: bin/visqerror and lib/visqerror in it; STAND_INS: stand_ins.c, compiled

An ELF file names a version with each symbol that it takes from a library. Debian 12's linker wrote the newest; older_symbols.py lists which
older one does the same. A symbol that is too new and not in that list ends this with exit code 1: nothing is bound by guess.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Union

import lief
from older_symbols import BY_SYMBOL

GLIBC = (2, 28)
LIBGCC = (7, 0, 0)
"""What libgcc_s has on systems with such a glibc."""
PROVIDED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0"}
"""What every Linux has; libgcc_s too, since it knows how to unwind with the glibc that it came with."""
DROPPED = {"libgcc_s.so.1": "libgcc-s1", "libOpenCL.so.1": "ocl-icd-libopencl1"}
"""Libraries that do not travel along, and the packages whose licences do not have to."""
STAND_IN = "stand_in_"
"""Set before the names of what stand_ins.c has."""
OWN = "visqerror."
"""Set before the versions of libraries that travel along: they ask nothing of the system's libstdc++, as auditwheel would think."""

Requirement = lief.ELF.SymbolVersionRequirement
AuxRequirement = lief.ELF.SymbolVersionAuxRequirement


def text(name: Union[str, bytes]) -> str:
    return name if isinstance(name, str) else name.decode()


def elf_hash(name: str) -> int:
    """The hash by which the loader finds a version (System V ABI, chapter 5)."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        value = (value ^ (value >> 24 & 0xF0)) & 0x0FFFFFFF
    return value


def too_new(version: str) -> bool:
    """Whether a system with glibc 2.28 does not have it, or need not: OpenCL."""
    numbers = re.fullmatch(r"(GLIBC|GCC)_([0-9.]+)", version)
    if numbers is None:
        return version.startswith("OPENCL_")
    return tuple(map(int, numbers[2].split("."))) > (GLIBC if numbers[1] == "GLIBC" else LIBGCC)


class File:
    """One ELF file. `beside`: the names of those that travel along."""

    def __init__(self, path: Path, beside: set[str]) -> None:
        elf = lief.ELF.parse(path)
        if elf is None:
            raise SystemExit(f"{path}: no ELF file")
        self.path, self.elf, self.beside = path, elf, beside

    def code(self) -> list[bytes]:
        return [bytes(section.content) for section in self.elf.sections if text(section.name) in (".text", ".rodata")]

    def too_new_symbols(self) -> list[tuple[lief.ELF.Symbol, Requirement, str]]:
        """Symbols of the system that are too new, the library they are taken from, their version."""
        versions = {aux.other: (library, text(aux.name)) for library in self.elf.symbols_version_requirement
                    if library.name not in self.beside for aux in library.get_auxiliary_symbols()}  # fmt: skip
        found = []
        for symbol in self.elf.dynamic_symbols:
            number = symbol.symbol_version.value & 0x7FFF if symbol.symbol_version is not None else 0
            if number in versions and too_new(versions[number][1]):
                found.append((symbol, *versions[number]))
        return found

    def problems(self) -> list[str]:
        """What nobody has thought about yet."""
        unknown = [f"{text(symbol.name)}@{version} of {library.name}, which older_symbols.py does not know"
                   for symbol, library, version in self.too_new_symbols() if (text(symbol.name), version) not in BY_SYMBOL]  # fmt: skip
        libraries = {text(name) for name in self.elf.libraries} - self.beside - PROVIDED - DROPPED.keys()
        strangers = [f"{name}, which is neither here nor on every Linux" for name in libraries]
        return [f"{self.path.name}: {what}" for what in unknown + strangers]

    def bind(self, stand_ins: str) -> None:
        """Every symbol to the version that older_symbols.py gives."""
        needed: set[str] = set()
        for symbol, library, version in self.too_new_symbols():
            older = BY_SYMBOL[text(symbol.name), version]
            assert symbol.symbol_version is not None
            if older.given is None:
                symbol.symbol_version.as_global()
                symbol.name = STAND_IN + text(symbol.name)
                needed.add(stand_ins)
            else:
                symbol.symbol_version.symbol_version_auxiliary = self._version(library, older.given)
                needed |= {older.library} if older.library else set()
        for name in needed - {text(name) for name in self.elf.libraries}:
            self.elf.add_library(name)

    def _version(self, library: Requirement, name: str) -> AuxRequirement:
        known = library.find_aux(name)
        if known is not None:
            return known
        used = [aux.other for each in self.elf.symbols_version_requirement for aux in each.get_auxiliary_symbols()]
        new = AuxRequirement()
        new.name, new.hash = name, elf_hash(name)
        new.other = 1 + max(used + [definition.ndx for definition in self.elf.symbols_version_definition])
        added: AuxRequirement = library.add_auxiliary_requirement(new)
        return added

    def forget(self) -> None:
        """Versions and libraries that nothing is taken from any more."""
        for name in DROPPED.keys() - PROVIDED:
            if self.elf.has_library(name):
                self.elf.remove_library(name)
                self.elf.remove_version_requirement(name)
        for library in self.elf.symbols_version_requirement:
            for aux in list(library.get_auxiliary_symbols()):
                if library.name not in self.beside and too_new(text(aux.name)):
                    library.remove_aux_requirement(aux)

    def rename_own_versions(self) -> None:
        for library in self.elf.symbols_version_requirement:
            if library.name in self.beside:
                for aux in library.get_auxiliary_symbols():
                    aux.name = OWN + text(aux.name)
                    aux.hash = elf_hash(text(aux.name))
        for definition in self.elf.symbols_version_definition:
            if definition.ndx > 1:  # the first is the file's own name
                for own in definition.auxiliary_symbols:
                    own.name = OWN + text(own.name)
                definition.hash = elf_hash(text(next(iter(definition.auxiliary_symbols)).name))

    def write(self) -> None:
        before = self.code()
        self.elf.write(str(self.path))
        if File(self.path, self.beside).code() != before:
            raise SystemExit(f"{self.path}: its code changed on the way")


def lower(prefix: Path, stand_ins: Path) -> None:
    folder = prefix / "lib" / "visqerror"
    paths = [prefix / "bin" / "visqerror", *(path for path in sorted(folder.iterdir()) if path.name not in DROPPED)]
    files = [File(path, {path.name for path in paths}) for path in paths]
    problems = sorted(problem for file in files for problem in file.problems())
    if problems:
        raise SystemExit("needed, and not of glibc 2.28:\n  " + "\n  ".join(problems))
    for file in files:
        file.bind(stand_ins.name)
        file.forget()
        file.rename_own_versions()
        file.write()
    shutil.copy(stand_ins, folder)
    for name, package in DROPPED.items():
        (folder / name).unlink(missing_ok=True)
        (prefix / "share" / "doc" / "visqerror" / "licences" / package).unlink(missing_ok=True)


if __name__ == "__main__":
    lower(Path(sys.argv[1]), Path(sys.argv[2]))
