#!/usr/bin/env python3
"""Make a large decoder and measure it: large_decoder.py FOLDER [--visq visqerror] [--blocks 21] [--width 1024] [--length 256] [--tokens 16]

One signature, `decode`, as generative exports have it (tokens, input_pos, mask, kv_cache_k_i, kv_cache_v_i; logits and the caches), with random
weights: 21 blocks of width 1024 are 1.08 GB in float32. fp32.tflite, int8.tflite (int8 weights per channel, float feature maps) and tokens.npy
are made where they are absent. Then LiteRT and `visqerror compare --tokens` take the same tokens in turn, each in a process of its own: time per
token and the most memory of each, as a table. Needs ai-edge-litert, flatbuffers and numpy from PyPI."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
from ai_edge_litert import schema_py_generated as schema

import make_transformer
from make_transformer import Network

VOCABULARY, HEADS = 4096, 16
make_transformer.OPERATORS |= {
    "GATHER": ("GatherOptions", schema.GatherOptionsT),
    "RESHAPE": ("ReshapeOptions", schema.ReshapeOptionsT),
    "CONCATENATION": ("ConcatenationOptions", schema.ConcatenationOptionsT),
    "DYNAMIC_UPDATE_SLICE": ("DynamicUpdateSliceOptions", schema.DynamicUpdateSliceOptionsT),
}


class Decoder(Network):
    """Weights are int8 where `narrow` says so, all else is float."""

    def __init__(self, narrow, seed=1):
        super().__init__(quantized=False)
        self.narrow, self.rng = narrow, np.random.default_rng(seed)
        self.inputs, self.outputs = {}, {}

    def constant(self, name, values):
        index = self.tensor(name, np.shape(values), values=values)
        self.tensors[index].type = schema.TensorType.INT32
        return index

    def given(self, name, shape, integers=False):
        self.inputs[name] = self.tensor(name, shape)
        if integers:
            self.tensors[-1].type = schema.TensorType.INT32
        return self.inputs[name]

    def linear(self, name, source, rows, columns, gain=1.0, relu=False):
        weights = (self.rng.standard_normal((rows, columns), np.float32) * np.float32(gain / np.sqrt(columns))).astype(np.float32)
        if self.narrow:
            steps = np.abs(weights).max(axis=1) / 127
            self.quantized = True
            filter_ = self.tensor(name + "/weights", weights.shape, steps, np.clip(np.round(weights / steps[:, None]), -127, 127).astype(np.int8))
            self.quantized = False
        else:
            filter_ = self.tensor(name + "/weights", weights.shape, None, weights)
        made = self.add("FULLY_CONNECTED", [source, filter_, -1], self.tensor(name, (1, 1, rows)), keepNumDims=True)
        if relu:
            self.operators[-1].builtinOptions.fusedActivationFunction = schema.ActivationFunctionType.RELU
        return made

    def reshaped(self, name, source, shape):
        target = self.constant(name + "/shape", np.int32(shape))
        return self.add("RESHAPE", [source, target], self.tensor(name, shape), newShape=list(shape))

    def cached(self, kind, block, new, places, length, head):
        name = f"kv_cache_{kind}_{block}"
        shape = (1, HEADS, length, head)
        before = self.given(name, shape)
        update = self.reshaped(f"{name}/new", new, (1, HEADS, 1, head))
        self.outputs[name] = self.add("DYNAMIC_UPDATE_SLICE", [before, update, places], self.tensor(f"{name}/after", shape))
        return self.outputs[name]

    def block(self, index, x, mask, places, width, length):
        name, head = f"block_{index}", width // HEADS
        q, k, v = (self.linear(f"{name}/{part}", x, width, width) for part in "qkv")
        keys, values = self.cached("k", index, k, places, length, head), self.cached("v", index, v, places, length, head)
        q = self.reshaped(f"{name}/heads", q, (1, HEADS, 1, head))
        scores = self.add("BATCH_MATMUL", [q, keys], self.tensor(f"{name}/scores", (1, HEADS, 1, length)), adjY=True)
        seen = self.add("ADD", [scores, mask], self.tensor(f"{name}/seen", (1, HEADS, 1, length)))
        shares = self.add("SOFTMAX", [seen], self.tensor(f"{name}/shares", (1, HEADS, 1, length)), beta=1.0)
        mixed = self.add("BATCH_MATMUL", [shares, values], self.tensor(f"{name}/mixed", (1, HEADS, 1, head)))
        attended = self.linear(f"{name}/attended", self.reshaped(f"{name}/joined", mixed, (1, 1, width)), width, width, 0.2)
        x = self.add("ADD", [x, attended], self.tensor(f"{name}/residual", (1, 1, width)))
        hidden = self.linear(f"{name}/hidden", x, 4 * width, width, relu=True)
        return self.add("ADD", [x, self.linear(f"{name}/out", hidden, width, 4 * width, 0.2)], self.tensor(f"{name}/output", (1, 1, width)))

    def build(self, blocks, width, length):
        tokens, position = self.given("tokens", (1, 1), True), self.given("input_pos", (1,), True)
        mask = self.given("mask", (1, 1, 1, length))
        zeros = [self.constant(f"zero_{i}", np.zeros(n, np.int32)) for i, n in ((0, 2), (1, 1))]
        places = self.tensor("places", (4,))
        self.tensors[-1].type = schema.TensorType.INT32
        self.add("CONCATENATION", [zeros[0], position, zeros[1]], places)
        table = self.tensor("embedding", (VOCABULARY, width), None, self.rng.standard_normal((VOCABULARY, width), np.float32))
        x = self.add("GATHER", [table, tokens], self.tensor("embedded", (1, 1, width)))
        for index in range(blocks):
            x = self.block(index, x, mask, places, width, length)
        self.outputs["logits"] = self.linear("logits", x, VOCABULARY, width)

    def signature(self):
        made = schema.SignatureDefT()
        made.signatureKey, made.subgraphIndex = "decode", 0

        def maps(named):
            all_maps = []
            for name, index in named.items():
                entry = schema.TensorMapT()
                entry.name, entry.tensorIndex = name, index
                all_maps.append(entry)
            return all_maps

        made.inputs, made.outputs = maps(self.inputs), maps(self.outputs)
        return made

    def write(self, path):
        self.save(path, list(self.inputs.values()), list(self.outputs.values()), [self.signature()])


def litert(path, tokens):
    """What a process prints that runs LiteRT over the tokens: milliseconds per token behind the first, and its own most memory."""
    from ai_edge_litert.interpreter import Interpreter

    run = Interpreter(path, num_threads=os.cpu_count()).get_signature_runner("decode")
    details = run.get_input_details()
    caches = {name: np.zeros(info["shape"], info["dtype"]) for name, info in details.items() if "cache" in name}
    mask = np.full(details["mask"]["shape"], -1e9, np.float32)
    took = []
    for position, token in enumerate(tokens):
        mask[..., position] = 0
        start = time.perf_counter()
        out = run(tokens=np.int32([[token]]), input_pos=np.int32([position]), mask=mask, **caches)
        took.append(time.perf_counter() - start)
        caches = {name: out[name] for name in caches}
    print(json.dumps({"ms": 1e3 * float(np.median(took[1:])), "mib": most_memory()}))


def most_memory():
    """Of this process, the pages of mapped files aside that nobody has touched."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024


