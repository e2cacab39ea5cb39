#!/usr/bin/env python3
"""Time `visqerror compare` against LiteRT: compare_litert.py BINARY MODEL_DIR [...] [--rounds 5] [--threads 1]

Each MODEL_DIR holds an fp32 model (fp32.tflite or float16.tflite), a quantized one and data.h5. In every round the tool and LiteRT take
turns. The tool's time per record is the slope between a run over few and a run over many records (the data repeated), so that start-up
does not count; LiteRT's is the fastest and the median single pass. Printed: time of compare per record as a multiple of one LiteRT
fp32 pass, and of fp32 plus quantized pass; minimum and median over the rounds; peak memory of the tool.
Needs ai-edge-litert, h5py and numpy from PyPI. Timings are never part of pass/fail tests."""
import argparse
import pathlib
import resource
import statistics
import tempfile
import time
import warnings

import h5py
import numpy as np
from ai_edge_litert.interpreter import Interpreter

from tool_runs import run_tool, write_records


def load_records(path):
    with h5py.File(path) as file:
        value = file["value"]
        return [[value[r][i][()] for i in sorted(value[r], key=int)] for r in sorted(value, key=int)]


def quantize(value, detail):
    scale, zero = detail["quantization"]
    if not scale or detail["dtype"] == np.float32:
        return value.astype(detail["dtype"])
    limits = np.iinfo(detail["dtype"])
    return np.clip(np.round(value / scale) + zero, limits.min, limits.max).astype(detail["dtype"])


def litert_passes(model, records, threads, seconds):
    """Times in seconds of single passes with LiteRT's default kernels (XNNPACK)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        interpreter = Interpreter(str(model), num_threads=threads)
    for detail, value in zip(interpreter.get_input_details(), records[0]):
        if tuple(detail["shape"]) != value.shape:
            interpreter.resize_tensor_input(detail["index"], value.shape)
    interpreter.allocate_tensors()
    inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
    fed = [[quantize(v, d) for v, d in zip(record, inputs)] for record in records]
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        for record in fed:
            start = time.perf_counter()
            for value, detail in zip(record, inputs):
                interpreter.set_tensor(detail["index"], value)
            interpreter.invoke()
            for detail in outputs:
                interpreter.get_tensor(detail["index"])
            times.append(time.perf_counter() - start)
    return times[1:]


def find_pair(folder):
    reference = next((folder / n for n in ("fp32.tflite", "float16.tflite") if (folder / n).exists()), None)
    quantized = next((folder / n for n in ("int8.tflite", "uint8.tflite", "dynamic_range.tflite") if (folder / n).exists()), None)
    return (reference, quantized) if reference and quantized else None


def bench(binary, folder, rounds, threads, seconds, peak):
    pair, records = find_pair(folder), load_records(folder / "data.h5")
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        few, many = pathlib.Path(tmp) / "few.h5", pathlib.Path(tmp) / "many.h5"
        once = min(litert_passes(pair[0], records, threads, 0.2))
        count = int(np.clip(seconds / (2.5 * once), 8, 4000))
        write_records(few, records, max(1, count // 8))
        write_records(many, records, count)
        for _ in range(rounds):
            fp32, quantized = (litert_passes(model, records, threads, seconds / 2) for model in pair)
            short, long = (run_tool(binary, pair, data, threads).wall for data in (few, many))
            rows.append(((long - short) / (count - max(1, count // 8)), statistics.median(fp32), statistics.median(quantized)))
    ratio = [t / f for t, f, _ in rows]
    both = [t / (f + q) for t, f, q in rows]
    middle = lambda k: statistics.median(r[k] for r in rows)
    print(f"{folder.name:24} compare {1e3 * middle(0):9.3f} ms  LiteRT fp32 {1e3 * middle(1):8.3f}  quantized {1e3 * middle(2):8.3f}  "
          f"x fp32: min {min(ratio):5.2f} median {statistics.median(ratio):5.2f}  x both: min {min(both):5.2f} median {statistics.median(both):5.2f}  "
          f"peak {peak:6.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long each measurement takes")
    options = parser.parse_args()
    folders = [folder for folder in options.folders if find_pair(folder) and (folder / "data.h5").exists()]
    for folder in set(options.folders) - set(folders):
        print(f"{folder}: no pair with data")
    # A program that is started counts the memory of the one that starts it: all peaks are measured while this one is small.
    peaks = [run_tool(options.binary, find_pair(folder), folder / "data.h5", options.threads).peak for folder in folders]
    print(f"{options.threads} thread(s), {options.rounds} rounds; peaks below "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB are not seen")
    for folder, peak in zip(folders, peaks):
        bench(options.binary, folder, options.rounds, options.threads, options.seconds, peak)


if __name__ == "__main__":
    main()
