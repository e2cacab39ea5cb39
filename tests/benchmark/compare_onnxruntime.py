#!/usr/bin/env python3
"""Time `visqerror compare` against ONNX Runtime: compare_onnxruntime.py BINARY MODEL_DIR [...] [--rounds 5] [--twin qdq_s8_channels]

Each MODEL_DIR holds float.onnx, a quantized twin and data.npz, as tests/onnx/export_networks.py writes them. In every round the tool and ONNX
Runtime (all its optimizations) take turns, one thread each. Counted are seconds of CPU, which other work on the machine lengthens least: the
tool's per record as the slope between a run over few and one over many records, so that start-up does not count, ONNX Runtime's as the fastest
and the median pass. Printed: compare per record as a multiple of one float pass, and of float plus quantized pass; minimum and median.
Needs onnxruntime, h5py and numpy from PyPI. Timings are never part of pass/fail tests."""
import argparse
import pathlib
import statistics
import tempfile
import time

import numpy as np
import onnxruntime as ort

from tool_runs import run_tool, write_records

FEW = 2


def load_records(path):
    with np.load(path) as file:
        data = [file[name] for name in file.files]
        return file.files, [[values[i] for values in data] for i in range(len(data[0]))]


def make_session(model):
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return ort.InferenceSession(str(model), options, ["CPUExecutionProvider"])


def passes(session, names, records, seconds):
    """Seconds of CPU of single passes."""
    feeds = [dict(zip(names, record)) for record in records]
    times, end = [], time.process_time() + seconds
    while time.process_time() < end or len(times) < 4:
        start = time.process_time()
        session.run(None, feeds[len(times) % len(feeds)])
        times.append(time.process_time() - start)
    return times[1:]


def bench(binary, folder, options):
    pair = [folder / "float.onnx", folder / f"{options.twin}.onnx"]
    names, records = load_records(folder / "data.npz")
    sessions = [make_session(model) for model in pair]
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        few, many = pathlib.Path(tmp) / "few.h5", pathlib.Path(tmp) / "many.h5"
        count = FEW + int(np.clip(options.seconds / (3 * min(passes(sessions[0], names, records, 0.1))), 4, 2000))
        write_records(few, records, FEW)
        write_records(many, records, count)
        for _ in range(options.rounds):
            float_pass, quantized_pass = (statistics.median(passes(session, names, records, options.seconds / 3)) for session in sessions)
            short, long = (run_tool(binary, pair, data, 1).cpu for data in (few, many))
            rows.append(((long - short) / (count - FEW), float_pass, quantized_pass))
    ratio, both = [t / f for t, f, _ in rows], [t / (f + q) for t, f, q in rows]
    compare, floats, quantized = (1e3 * statistics.median(row[k] for row in rows) for k in range(3))
    print(f"{folder.name:24} compare {compare:9.3f} ms  ONNX Runtime float {floats:8.3f}  quantized {quantized:8.3f}  "
          f"x float: min {min(ratio):5.2f} median {statistics.median(ratio):5.2f}  x both: min {min(both):5.2f} median {statistics.median(both):5.2f}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--twin", default="qdq_s8_channels")
    parser.add_argument("--seconds", type=float, default=2.0, help="about how much CPU each measurement takes")
    options = parser.parse_args()
    for folder in options.folders:
        bench(options.binary, folder, options)


if __name__ == "__main__":
    main()
