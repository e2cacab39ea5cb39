#!/usr/bin/env python3
"""What the models are worth that `recommend --write-model` writes: delivered.py CASES [--visq BINARY] [--only PATTERN…]

Of every case over its data.h5, in LiteRT: dB of the output against the float model and, where there are labels, points of accuracy: of the
quantized model, of the written one, and of the one that was converted rightly. recommend itself looks at some of these records only. A case
of wrong evaluation data should get no model: nothing is wrong with it."""

import argparse
import csv
import fnmatch
import pathlib
import subprocess
import tempfile
import h5py
import numpy as np
import litert
from case import sqnr


def data_of(case):
    """Inputs by name, from all records."""
    names = [d["name"] for d in litert.inputs_of((case / "fp32.tflite").read_bytes())]
    with h5py.File(case / "data.h5") as f:
        records = range(len(f["value"]))
        return {name: np.concatenate([f[f"value/{k}/{i}"][()] for k in records]) for i, name in enumerate(names)}


def worth(model, inputs, wanted, labels):
    """'dB points' of a model's outputs."""
    try:
        outputs = litert.run(model.read_bytes(), inputs)
    except (ValueError, RuntimeError, StopIteration):
        return "does not run"
    decibel = sqnr(wanted, outputs)
    points = "" if labels is None else f" {100 * (outputs.reshape(len(outputs), -1).argmax(1) == labels).mean():5.1f}"
    return ("other shape" if decibel is None else f"{decibel:6.1f}") + points


def written(binary, case, folder):
    """The file that recommend writes, or None."""
    path = pathlib.Path(folder) / f"{case.name}.tflite"
    files = [str(case / n) for n in ("fp32.tflite", "quant.tflite")]
    command = [binary, "recommend", *files, "-d", str(case / "data.h5"), "--threads", "1", "--quiet", "--write-model", str(path)]
    subprocess.run(command, capture_output=True, text=True)
    return path if path.exists() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--visq", default="visqerror")
    parser.add_argument("--only", nargs="*", default=["*"])
    options = parser.parse_args()
    with open(options.cases / "manifest.csv", newline="") as f:
        rows = [r for r in csv.DictReader(f) if any(fnmatch.fnmatch(r["case"], p) for p in options.only)]
    for row in rows:
        case = options.cases / "cases" / row["case"]
        labels = np.load(case / "labels.npy") if (case / "labels.npy").exists() else None
        inputs = data_of(case)
        wanted = litert.run((case / "fp32.tflite").read_bytes(), inputs)
        with tempfile.TemporaryDirectory() as folder:
            model = written(options.visq, case, folder)
            texts = [worth(case / "quant.tflite", inputs, wanted, labels)]
            texts.append("none" if model is None else worth(model, inputs, wanted, labels))
        right = case / "fix.tflite" if (case / "fix.tflite").exists() and not (case / "fix_data.h5").exists() else None
        texts.append("" if right is None else worth(right, inputs, wanted, labels))
        print(
            f"{row['case']:24s} {row['damage']:5s} quantized {texts[0]:14s} written {texts[1]:14s} converted rightly {texts[2]}", flush=True
        )


if __name__ == "__main__":
    main()
