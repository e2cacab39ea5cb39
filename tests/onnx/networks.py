#!/usr/bin/env python3
"""Real networks, as export_networks.py writes them, in visqerror and in ONNX Runtime: networks.py BINARY FOLDER [NAME.EXPORTER…] [--csv FILE]

For every network: all float maps against ONNX Runtime's (optimizations off), as largest difference in parts of the map's range; for every
quantized twin how far its output is off the float one's (SQNR in dB) by ONNX Runtime and here, and how many operators with weights pair.
`--missing FILE` lists operators that are not offered, by networks. Needs onnx, onnxruntime and h5py from PyPI; no part of the tests."""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import onnx
import onnxruntime as ort

TWINS = ["qdq_u8", "qdq_u8_channels", "qdq_s8_channels", "qoperator", "dynamic"]
WEIGHTED = {"Conv", "ConvTranspose", "Gemm", "MatMul", "QLinearConv", "QLinearMatMul", "QGemm", "ConvInteger", "MatMulInteger"}
COLUMNS = ["network", "nodes", "maps", "maps_compared", "largest_difference", "at", "twin", "onnxruntime_db", "visqerror_db", "pairs", "not_computed"]


def session(model):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    return ort.InferenceSession(model if isinstance(model, str) else model.SerializeToString(), options, ["CPUExecutionProvider"])


def records(folder):
    with np.load(folder / "data.npz") as file:
        data = {name: file[name] for name in file.files}
    return [{name: values[i] for name, values in data.items()} for i in range(len(next(iter(data.values()))))]


def all_maps(path, feed):
    """Every value of the main graph, by ONNX Runtime."""
    model = onnx.load(path)
    known = {output.name for output in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in known and node.op_type != "Constant":
                known.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    run = session(model)
    return dict(zip([output.name for output in run.get_outputs()], run.run(None, feed)))


def tool(binary, *arguments):
    done = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        print(f"  {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr.strip()[-400:]}", file=sys.stderr)
    return done


def dumped(path):
    """Maps by name of each record of a dump."""
    with h5py.File(path) as file:
        value = file["value"]
        return [{value[r][t].attrs["name"]: value[r][t][()] for t in value[r]} for r in sorted(value, key=int)]


def own_maps(binary, model, folder, count, *more):
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place) / "maps.h5"
        tool(binary, "run", model, "-d", folder / "data.npz", "--records", count, "--allow-partial", "--quiet", "-o", path, *more)
        return dumped(path) if path.exists() else [{} for _ in range(count)]


def largest_difference(expected, got):
    """The worst map: largest difference in parts of the map's range, name; how many maps there are, and how many were compared."""
    worst, place, maps, compared = 0.0, "", 0, 0
    for name, value in expected.items():
        if value.dtype != np.float32 or not value.size:
            continue
        maps += 1
        if name not in got:
            continue
        compared += 1
        own = got[name]
        if own.shape != value.shape:
            return np.inf, f"{name}: {own.shape}, expected {value.shape}", maps, compared
        with np.errstate(invalid="ignore"):
            gap = np.where((own == value) | (np.isnan(own) & np.isnan(value)), 0, np.abs(own - value))
        finite = value[np.isfinite(value)]
        span = max(float(np.ptp(finite)), float(np.abs(finite).max()), 1e-30) if finite.size else 1.0
        if not gap.max() / span <= worst:
            worst, place = float(gap.max()) / span, name
    return worst, place, maps, compared


def sqnr(reference, other):
    signal = sum(float((np.float64(a) ** 2).sum()) for a in reference)
    noise = sum(float(((np.float64(a) - np.float64(b)) ** 2).sum()) for a, b in zip(reference, other))
    return 10 * np.log10(signal / noise) if noise else np.inf


def outputs_by_onnxruntime(path, feeds):
    run = session(str(path))
    return [run.run(None, feed)[0] for feed in feeds]


