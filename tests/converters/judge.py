#!/usr/bin/env python3
"""Holds every map of converted models against LiteRT or PyTorch: judge.py OUT --visq BINARY [--table FILE.csv]

OUT is what convert.py made. Of a TFLite file every map is compared with LiteRT's reference kernels: integer maps must be equal to the bit
(`run --mode integer`), float maps within 1e-5 of their largest magnitude, behind weights in few bits that are multiplied in integers (dynamic
range) within 1e-2, since a tie of the input's rounding moves a map by a step. Of a circle file the outputs are compared with PyTorch's: 1e-5,
and of a quantized one a step of the output's grid. Prints a line per converter and recipe, and what disagreed; the table has a line per model."""

import argparse
import csv
import multiprocessing
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

FLOAT, HYBRID = 1e-5, 1e-2


def records_of(folder):
    with h5py.File(folder / "data.h5") as file:
        value = file["value"]
        return [[value[str(r)][str(i)][()] for i in range(len(value[str(r)]))] for r in range(len(value))]


def visq(binary, model, data, mode, count):
    """([maps by tensor index] per record, exit code, last words)"""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "maps.h5"
        command = [binary, "run", str(model), "-d", str(data), "--mode", mode, "--out", str(out), "--quiet"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=120)
        words = (run.stderr.strip().splitlines() or [""])[-1]
        if not out.exists():
            return None, run.returncode, words
        with h5py.File(out) as file:
            value = file["value"]
            return [{int(k): (v[()], dict(v.attrs)) for k, v in value[str(r)].items()} for r in range(count)], run.returncode, words


def stored(value, detail):
    """A record's input as the model wants it."""
    scale, zero = detail["quantization"]
    if not scale or value.dtype == detail["dtype"]:
        return value.astype(detail["dtype"])
    info = np.iinfo(detail["dtype"])
    steps = (value.astype(np.float32) / np.float32(scale)).astype(np.float64)  # the division in float32, as QUANTIZE does it
    return np.clip(np.sign(steps) * np.floor(np.abs(steps) + 0.5) + zero, info.min, info.max).astype(detail["dtype"])


