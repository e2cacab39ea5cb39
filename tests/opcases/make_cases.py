#!/usr/bin/env python3
"""Makes data/: operator cases with LiteRT's results. make_cases.py [FAMILY...] [--out FOLDER] [--verbose]

Needs numpy, flatbuffers and ai-edge-litert 2.3; the same versions give the same bytes. families/FAMILY.py yields the cases of a few operators;
data/FAMILY.cbor holds them: a map from "OPERATOR/name" to
  model    bytes of the TFLite file
  moves    whether values only move, so that nothing may differ in fake-quant runs either
  inputs   per record, per graph input: an array; quantized inputs as stored integers
  value    per record, per graph output: what LiteRT's reference kernels give (the optimized ones, where the reference is wrong)
  fake     likewise: the fake-quantized results of LiteRT's float kernels, as real values; only where `value` is more than a step away
An array is a map: type (numpy's name), shape, data (bytes, little-endian) or strings (byte strings).
data/cases.csv has a line per case: family, operators that it proves, name, whether anything in it is quantized."""

import argparse
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from generator import cbor  # noqa: E402
from generator.build import build  # noqa: E402
from generator.isolated import isolated  # noqa: E402


def make_family(family, verbose):
    """(case file, lines of cases.csv, what LiteRT refuses)"""
    entries, lines, refused = {}, [], []
    for case in importlib.import_module(f"families.{family}").cases():
        if verbose:
            print(f"{family}: {case.key}", flush=True)
        assert case.key not in entries, f"{case.key} is there twice"
        try:
            entries[case.key], quantized = isolated(build, case)
        except RuntimeError as error:
            refused.append(f"{case.key}: {str(error).splitlines()[0]}")
            continue
        lines.append(f"{family},{case.op},{case.name},{'quantized' if quantized else 'plain'}")
    return cbor.encode(entries), lines, refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "data")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    every = sorted(p.stem for p in (HERE / "families").glob("*.py") if p.stem != "__init__")
    index = arguments.out / "cases.csv"
    old = index.read_text().splitlines()[1:] if index.exists() else []
    lines = {family: [line for line in old if line.split(",")[0] == family] for family in every}
    failures = []
    for family in arguments.families or every:
        data, lines[family], refused = make_family(family, arguments.verbose)
        failures += refused
        (arguments.out / f"{family}.cbor").write_bytes(data)
        print(f"{family}: {len(lines[family])} cases, {len(data)} bytes", flush=True)
    index.write_text("\n".join(["family,operators,case,kind", *(line for family in every for line in lines[family])]) + "\n")
    print(*failures, sep="\n", end="\n" if failures else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