def share_of_pairs(folder, twin, result):
    """Of the twin's operators with weights: those whose map is paired, and all."""
    graph = onnx.load(folder / f"{twin}.onnx").graph
    constant = {each.name for each in graph.initializer}
    makers = {name: node for node in graph.node for name in node.output}
    def is_weight(name):
        node = makers.get(name)
        return name in constant or (node is not None and node.op_type in ("DequantizeLinear", "Transpose") and is_weight(node.input[0]))
    weighted = [node for node in graph.node if node.op_type in WEIGHTED and any(is_weight(name) for name in node.input[1:])]
    paired = sum(1 for node in result["nodes"] if node["quantized"]["op"].split(".")[-1] in WEIGHTED and "weight_likeness" in node)
    return paired, len(weighted)


def measure_twin(binary, folder, twin, feeds, reference):
    path = folder / f"{twin}.onnx"
    by_runtime = sqnr(reference, outputs_by_onnxruntime(path, feeds))
    done = tool(binary, "compare", folder / "float.onnx", path, "-d", folder / "data.npz", "--allow-partial", "--quiet", "--json", "-")
    if not done.stdout:
        return {"twin": twin, "onnxruntime_db": f"{by_runtime:.2f}", "visqerror_db": "-", "pairs": "-", "not_computed": "refused"}
    result = json.loads(done.stdout)
    output = onnx.load(folder / "float.onnx", load_external_data=False).graph.output[0].name
    by_tool = next((node["metrics"]["sqnr"] for node in result["nodes"] if node["name"] == output), None)
    paired, weighted = share_of_pairs(folder, twin, result)
    return {"twin": twin, "onnxruntime_db": f"{by_runtime:.2f}", "visqerror_db": "-" if by_tool is None else f"{by_tool:.2f}",
            "pairs": f"{paired}/{weighted}", "not_computed": len(result["not_computed"]), "why": reasons(result["not_computed"])}


def reasons(left_out):
    """What could not be computed for its own sake, not for that of what it depends on."""
    return sorted({f"{each['op']}: {each['reason']}" for each in left_out if "was not computed" not in each["reason"]})


def measure(binary, folder):
    feeds, path = records(folder), folder / "float.onnx"
    graph = onnx.load(path, load_external_data=False).graph
    worst, place, maps, compared = largest_difference(all_maps(path, feeds[0]), own_maps(binary, path, folder, 1)[0])
    row = {"network": folder.name, "nodes": len(graph.node), "maps": maps, "maps_compared": compared, "largest_difference": f"{worst:.1e}", "at": place}
    reference = outputs_by_onnxruntime(path, feeds)
    rows = [measure_twin(binary, folder, twin, feeds, reference) for twin in TWINS if (folder / f"{twin}.onnx").exists()]
    return [row | each for each in rows or [{}]]


def offered(binary):
    return {each["op"] for each in json.loads(tool(binary, "ops", "--json", "-").stdout)["operators"]}


def missing_operators(binary, folders):
    """Operators that are not in the table, with the networks that have them."""
    known, users = offered(binary), collections.defaultdict(set)
    def visit(graph, name):
        for node in graph.node:
            label = f"{node.domain or 'ai.onnx'}.{node.op_type}"
            if label not in known:
                users[label].add(name)
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    visit(attribute.g, name)
    for folder in folders:
        for file in sorted(folder.glob("*.onnx")):
            visit(onnx.load(file, load_external_data=False).graph, f"{folder.name}/{file.stem}")
    return users


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--missing", type=pathlib.Path)
    options = parser.parse_args()
    folders = [each for each in sorted(options.folder.iterdir()) if (each / "float.onnx").exists() and (not options.names or each.name in options.names)]
    if options.missing:
        users = missing_operators(options.binary, folders)
        options.missing.write_text("".join(f"{name}: {' '.join(sorted(users[name]))}\n" for name in sorted(users, key=lambda n: (-len(users[n]), n))))
    rows = []
    for folder in folders:
        for row in measure(options.binary, folder):
            rows.append(row)
            print("  ".join(str(row.get(column, "")) for column in COLUMNS), flush=True)
            for why in row.get("why", []):
                print(f"      {why}", flush=True)
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
