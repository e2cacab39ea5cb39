#!/usr/bin/env python3
"""Train small networks and convert them wrongly, as it happens in practice: make_cases.py FOLDER [PATTERN…] [--seed N]

FOLDER/cases/NAME/ holds a case, FOLDER/manifest.csv a line for each. PATTERN: only cases whose name matches; the others keep their lines.
See README.md."""

import os

os.environ.update(
    TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", OMP_NUM_THREADS="1", TF_NUM_INTRAOP_THREADS="1", TF_NUM_INTEROP_THREADS="1"
)
import argparse, csv, fnmatch, json, pathlib, time, traceback
import bases, case
import cases_calibration, cases_clean, cases_evaluation, cases_inputs, cases_layers, cases_twins  # noqa: F401, each adds its cases

COLUMNS = [
    "case",
    "group",
    "metric",
    "true cause",
    "right fix",
    "damage",
    "cause said (regex)",
    "true nodes (regex)",
    "fix words (regex)",
    "float fix at (regex)",
]


def write_manifest(folder):
    """One line per case that is stored, by what its case.json says."""
    stored = [json.loads(f.read_text()) for f in (folder / "cases" / name / "case.json" for name in case.CASES) if f.exists()]
    with open(folder / "manifest.csv", "w", newline="") as f:
        csv.writer(f).writerows([COLUMNS] + [case.manifest_row(facts) for facts in stored])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("patterns", nargs="*", default=["*"])
    parser.add_argument("--seed", type=int, default=0, help="of the whole set")
    options = parser.parse_args()
    folder, bases.SHIFT = options.folder, 1000 * options.seed
    for name, (truth, make) in case.CASES.items():
        if not any(fnmatch.fnmatch(name, p) for p in options.patterns):
            continue
        begin = time.time()
        try:
            facts = case.store(folder / "cases" / name, truth, make())
        except Exception:  # of a converter: the case does not exist with this version of it
            print(name, "cannot be made:", traceback.format_exc(limit=-2).replace("\n", " | ")[-500:], flush=True)
            continue
        print(f"{name:24s} {facts['damage']:5s} {facts['measured']} {time.time() - begin:.0f} s", flush=True)
        write_manifest(folder)
    write_manifest(folder)


if __name__ == "__main__":
    main()
