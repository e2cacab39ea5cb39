#!/usr/bin/env python3
"""Runs visqerror over the backend node tests of the ONNX standard (pip install numpy h5py onnx) and prints a table of what became of them.

The onnx package makes these tests: one model each, mostly of one operator, with inputs and what must come out; an operator that is defined by others
comes a second time in their terms ("expanded"). What a record cannot hold does not count: sequences, optional values, strings; nor do operators of
training, and those whose values are random.

    backend_nodes.py build/visqerror                          the table
    backend_nodes.py build/visqerror --csv backend_nodes.csv  also into a file
    backend_nodes.py build/visqerror --only Conv,Gather -v    of these operators only, with a line for each test that does not pass
"""
import argparse
import collections
import csv
import json
import os
import subprocess
import sys
import tempfile
import warnings

import h5py
import numpy as np
import onnx
import onnx.numpy_helper

RESULTS = ["passed", "operator", "type", "refused", "wrong"]
TITLES = ["passed", "operator unsupported", "type unsupported", "form unsupported", "wrong"]
TRAINING = {"Adagrad", "Adam", "Momentum"}
RANDOM = {"Bernoulli", "RandomUniformLike"}  # and Dropout, where it trains


def tests():
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return collect_testcases(None)


def operator_of(test, by_name):
    """What a test is about: its only operator; of an expanded one that of the test which it expands."""
    whole = by_name.get(test.name.split("_expanded")[0], test)
    nodes = whole.model.graph.node
    return nodes[0].op_type if len(nodes) == 1 or whole is test else operator_of(whole, {})


def counts(test, operator):
    values = list(test.model.graph.input) + list(test.model.graph.output)
    if operator in TRAINING or operator in RANDOM or any(node.domain == "ai.onnx.preview.training" for node in test.model.graph.node):
        return False
    if operator == "Dropout" and "training" in test.name:
        return False
    for value in values:
        tensor = value.type.WhichOneof("value") == "tensor_type"
        if not tensor or value.type.tensor_type.elem_type == onnx.TensorProto.STRING:
            return False
    return True


def plain(value):
    """As numpy itself can write it: types that it lacks become one that holds all of their values."""
    array = onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)
    if array.dtype.isbuiltin == 1:
        return array
    name = array.dtype.name
    return array.astype(np.uint8 if name.startswith("uint") else np.int8 if name.startswith("int") else np.float32)


def agrees(found, expected, test):
    expected = plain(expected)
    if found.shape != expected.shape:
        return False
    if found.dtype != expected.dtype and not (expected.dtype == np.float32 and found.dtype.kind == "f"):
        return False
    exact = expected.dtype.kind in "biu"
    if exact:
        return bool(np.array_equal(found, expected))
    return bool(np.allclose(found, expected, rtol=test.rtol, atol=test.atol, equal_nan=True))


def outputs_of(path):
    with h5py.File(path) as file:
        record = file.get("value/0", {})
        return {record[key].attrs["name"]: record[key][()] for key in record}


def run(program, test, folder):
    """What became of a test, and why."""
    inputs, expected = test.data_sets[0]
    model, data, out, report = (os.path.join(folder, name) for name in ("m.onnx", "d.npz", "o.h5", "r.json"))
    for path in (out, report):
        if os.path.exists(path):
            os.remove(path)
    onnx.save(test.model, model)
    names = [value.name for value in test.model.graph.input]
    command = [program, "run", model, "-o", out, "--json", report]
    if names:
        np.savez(data, **{name: plain(value)[None] for name, value in zip(names, inputs)})
        command += ["-d", data]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode < 0:
        return "wrong", f"signal {-done.returncode}"
    if not os.path.exists(report) or not os.path.exists(out):
        reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
        return kind_of(reason, refused="type" if "type" in reason else "refused"), reason
    with open(report) as file:
        missing = json.load(file).get("not_computed", [])
    if missing:
        return kind_of(missing[0]["reason"]), missing[0]["reason"]
    found = outputs_of(out)
    for value, wanted in zip(test.model.graph.output, expected):
        if value.name not in found:
            return "refused", f"no output {value.name}"
        if not agrees(found[value.name], wanted, test):
            return "wrong", f"output {value.name}: {found[value.name]!r}, expected {wanted!r}"
    return "passed", ""


def kind_of(reason, refused="refused"):
    if reason.startswith("operator ") and reason.endswith("cannot be run"):
        return "operator"
    if "cannot run with" in reason or "unknown element type" in reason or "the data are" in reason:
        return "type"
    return refused


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--csv")
    parser.add_argument("--only", default="")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    only = set(filter(None, options.only.split(",")))
    every = tests()
    by_name = {test.name: test for test in every}
    table = collections.defaultdict(collections.Counter)
    left_out = 0
    with tempfile.TemporaryDirectory() as folder:
        for test in every:
            operator = operator_of(test, by_name)
            if only and operator not in only:
                continue
            if not counts(test, operator):
                left_out += 1
                continue
            result, reason = run(program, test, folder)
            table[operator][result] += 1
            if options.verbose and result != "passed":
                print(f"{result}: {test.name}: {reason}"[:400])
    rows = [[operator] + [counter[result] for result in RESULTS] for operator, counter in sorted(table.items())]
    rows.append(["all"] + [sum(row[i + 1] for row in rows) for i in range(len(RESULTS))])
    for row in [["operator"] + TITLES] + rows:
        print(f"{row[0]:28}" + "".join(f"{cell:>22}" for cell in row[1:]))
    print(f"{left_out} tests do not count.")
    if options.csv:
        with open(options.csv, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([["operator"] + TITLES] + rows)
    return 1 if rows[-1][-1] else 0


sys.exit(main())
