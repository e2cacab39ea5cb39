#!/usr/bin/env python3
"""What `diagnose` promises beside what converting rightly gives: promised.py CASES [--visq BINARY] [--out DIR] [--force] [--labels]
[--only PATTERN…]

Of every case with damage and a right fix (fix.tflite), in dB of the output: the gain of what a user reads first (behind a remark, of
CALIBRATION), and that of all repairs together where there are several; beside it what LiteRT gives, by XNNPACK and by its reference
kernels, for the model converted rightly, over the case's own records, less what it gives for the quantized model. A promise is kept where
one of them is at most 2 dB off what one kind of kernels gives, or between both kinds; or in points, where the share of records whose best
class differs from the float model's is at most 2 points off what was said of it. --written: where it is not, the model that recommend
--write-model writes is held against it in the same way. --out, --force: see score.py."""

import argparse
import csv
import fnmatch
import os
import pathlib
import h5py
import numpy as np
import tempfile
import litert
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from case import sqnr
from delivered import written
from score import HEADLINES, NOTHING, diagnose, said

NEAR = 2  # dB


def records(model, path):
    """Inputs of a model by name, from all records of an HDF5 file."""
    names = [d["name"] for d in litert.inputs_of(model)]
    with h5py.File(path) as f:
        return {name: np.concatenate([f[f"value/{k}/{i}"][()] for k in range(len(f["value"]))]) for i, name in enumerate(names)}


def reference_kernels(model):
    interpreter = Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    return interpreter


def compared(case, reference, quantized, data, kernels):
    """(dB of the quantized model's output against the float model's, points of records whose best element differs); None where there are
    no such numbers."""
    models = [(case / f"{name}.tflite").read_bytes() for name in (reference, quantized)]
    inputs = records(models[0], case / data)
    try:
        wanted, found = litert.run(models[0], inputs), litert.run(models[1], inputs, kernels)
    except (ValueError, RuntimeError, StopIteration):
        return None
    noise = sqnr(wanted, found)
    if noise is None:
        return None
    best = [values.reshape(len(values), -1).argmax(1) for values in (wanted, found)]
    return noise, 100 * float((best[0] != best[1]).mean())


KERNELS = (litert.prepared, reference_kernels)


def measured(case):
    """What the right fix gains in dB, and the points of records that it leaves changed, by both kinds of kernels; None where nothing can be
    compared."""
    reference = "fix_fp32" if (case / "fix_fp32.tflite").exists() else "fp32"
    data = "fix_data.h5" if (case / "fix_data.h5").exists() else "data.h5"
    if not (case / "fix.tflite").exists():
        return None
    return gained(case, reference, "fix", data)


def gained(case, reference, model, data):
    before = [compared(case, "fp32", "quant", "data.h5", kernels) for kernels in KERNELS]
    after = [compared(case, reference, model, data, kernels) for kernels in KERNELS]
    return None if None in before + after else ([b[0] - a[0] for a, b in zip(before, after)], [a[1] for a in after])


def delivered(binary, case):
    """The same of the model that recommend writes; None where it writes none."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(binary, case, folder)
        if path is None:
            return None
        return gained(case, "fp32", path.with_suffix(""), "data.h5")


def promises(result):
    """(what a user reads first, the gains promised, the points of records that stay changed): see above."""
    shown = [item for item in said(result) if item["kind"] not in HEADLINES]
    top = next((item for item in shown if item["severity"] != "info"), (shown or [NOTHING])[0])
    said_so = [top] + [i for i in shown if top["severity"] == "remark" and i["kind"] == "CALIBRATION"]
    together = result.get("together")
    gains = [item["gain"] for item in said_so] + [together and together["gain_db"]]
    points = [100 * i["then"]["changed"] / i["then"]["decisions"] for i in said_so if i["gain"] is not None and i["then"]]
    return top, [g for g in gains if g is not None], points


def is_near(promised, found):
    return any(min(found) - NEAR <= each <= max(found) + NEAR for each in promised)


def verdict(gains, points, found):
    if not gains:
        return "no number"
    if is_near(gains, found[0]):
        return "kept"
    if is_near(points, found[1]):
        return "kept in points"
    return "more than promised" if gains[0] < min(found[0]) else "less than promised"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--visq", default="visqerror")
    parser.add_argument("--out", type=pathlib.Path, help="where diagnose's JSON is kept (CASES/scored)")
    parser.add_argument("--force", action="store_true", help="run diagnose again")
    parser.add_argument("--labels", action="store_true", help="diagnose with labels")
    parser.add_argument("--written", action="store_true", help="look at the models that recommend writes, too")
    parser.add_argument("--only", nargs="*", default=["*"])
    options = parser.parse_args()
    options.out = options.out or options.cases / "scored"
    os.makedirs(options.out, exist_ok=True)
    with open(options.cases / "manifest.csv", newline="") as f:
        names = [r["case"] for r in csv.DictReader(f) if r["damage"] != "none" and any(fnmatch.fnmatch(r["case"], p) for p in options.only)]
    counts = {}
    for name in names:
        case = options.cases / "cases" / name
        found = measured(case)
        if found is None:
            continue
        top, gains, points = promises(diagnose(options.visq, case, options.out, options.labels, options.force))
        told = verdict(gains, points, found)
        model = delivered(options.visq, case) if options.written and gains and told != "kept" else None
        if model is not None and is_near(gains, model[0]):
            told, found = "kept by the model that recommend writes", model
        counts[told] = counts.get(told, 0) + 1
        numbers = ", ".join(f"{gain:+.1f}" for gain in gains)
        changed = "".join(f", {each:.1f} % changed" for each in points[:1])
        print(
            f"{name:24s} {top['kind'][:22]:22s} promised {numbers + changed:30s} measured {found[0][0]:+6.1f} {found[0][1]:+6.1f} dB,"
            f" {found[1][0]:.1f} % changed  {told}",
            flush=True,
        )
    print(", ".join(f"{told} {count}" for told, count in counts.items()))


if __name__ == "__main__":
    main()
