"""Graphs of tensors and operators, and the TFLite file that holds them."""

import dataclasses

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from .tensors import Tensor

# Operators whose options table is not named after them.
OPTIONS = {
    "AVERAGE_POOL_2D": "Pool2D", "MAX_POOL_2D": "Pool2D", "L2_POOL_2D": "Pool2D", "L2_NORMALIZATION": "L2Norm", "MAXIMUM": "MaximumMinimum",
    "MINIMUM": "MaximumMinimum", "CONV_3D_TRANSPOSE": "Conv3D", "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNN",
    "RANDOM_UNIFORM": "Random", "RANDOM_STANDARD_NORMAL": "Random", "MULTINOMIAL": "Random",
} | dict.fromkeys(("MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY", "REDUCE_ALL"), "Reducer")
VERSIONS = {"BROADCAST_TO": 2, "TRANSPOSE_CONV": 3}  # all others exist since version 1
CLASSES = {name[:-8].lower(): name[:-1] for name in dir(schema) if name.endswith("OptionsT")}


@dataclasses.dataclass(eq=False)
class Op:
    type: str  # "ADD", or the code of a custom operator
    inputs: list
    outputs: list
    options: dict = dataclasses.field(default_factory=dict)
    intermediates: list = dataclasses.field(default_factory=list)
    custom: object = None  # bytes of a custom operator's options


@dataclasses.dataclass(eq=False)
class Graph:
    ops: list = dataclasses.field(default_factory=list)
    inputs: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)
    name: str = "main"

    def op(self, type, inputs, outputs=None, intermediates=(), custom=None, /, **options):
        """Appends an operator; its graph inputs become the graph's. Returns its first output."""
        outputs = [Tensor("result")] if outputs is None else outputs
        outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        self.ops.append(Op(type, list(inputs), list(outputs), options, list(intermediates), custom))
        for tensor in inputs:
            if tensor is not None and tensor.role == "input" and tensor not in self.inputs:
                self.inputs.append(tensor)
        link_biases(inputs)
        return outputs[0] if outputs else None

    def tensors(self):
        seen = {}
        for tensor in [*self.inputs, *(t for op in self.ops for t in (*op.inputs, *op.outputs, *op.intermediates)), *self.outputs]:
            if tensor is not None:
                seen[id(tensor)] = tensor
                if tensor.block_scales is not None:
                    seen[id(tensor.block_scales)] = tensor.block_scales
        return list(seen.values())


def link_biases(inputs):
    """A bias without other word belongs to the first activation and the first weight beside it."""
    present = [t for t in inputs if t is not None]
    for tensor in present:
        if tensor.use == "bias" and tensor.of is None:
            data = next(t for t in present if t.use == "activation")
            tensor.of = (data, next((t for t in present if t.use == "weight"), data))


def pack_int4(values):
    nibbles = np.asarray(values, np.int8).ravel() & 15
    nibbles = np.append(nibbles, 0) if nibbles.size % 2 else nibbles
    return (nibbles[0::2] | nibbles[1::2] << 4).astype(np.uint8)


def pack_strings(values):
    """TFLite's string buffer: count, offsets, bytes."""
    strings = [v.encode() if isinstance(v, str) else bytes(v) for v in np.ravel(values)]
    header = 4 * (len(strings) + 2)
    offsets = np.cumsum([header, *(len(s) for s in strings)]).astype(np.int32)
    return np.frombuffer(np.int32(len(strings)).tobytes() + offsets.tobytes() + b"".join(strings), np.uint8)


def constant_bytes(tensor):
    if tensor.sparsity is not None:
        return np.frombuffer(tensor.sparsity.values.tobytes(), np.uint8)
    if tensor.type == "string":
        return pack_strings(tensor.stored)
    if tensor.type == "int4":
        rows = np.asarray(tensor.stored)
        if tensor.block and rows.shape[-1] % 2:
            rows = np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, 1)])
        return pack_int4(rows)
    return np.frombuffer(np.ascontiguousarray(tensor.stored).tobytes(), np.uint8)