def child(command):
    """Seconds and MiB of a process, and what it printed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{command[0]} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, text


def measure(folder, visq):
    pair = [str(folder / name) for name in ("fp32.tflite", "int8.tflite")]
    rows, tokens = [], str(folder / "tokens.npy")
    for path in pair:
        _, _, text = child([sys.executable, __file__, str(folder), "--litert", path])
        said = json.loads(text)
        rows.append((f"LiteRT, {pathlib.Path(path).name}", said["ms"], said["mib"]))
    # Loading, hashing and packing fall out of the difference of two runs.
    count = len(np.load(tokens))
    short = str(folder / "short.npy")
    np.save(short, np.load(tokens)[: count // 2])
    seconds = {}
    for file in (short, tokens):
        seconds[file], memory, _ = child([visq, "compare", *pair, "--tokens", file, "--prompt", "0", "--quiet"])
    rows.append(("visqerror compare, both", 1e3 * (seconds[tokens] - seconds[short]) / (count - count // 2), memory))
    print("| | ms per token | MiB |\n|---|---|---|")
    for name, ms, mib in rows:
        print(f"| {name} | {ms:.1f} | {mib:.0f} |")
    print(f"time: {rows[2][1] / (rows[0][1] + rows[1][1]):.2f} of both passes of LiteRT; whole run of {count} tokens {seconds[tokens]:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--visq", default="visqerror")
    for name, usual in (("--blocks", 21), ("--width", 1024), ("--length", 256), ("--tokens", 16)):
        parser.add_argument(name, type=int, default=usual)
    parser.add_argument("--litert", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.litert:
        return litert(arguments.litert, np.load(arguments.folder / "tokens.npy"))
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, narrow in (("fp32", False), ("int8", True)):
        path = arguments.folder / f"{name}.tflite"
        if not path.exists():
            decoder = Decoder(narrow)
            decoder.build(arguments.blocks, arguments.width, arguments.length)
            decoder.write(path)
    np.save(arguments.folder / "tokens.npy", np.random.default_rng(2).integers(0, VOCABULARY, arguments.tokens).astype(np.int32))
    measure(arguments.folder, arguments.visq)


if __name__ == "__main__":
    main()
