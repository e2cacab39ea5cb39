#!/usr/bin/env python3
"""What recommend and diagnose promise against what LiteRT makes of it: of the model that `recommend --write-model` writes, and, where a case
holds one, of the network as it was converted again with the right fix.

    pip install ai-edge-litert numpy h5py
    python tests/recommend/check_written_models.py BINARY FOLDER [CASE...]

FOLDER has a folder per case: fp32.tflite, quant.tflite, data.h5, where there are labels labels.npy, where there is a fix fix.tflite, with
fix_fp32.tflite, fix_data.h5 and fix_labels.npy where float model, data or labels differ too. SQNR is that of the worst output over all records, LiteRT's
float model being the reference. Prints a table; exit status 1 where a written model is more than 2 dB worse than promised, or where it gets
more than 2 points less right than the model that it was made from."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from litert_runs import outputs_of, read_records, worst_sqnr

ALLOWED_LOSS = 2.0    # dB
ALLOWED_POINTS = 2.0  # of top-1


def right(outputs, labels):
    return 100 * np.mean([np.argmax(record[0]) == label for record, label in zip(outputs, labels)])


def json_of(command):
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode not in (0, 4):
        return process.stderr.strip().splitlines()[-1], None
    return "", json.loads(process.stdout)


class Case:
    """One folder, with what LiteRT computes for its float model."""

    def __init__(self, folder):
        self.folder = folder
        self.records = read_records(folder / "data.h5")
        self.labels = np.load(folder / "labels.npy") if (folder / "labels.npy").exists() else None
        self.reference = self.run(folder / "fp32.tflite", self.records)

    def run(self, model, records):
        return outputs_of(model.read_bytes(), records, sequence_length=1)

    def measured(self, model):
        """SQNR, and what share of the labels is right."""
        outputs = self.run(model, self.records)
        alike = [a.size for a in outputs[0]] == [a.size for a in self.reference[0]]
        return worst_sqnr(self.reference, outputs) if alike else np.nan, self.share(outputs, self.labels)

    def share(self, outputs, labels):
        classes = labels is not None and labels.dtype.kind in "iu" and outputs[0][0].size > 1
        return right(outputs, labels) if classes else np.nan

    def fix(self):
        """The same of the network that was converted again, against its own float model."""
        if not (self.folder / "fix.tflite").exists():
            return np.nan, np.nan
        other = lambda name, otherwise: self.folder / (name if (self.folder / name).exists() else otherwise)
        records = read_records(other("fix_data.h5", "data.h5"))
        labels = np.load(other("fix_labels.npy", "labels.npy")) if self.labels is not None else None
        outputs = self.run(self.folder / "fix.tflite", records)
        return worst_sqnr(self.run(other("fix_fp32.tflite", "fp32.tflite"), records), outputs), self.share(outputs, labels)


def row_of(binary, case, scratch):
    inputs = [str(case.folder / name) for name in ("fp32.tflite", "quant.tflite")] + ["-d", str(case.folder / "data.h5"), "--quiet", "--json", "-"]
    inputs += ["--sequence-length", "1"]
    fixed = scratch / "fixed.tflite"
    labels = ["--labels", str(case.folder / "labels.npy")] if case.share(case.reference, case.labels) >= 0 else []
    error, found = json_of([binary, "recommend", *inputs, *labels, "--write-model", str(fixed)])
    _, diagnosis = json_of([binary, "diagnose", *inputs])
    row = {"case": case.folder.name, "error": error, "repairs": []}
    if error:  # the models cannot be compared
        return row
    row["quant"], row["quant_right"] = case.measured(case.folder / "quant.tflite")
    row["fix"], row["fix_right"] = case.fix()
    row["fix_gain"] = row["fix"] - row["quant"]
    if found:
        row["repairs"] = [repair["cause"] for repair in found["repairs"]] or [remark["kind"] for remark in found["remarks"]]
        promises = [output["repaired_sqnr"] for output in found["outputs"] if output.get("repaired_sqnr") is not None]
        row["promised"] = min(promises) if promises else np.nan
    tried = [f for f in diagnosis["findings"] if f["gain_db"] is not None] if diagnosis else []
    if tried:
        row["first"], row["gain"] = tried[0]["cause"], tried[0]["gain_db"]
    if fixed.exists():
        row["written"], row["written_right"] = case.measured(fixed)
        fixed.unlink()
    return row


def failed(row):
    short = row.get("written", np.inf) < row.get("promised", -np.inf) - ALLOWED_LOSS
    return short or row.get("written_right", np.inf) < row.get("quant_right", -np.inf) - ALLOWED_POINTS


def main():
    binary, folder, *names = sys.argv[1:]
    print("| case | quant dB | repairs | promised dB | written dB | fix dB | diagnose: first fix tried, gain, fix gains | right: quant, written, "
          "fix % |\n|---|--:|---|--:|--:|--:|---|---|")
    failures, count = 0, 0
    for path in sorted(pathlib.Path(folder).iterdir()):
        if (names and path.name not in names) or not (path / "quant.tflite").exists():
            continue
        with tempfile.TemporaryDirectory() as scratch:
            row = row_of(binary, Case(path), pathlib.Path(scratch))
        number = lambda key: f"{row.get(key, np.nan):.1f}".replace("nan", "")
        wrong = failed(row)
        failures, count = failures + wrong, count + ("written" in row)
        print(f"| {row['case']} | {number('quant')} | {row['error'] or ', '.join(row['repairs'])} | {number('promised')} | {number('written')}"
              f"{' **short**' if wrong else ''} | {number('fix')} | {row.get('first', '')} {number('gain')} {number('fix_gain')} | "
              f"{number('quant_right')} {number('written_right')} {number('fix_right')} |", flush=True)
    print(f"{count} models written, {failures} deliver more than {ALLOWED_LOSS} dB less than promised, or are more often wrong than before")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
