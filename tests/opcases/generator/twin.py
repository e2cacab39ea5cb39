"""The fake-quantized result: LiteRT's float kernels on real values, one operator after the other, every quantized result rounded.

It is also what the scales of results are taken from."""

import copy

import numpy as np

from .litert import Session
from .model import Graph, write
from .tensors import Tensor

IDENTITIES = {"QUANTIZE", "DEQUANTIZE"}
QUANTIZABLE = {"int4", "int8", "uint8", "int16"}


def float_twin(tensor, values, made):
    """The tensor as the float kernel takes it."""
    if tensor is None:
        return None
    if id(tensor) in made:
        return made[id(tensor)]
    twin = copy.copy(tensor)
    twin.block, twin.sparsity, twin.signature, twin.index = 0, None, None, -1
    if tensor.quantized() or tensor.block or (tensor.role == "result" and tensor.use == "activation" and tensor.type in QUANTIZABLE):
        twin.type, twin.scale, twin.zero, twin.axis = "float32", None, None, None
    if tensor.role == "const":
        twin.stored = tensor.real
    elif tensor.role in ("input", "result") and id(tensor) in values:
        twin.role, twin.shape = "input", np.shape(values[id(tensor)][0])
    made[id(tensor)] = twin
    return twin


def run_float(case, op, values):
    """The operator's results in float, per record."""
    if op.type in IDENTITIES:
        source = op.inputs[0]
        return [[v] for v in values.get(id(source), [source.real] * case.records)]
    made = {}
    graph = Graph()
    inputs, outputs = [float_twin(t, values, made) for t in op.inputs], [float_twin(t, {}, made) for t in op.outputs]
    graph.op(op.type, inputs, outputs, (), op.custom, **op.options)
    graph.outputs = list(graph.ops[0].outputs)
    session = Session(write([graph]), case.resolver)
    feeds = [t for t in op.inputs if t is not None and id(t) in values]
    feeds = list({id(t): t for t in feeds}.values())
    return [session.run([values[id(t)][r] for t in feeds]) for r in range(case.records)]


def fake_quantized(case, scheme, rng):
    """Resolves every tensor of the main graph. Returns the graph outputs per record, or None where there is no twin."""
    values = {}
    graph = case.graphs[0]
    for tensor in graph.inputs:
        tensor.resolve(scheme, rng, case.records)
    for op in graph.ops:
        for tensor in (*op.inputs, *op.intermediates):
            if tensor is not None:
                tensor.resolve(scheme, rng, case.records)
                if tensor.block_scales is not None:
                    tensor.block_scales.resolve(scheme, rng, case.records)
                if tensor.role == "input":
                    values[id(tensor)] = tensor.real
        for tensor in op.outputs:
            tensor.resolve(scheme, rng, case.records)
        if scheme.quantized and case.twin:
            round_results(op, run_float(case, op, values), values)
    if not (scheme.quantized and case.twin):
        return None
    return [[values[id(t)][r] for t in graph.outputs] for r in range(case.records)]


def round_results(op, results, values):
    for k, tensor in enumerate(op.outputs):
        made = [record[k] for record in results]
        if tensor.use == "activation" and tensor.scale is None and tensor.type in QUANTIZABLE:
            every = np.concatenate([np.ravel(v) for v in made])
            every = every[np.isfinite(every)] if every.dtype.kind == "f" else every
            tensor.set_range(*((every.min(), every.max()) if every.size else (-1, 1)))
        values[id(tensor)] = [tensor.real_of(tensor.stored_of(v)) if tensor.quantized() else v for v in made]


def must_be_stored(case, value, fake, tensor):
    """Whether LiteRT's own result is too far from the fake-quantized one to stand for it."""
    if fake.dtype == object or fake.dtype.kind not in "f":
        return not np.array_equal(value, fake)
    if tensor.quantized():
        scale = np.asarray(tensor._spread(tensor.scale, value.ndim), np.float64)
        steps = np.abs(tensor.real_of(value).astype(np.float64) - fake) / scale
        return bool((steps > (0.01 if case.moves else 1.005)).any())
    return not np.allclose(value, fake, rtol=0, atol=2e-6 * max(1.0, float(np.abs(fake).max(initial=0))), equal_nan=True)