def litert(model, records):
    """(maps per record, tensors' details, operators); raises where LiteRT refuses."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    interpreter = Interpreter(str(model), num_threads=1, experimental_preserve_all_tensors=True,
                              experimental_op_resolver_type=OpResolverType.BUILTIN_REF)  # fmt: skip
    interpreter.allocate_tensors()
    operators = interpreter._get_ops_details()
    outputs = {detail["index"] for detail in interpreter.get_output_details()}
    read = {i for op in operators for i in op["inputs"]} | outputs
    made = {i for op in operators for i in op["outputs"]} & read
    details = {detail["index"]: detail for detail in interpreter.get_tensor_details()}
    maps = []
    for record in records:
        for detail, value in zip(interpreter.get_input_details(), record):
            interpreter.set_tensor(detail["index"], stored(value, detail))
        interpreter.invoke()
        found = {}
        for i in made:
            try:
                found[i] = interpreter.get_tensor(i).copy()
            except ValueError:
                pass
        maps.append(found)
    return maps, details, operators


def few_bits(details, operators):
    """Float operators that read weights of few bits and round their input on the fly."""
    quantized = {i for i, d in details.items() if len(d["quantization_parameters"]["scales"]) and d["dtype"] != np.float32}
    return any(op["op_name"] not in ("DEQUANTIZE", "QUANTIZE") and quantized & set(op["inputs"])
               and not quantized & set(op["outputs"]) for op in operators)  # fmt: skip


def apart(want, got):
    scale = np.max(np.abs(want), where=np.isfinite(want), initial=0) + 1e-30
    same = (want == got) | (np.isnan(want) & np.isnan(got))
    return float(np.nan_to_num(np.max(np.abs(np.where(same, 0, want) - np.where(same, 0, got)), initial=0) / scale, nan=np.inf))


def by_litert(binary, model, records):
    try:
        maps, details, operators = litert(model, records)
    except (RuntimeError, ValueError) as error:
        own, code, words = visq(binary, model, model.with_name("data.h5"), "fake-quant", len(records))
        return {"loaded": code in (0, 4), "ran": code == 0, "agreed": "", "remark": "LiteRT refuses: " + str(error).strip().splitlines()[0][:140]}
    integers = {i for i in maps[0] if maps[0][i].dtype.kind in "iu" and len(details[i]["quantization_parameters"]["scales"])}
    hybrid = few_bits(details, operators)
    own, code, words = visq(binary, model, model.with_name("data.h5"), "integer" if integers or hybrid else "fp32", len(records))
    if own is None:
        return {"loaded": code == 4, "ran": False, "agreed": False, "remark": words[:200]}
    if any(np.isnan(each[i]).any() for each in maps for i in each if each[i].dtype.kind == "f") and hybrid:
        finite = own is not None and not any(np.isnan(v).any() for each in own for v, _ in each.values() if v.dtype.kind == "f")
        if finite:  # its kernels take weights of 2 bits for bytes
            return {"loaded": True, "ran": code == 0, "agreed": "", "remark": "LiteRT gives NaN"}
    worst, faults = 0.0, []
    for want, got in zip(maps, own):
        for i, value in want.items():
            if i not in got or value.dtype.kind not in "fiub":
                if value.size and value.dtype.kind in "fiub":
                    faults.append(f"{i} missing")
                continue
            mine = got[i][0]
            if mine.shape != value.shape:
                faults.append(f"{i} has shape {mine.shape}, not {value.shape}")
            elif value.dtype.kind != "f":
                if np.any(mine.astype(np.int64) != value.astype(np.int64)):
                    faults.append(f"{i} differs in {np.mean(mine != value):.2%}")
            else:
                distance = apart(value.astype(np.float64), mine.astype(np.float64))
                worst = max(worst, distance)
                if distance > (HYBRID if hybrid else FLOAT):
                    faults.append(f"{i} is off by {distance:.1e}")
    if faults:
        number = int(faults[0].split()[0])
        maker = next((op["op_name"] for op in operators if number in op["outputs"]), "?")
        faults[0] = f"{maker} {faults[0]}"
    return {"loaded": True, "ran": code == 0, "agreed": not faults, "worst": f"{worst:.1e}", "remark": faults[0] if faults else ""}


def by_torch(binary, model, records):
    float_model = model.stem == "float"
    own, code, words = visq(binary, model, model.with_name("data.h5"), "fp32" if float_model else "fake-quant", len(records))
    if own is None:
        return {"loaded": code == 4, "ran": False, "agreed": False, "remark": words[:200]}
    expected = np.load(model.with_name("torch.npz" if float_model else f"{model.stem}.npz"))
    outputs = subprocess.run([binary, "inspect", str(model), "--json", "-"], capture_output=True, text=True, timeout=60)
    import json

    graph = json.loads(outputs.stdout)["subgraphs"][0]
    worst, remark = 0.0, ""
    for r, maps in enumerate(own):
        for k, tensor in enumerate(graph["outputs"]):
            value, attributes = maps[tensor if isinstance(tensor, int) else tensor["index"]]
            want = expected[f"{r}_{k}"].astype(np.float64)
            step = 1.01 * float(np.max(attributes["scale"])) if "scale" in attributes else FLOAT * np.abs(want).max()
            distance = np.abs(want.ravel() - np.asarray(value, np.float64).ravel()).max()
            worst = max(worst, distance / (np.abs(want).max() + 1e-30))
            if distance > step and not remark:
                remark = f"output {k} is off by {distance:.2e}, {distance / step:.1f} of what is allowed"
    return {"loaded": True, "ran": code == 0, "agreed": not remark, "worst": f"{worst:.1e}", "remark": remark}


def judge(binary, model, queue):
    try:
        queue.put((by_torch if model.suffix == ".circle" else by_litert)(binary, model, records_of(model.parent)))
    except Exception as error:  # noqa: BLE001: the judge's own trouble is a result too
        queue.put({"loaded": "", "ran": "", "agreed": "", "remark": f"judge: {type(error).__name__}: {error}"[:200]})


def judged(binary, model):
    """In a process of its own: LiteRT ends the program on some models."""
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=judge, args=(binary, model, queue))
    process.start()
    try:
        result = queue.get(timeout=90)
    except Exception:  # noqa: BLE001: queue.Empty
        result = {"loaded": "", "ran": "", "agreed": "", "remark": "LiteRT ended the process"}
        process.kill()
    process.join()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--visq", required=True)
    parser.add_argument("--table", type=pathlib.Path)
    arguments = parser.parse_args()
    import ai_edge_litert.interpreter  # noqa: F401: once, before the processes

    rows, fields = [], ["converter", "network", "recipe", "loaded", "ran", "agreed", "worst", "remark"]
    for model in sorted([*arguments.out.glob("*/*/*.tflite"), *arguments.out.glob("*/*/*.circle")]):
        converter = model.parent.parent.name.removesuffix("_maps")
        rows.append({"converter": converter, "network": model.parent.name, "recipe": model.stem, **judged(arguments.visq, model)})
        if not rows[-1]["agreed"]:
            print(*(rows[-1][field] for field in fields[:3]), rows[-1]["remark"], flush=True)
    print(f"\n{'converter':<14}{'recipe':<28}{'models':>7}{'loaded':>8}{'ran':>6}{'agreed':>8}{'refused':>9}")
    for key in sorted({(row["converter"], row["recipe"]) for row in rows}):
        own = [row for row in rows if (row["converter"], row["recipe"]) == key]
        count = [sum(row[field] is True for row in own) for field in ("loaded", "ran", "agreed")]
        refused = sum(row["agreed"] == "" for row in own)
        print(f"{key[0]:<14}{key[1]:<28}{len(own):>7}{count[0]:>8}{count[1]:>6}{count[2]:>8}{refused:>9}")
    if arguments.table:
        with arguments.table.open("w", newline="") as file:
            writer = csv.DictWriter(file, fields, restval="", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return int(any(row["agreed"] is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