class Writer:
    def __init__(self):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.buffers, self.model.operatorCodes, self.model.subgraphs = [schema.BufferT()], [], []
        self.codes = {}

    def graph(self, graph):
        tensors = graph.tensors()
        for index, tensor in enumerate(tensors):
            tensor.index = index
        result = schema.SubGraphT()
        result.name = graph.name
        result.tensors = [self.tensor(t) for t in tensors]
        result.inputs, result.outputs = [t.index for t in graph.inputs], [t.index for t in graph.outputs]
        result.operators = [self.operator(op) for op in graph.ops]
        self.model.subgraphs.append(result)

    def tensor(self, tensor):
        result = schema.TensorT()
        result.name, result.shape = f"t{tensor.index}", [int(n) for n in tensor.shape]
        result.type = getattr(schema.TensorType, tensor.type.upper())
        result.hasRank = True
        result.isVariable = tensor.role == "variable"
        if tensor.signature is not None:
            result.shapeSignature = list(tensor.signature)
        if tensor.role == "const":
            result.buffer = len(self.model.buffers)
            self.model.buffers.append(schema.BufferT())
            self.model.buffers[-1].data = constant_bytes(tensor)
        if tensor.quantized():
            result.quantization = self.quantization(tensor)
        if tensor.block:
            result.quantization = schema.QuantizationParametersT()
            result.quantization.detailsType = schema.QuantizationDetails.BlockwiseQuantization
            details = result.quantization.details = schema.BlockwiseQuantizationT()
            details.scales, details.zeroPoints, details.blockSize = tensor.block_scales.index, -1, tensor.block
        if tensor.sparsity is not None:
            result.sparsity = tensor.sparsity.table()
        return result

    @staticmethod
    def quantization(tensor):
        result = schema.QuantizationParametersT()
        result.scale = [float(v) for v in np.ravel(tensor.scale)]
        result.zeroPoint = [int(v) for v in np.ravel(tensor.zero)]
        result.quantizedDimension = int(tensor.axis or 0)
        return result

    def operator(self, op):
        result = schema.OperatorT()
        result.opcodeIndex = self.code(op.type)
        result.inputs = [-1 if t is None else t.index for t in op.inputs]
        result.outputs = [t.index for t in op.outputs]
        result.intermediates = [t.index for t in op.intermediates] or None
        if op.custom is not None:
            result.customOptions = np.frombuffer(op.custom, np.uint8)
        name = CLASSES.get((OPTIONS.get(op.type) or op.type.replace("_", "")).lower())
        if name is None:
            assert not op.options, f"{op.type} has no options"
            return result
        options = getattr(schema, name + "T")()
        for key, value in op.options.items():
            field = key.split("_")[0] + "".join(part.capitalize() for part in key.split("_")[1:])
            assert hasattr(options, field), f"{name} has no {field}"
            setattr(options, field, value)
        second = hasattr(schema.BuiltinOptions2, name)
        setattr(result, "builtinOptions2" if second else "builtinOptions", options)
        setattr(result, "builtinOptions2Type" if second else "builtinOptionsType", getattr(schema.BuiltinOptions2 if second else schema.BuiltinOptions, name))
        return result

    def code(self, type):
        if type not in self.codes:
            code = schema.OperatorCodeT()
            number = getattr(schema.BuiltinOperator, type, None)
            if number is None:
                number, code.customCode = schema.BuiltinOperator.CUSTOM, type
            code.version = VERSIONS.get(type, 1)
            code.builtinCode, code.deprecatedBuiltinCode = number, min(number, 127)
            self.codes[type] = len(self.model.operatorCodes)
            self.model.operatorCodes.append(code)
        return self.codes[type]

    def bytes(self):
        builder = flatbuffers.Builder(4096)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def write(graphs):
    """The TFLite file with these subgraphs."""
    writer = Writer()
    for graph in graphs:
        writer.graph(graph)
    return writer.bytes()
