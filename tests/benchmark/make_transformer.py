#!/usr/bin/env python3
"""Make a large pair: make_transformer.py FOLDER [--blocks 21] [--width 1024] [--tokens 64] [--records 3]

A stack of transformer blocks with random weights (21 blocks of width 1024 are 1.06 GB in float32), fp32.tflite and int8.tflite (int8 weights
per channel, int8 feature maps) and data.h5: to see how much memory and time a comparison of large models takes. What it computes means
nothing. Needs ai-edge-litert, flatbuffers, h5py and numpy from PyPI."""
import argparse
import pathlib

import flatbuffers
import h5py
import numpy as np
from ai_edge_litert import schema_py_generated as schema

OPERATORS = {
    "FULLY_CONNECTED": ("FullyConnectedOptions", schema.FullyConnectedOptionsT),
    "BATCH_MATMUL": ("BatchMatMulOptions", schema.BatchMatMulOptionsT),
    "SOFTMAX": ("SoftmaxOptions", schema.SoftmaxOptionsT),
    "ADD": ("AddOptions", schema.AddOptionsT),
}


class Network:
    """One model, built operator by operator; `quantized` says which."""

    def __init__(self, quantized):
        self.quantized = quantized
        self.codes, self.operators, self.tensors = [], [], []
        self.buffers = [schema.BufferT()]

    def tensor(self, name, shape, scale=None, values=None, zero_point=0, axis=0):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.buffer = name, list(shape), 0
        tensor.type = schema.TensorType.INT8 if self.quantized else schema.TensorType.FLOAT32
        if self.quantized and scale is not None:
            scales = np.atleast_1d(np.float32(scale))
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = scales
            tensor.quantization.zeroPoint = np.full(len(scales), zero_point, np.int64)
            tensor.quantization.quantizedDimension = axis
        if values is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
            self.buffers.append(buffer)
            tensor.buffer = len(self.buffers) - 1
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def add(self, kind, inputs, output, **options):
        if kind not in self.codes:
            self.codes.append(kind)
        name, make = OPERATORS[kind]
        operator = schema.OperatorT()
        operator.opcodeIndex = self.codes.index(kind)
        operator.inputs, operator.outputs = inputs, [output]
        operator.builtinOptionsType = getattr(schema.BuiltinOptions, name)
        operator.builtinOptions = make()
        for option, value in options.items():
            setattr(operator.builtinOptions, option, value)
        self.operators.append(operator)
        return output

    def dense(self, name, source, weights, tokens, scale):
        rows = weights.shape[0]
        if self.quantized:
            steps = np.abs(weights).max(axis=1) / 127
            weights = np.clip(np.round(weights / steps[:, None]), -127, 127).astype(np.int8)
            filter_ = self.tensor(name + "/weights", weights.shape, steps, weights)
        else:
            filter_ = self.tensor(name + "/weights", weights.shape, None, weights)
        output = self.tensor(name, (1, tokens, rows), scale)
        return self.add("FULLY_CONNECTED", [source, filter_, -1], output, keepNumDims=True)

    def save(self, path, sources, targets, signatures=None):
        graph = schema.SubGraphT()
        graph.tensors, graph.operators, graph.inputs, graph.outputs = self.tensors, self.operators, sources, targets
        model = schema.ModelT()
        model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, [graph], self.buffers, []
        model.signatureDefs = signatures
        for kind in self.codes:
            code = schema.OperatorCodeT()
            code.builtinCode = getattr(schema.BuiltinOperator, kind)
            code.deprecatedBuiltinCode = min(127, code.builtinCode)
            model.operatorCodes.append(code)
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(model.Pack(builder), b"TFL3")
        path.write_bytes(builder.Output())


def build(path, quantized, blocks, width, tokens):
    rng = np.random.default_rng(1)
    network = Network(quantized)
    step = 6 / 127

    def weights(rows, columns, gain=1.0):
        return (rng.standard_normal((rows, columns), np.float32) * np.float32(gain / np.sqrt(columns))).astype(np.float32)

    x = source = network.tensor("tokens", (1, tokens, width), step)
    for block in range(blocks):
        name = f"block_{block}"
        q, k, v = (network.dense(f"{name}/{part}", x, weights(width, width), tokens, step) for part in "qkv")
        scores = network.add("BATCH_MATMUL", [q, k], network.tensor(f"{name}/scores", (1, tokens, tokens), 1.5), adjY=True)
        shares = network.add("SOFTMAX", [scores], network.tensor(f"{name}/shares", (1, tokens, tokens), 1 / 256, zero_point=-128), beta=0.03)
        mixed = network.add("BATCH_MATMUL", [shares, v], network.tensor(f"{name}/mixed", (1, tokens, width), step))
        attended = network.dense(f"{name}/attended", mixed, weights(width, width, 0.2), tokens, step)
        x = network.add("ADD", [x, attended], network.tensor(f"{name}/residual", (1, tokens, width), step))
        hidden = network.dense(f"{name}/hidden", x, weights(4 * width, width), tokens, step)
        network.operators[-1].builtinOptions.fusedActivationFunction = schema.ActivationFunctionType.RELU
        out = network.dense(f"{name}/out", hidden, weights(width, 4 * width, 0.2), tokens, step)
        x = network.add("ADD", [x, out], network.tensor(f"{name}/output", (1, tokens, width), step))
    network.save(path, [source], [x])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--blocks", type=int, default=21)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--records", type=int, default=3)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, quantized in (("fp32", False), ("int8", True)):
        build(arguments.folder / f"{name}.tflite", quantized, arguments.blocks, arguments.width, arguments.tokens)
    rng = np.random.default_rng(2)
    with h5py.File(arguments.folder / "data.h5", "w") as file:
        for record in range(arguments.records):
            tokens = rng.standard_normal((1, arguments.tokens, arguments.width), np.float32)
            file.create_group(f"value/{record}")["0"] = tokens


if __name__ == "__main__":
    main()
