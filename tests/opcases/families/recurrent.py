"""Recurrent operators: state goes on from the first record to the second."""

import numpy as np

from generator.case import each
from generator.tensors import Tensor, bias, variable, weights, x, y

GATES = "ifco"


def matrix(rows, columns, size=0.6):
    return weights(rows, columns, axis=None, low=-size, high=size)


def vector(count, low, high, scheme, **more):
    """Peephole and norm weights: int16 beside integer activations."""
    type = "int16" if scheme == "int8" else ""
    return Tensor("const", (count,), use="weight", axis=None, type=type, low=low, high=high, **more)


def floats(count, low=-0.3, high=0.3):
    return Tensor("const", (count,), use="plain", type="float32", low=low, high=high)


def gate_bias(count, scheme, source, weight, norm):
    if scheme != "int8":
        return floats(count)
    if norm is None:
        return bias(count, of=(source, weight))
    return bias(count, of=(Tensor("const", scale=np.float32(1)), norm), factor=1 / 1024)


class Cell:
    """The tensors of one LSTM cell."""

    def __init__(self, source, inputs, cells, features, scheme):
        parts = features.split()
        cifg, peephole, norm = ("cifg" in parts), ("peephole" in parts), ("norm" in parts)
        projects = "projection" in parts or "projection_bias" in parts
        self.outputs = 3 if projects else cells
        gates = [g for g in GATES if not (cifg and g == "i")]
        self.input_weights = {g: matrix(cells, inputs) for g in gates}
        self.recurrent_weights = {g: matrix(cells, self.outputs) for g in gates}
        hybrid = scheme.startswith("hybrid")
        peepholes = [g for g in "ifo" if g in gates]
        self.peephole = {g: vector(cells, -0.4, 0.4, scheme) for g in peepholes} if peephole else {}
        norm_weight = (lambda: floats(cells, 0.5, 1.5)) if hybrid or scheme == "float" else (lambda: vector(cells, 0.5, 1.5, scheme))
        self.norm = {g: norm_weight() for g in gates} if norm else {}
        self.bias = {g: gate_bias(cells, scheme, source, self.input_weights[g], self.norm.get(g)) for g in gates}
        self.projection = matrix(self.outputs, cells) if projects else None
        self.projection_bias = None
        if "projection_bias" in parts:
            hidden = Tensor("const", scale=np.float32(1 / 128))
            self.projection_bias = bias(self.outputs, of=(hidden, self.projection)) if scheme == "int8" else floats(self.outputs)

    def listed(self):
        """The first 17 slots after the input."""
        slots = [self.input_weights.get(g) for g in GATES] + [self.recurrent_weights.get(g) for g in GATES]
        slots += [self.peephole.get(g) for g in "ifo"] + [self.bias.get(g) for g in GATES]
        return [*slots, self.projection, self.projection_bias]


def lstm(op, features, scheme, time=0, batch=2, inputs=5, cells=4, **options):
    source = x(*((time, batch) if options.get("time_major") else (batch, time) if time else (batch,)), inputs, low=-1.5, high=1.5)
    cell = Cell(source, inputs, cells, features, scheme)
    out, states, middle = y(), [variable(batch, cell.outputs), variable(batch, cells)], []
    if scheme == "int8":
        real = dict(scale=np.float32(0.0085), zero=-4) if cell.projection is None else dict(scale=np.float32(0.012), zero=5)
        out = y(**real)
        states = [variable(batch, cell.outputs, type="int8", **real), variable(batch, cells, type="int16", scale=np.float32(2**-11), zero=0)]
        hidden = dict(scale=np.float32(1 / 128), zero=0) if cell.projection is not None else real
        middle = [Tensor("result", type="int16", scale=np.float32(0.0003), zero=0, use="plain") for _ in GATES]
        middle.append(Tensor("result", type="int8", use="plain", **hidden))
    slots = [source, *cell.listed(), *states]
    if cell.norm or scheme == "int8":
        slots += [cell.norm.get(g) for g in GATES]
    name = "_".join(features.split()) or "plain"
    for flag in ("time_major", "asymmetric_quantize_inputs", "diagonal_recurrent_tensors"):
        name += f"_{flag.split('_')[0]}" if options.get(flag) else ""
    name += "_clipped" if options.get("cell_clip") else ""
    name += f"_batch{batch}" if batch != 2 else ""
    yield from each(scheme, op, name, slots, [out], intermediates=middle, fused_activation_function=4, **options)


FEATURES = ("", "cifg", "peephole", "norm", "projection", "projection_bias", "cifg peephole", "cifg norm", "peephole norm", "norm projection", "cifg peephole norm projection", "peephole projection_bias norm")


def full_lstm():
    for op, time in (("LSTM", 0), ("UNIDIRECTIONAL_SEQUENCE_LSTM", 3)):
        for features in FEATURES:
            yield from lstm(op, features, "float", time)
            yield from lstm(op, features, "int8", time)
        for features in ("", "cifg peephole", "peephole projection_bias norm"):
            for asymmetric in (False, True):
                yield from lstm(op, features, "hybrid", time, asymmetric_quantize_inputs=asymmetric)
        yield from lstm(op, "projection", "float", time, cell_clip=0.3, proj_clip=0.2)
        yield from lstm(op, "projection", "int8", time, cell_clip=0.3, proj_clip=0.2)
        yield from lstm(op, "", "float", time, batch=1)
    for features in ("", "cifg norm", "projection"):
        for scheme in ("float", "int8", "hybrid"):
            yield from lstm("UNIDIRECTIONAL_SEQUENCE_LSTM", features, scheme, 4, time_major=True)


def basic_lstm():
    shapes = [(2, 3), (2, 4), (16, 7), (16,), (2, 4)]
    inputs = [x(*shapes[0], low=-1, high=1), x(*shapes[1], low=-1, high=1), weights(*shapes[2], axis=None), bias(16), x(*shapes[4], low=-1, high=1)]
    yield from each("float", "LSTM", "five_inputs", inputs, [y() for _ in range(4)], kernel_type=1, fused_activation_function=4)
    unit = dict(scale=np.float32(1 / 128), zero=128)
    source, last = x(*shapes[0], low=-1, high=1, **unit), x(*shapes[1], low=-1, high=1, **unit)
    weight = weights(*shapes[2], axis=None)
    state = dict(type="int16", scale=np.float32(2**-11), zero=0)
    inputs = [source, last, weight, bias(16, of=(source, weight)), x(*shapes[4], low=-4, high=4, **state)]
    outputs = [y(**unit), y(**state), Tensor("result", type="uint8", use="plain", **unit), Tensor("result", use="plain", **state)]
    for case in each("uint8", "LSTM", "five_inputs", inputs, outputs, kernel_type=1, fused_activation_function=4):
        case.graphs[0].outputs = case.graphs[0].outputs[:2]
        yield case


def bidirectional_lstm():
    for features, scheme, merge, time_major, aux in (
        ("", "float", False, False, False), ("cifg", "float", True, False, False), ("peephole", "float", False, True, True), ("projection_bias", "float", True, True, False),
        ("", "float", True, True, True), ("", "hybrid", True, False, False), ("cifg peephole", "hybrid", False, True, False), ("projection", "hybrid", False, False, False),
    ):
        batch, time, inputs, cells = 2, 3, 4, 5
        shape = (time, batch, inputs) if time_major else (batch, time, inputs)
        source = x(*shape, low=-1.5, high=1.5)
        forward, backward = Cell(source, inputs, cells, features, scheme), Cell(source, inputs, cells, features, scheme)
        states = [variable(batch, n) for n in (forward.outputs, cells, backward.outputs, cells)]
        more = [None] * 9
        if aux:
            more = [x(*shape, low=-1.5, high=1.5), *(matrix(cells, inputs) for _ in range(8))]
        slots = [source, *forward.listed(), *backward.listed(), *states, *more]
        name = "_".join([*(features.split() or ["plain"]), *(["merged"] if merge else []), *(["time_major"] if time_major else []), *(["aux"] if aux else [])])
        outputs = [y()] if merge else [y(), y()]
        yield from each(scheme, "BIDIRECTIONAL_SEQUENCE_LSTM", name, slots, outputs, fused_activation_function=4, merge_outputs=merge, time_major=time_major)


def rnn():
    activations = {"none": 0, "relu": 1, "n1_to_1": 2, "relu6": 3, "tanh": 4}
    for name, code in activations.items():
        slots = [x(3, 4, low=-1, high=1), matrix(5, 4), matrix(5, 5, 0.4), floats(5), variable(3, 5)]
        yield from each("float", "RNN", name, slots, fused_activation_function=code)
        slots = [x(2, 3, 4, low=-1, high=1), matrix(5, 4), matrix(5, 5, 0.4), floats(5), variable(2, 5)]
        yield from each("float", "UNIDIRECTIONAL_SEQUENCE_RNN", name, slots, fused_activation_function=code)
    for asymmetric in (False, True):
        suffix = "_asymmetric" if asymmetric else ""
        slots = [x(3, 4, low=-1, high=1), matrix(5, 4), matrix(5, 5, 0.4), floats(5), variable(3, 5)]
        yield from each("hybrid", "RNN", f"relu6{suffix}", slots, fused_activation_function=3, asymmetric_quantize_inputs=asymmetric)
        for time_major in (False, True):
            shape = (4, 2, 3) if time_major else (2, 4, 3)
            slots = [x(*shape, low=-1, high=1), matrix(5, 3), matrix(5, 5, 0.4), floats(5), variable(2, 5)]
            name = ("time_major" if time_major else "batch_major") + suffix
            yield from each("hybrid" if asymmetric else "float hybrid", "UNIDIRECTIONAL_SEQUENCE_RNN", name, slots, fused_activation_function=4, time_major=time_major, asymmetric_quantize_inputs=asymmetric)
    for name, scheme, merge, time_major, aux in (("separate", "float", False, False, False), ("merged", "float", True, False, False), ("merged_time_major", "float", True, True, False), ("aux", "float", False, False, True), ("merged", "hybrid", True, False, False)):
        shape = (4, 2, 3) if time_major else (2, 4, 3)
        side = lambda: [matrix(5, 3), matrix(5, 5, 0.4), floats(5), variable(2, 5)]  # noqa: E731
        more = [x(*shape), matrix(5, 3), matrix(5, 3)] if aux else [None, None, None]
        slots = [x(*shape, low=-1, high=1), *side(), *side(), *more]
        yield from each(scheme, "BIDIRECTIONAL_SEQUENCE_RNN", name, slots, [y()] if merge else [y(), y()], fused_activation_function=4, merge_outputs=merge, time_major=time_major)


def svdf():
    for name, rank, units, memory, activation in (("rank1_memory4", 1, 3, 4, 0), ("rank2_relu", 2, 4, 3, 1), ("rank4_relu6", 4, 2, 5, 3)):
        filters = units * rank
        for scheme in ("float", "hybrid", "int8"):
            if scheme == "int8" and activation != 1:
                continue  # refused
            source = x(2, 6, low=-1, high=1)
            time = weights(filters, memory, axis=None, type="int16" if scheme == "int8" else "")
            state = variable(2, memory * filters)
            offset = floats(units)
            if scheme == "int8":
                state = variable(2, memory * filters, type="int16", scale=np.float32(0.0004), zero=0)
                offset = bias(units, of=(state, time))
            slots = [source, matrix(filters, 6), time, offset, state]
            yield from each(scheme, "SVDF", name, slots, rank=rank, fused_activation_function=activation)
            if scheme == "float":
                yield from each(scheme, "SVDF", f"{name}_without_bias", [source, matrix(filters, 6), time, None, state], rank=rank, fused_activation_function=activation)
    slots = [x(2, 6, low=-1, high=3), matrix(4, 6), weights(4, 3, axis=None), floats(4), variable(2, 12)]
    yield from each("hybrid", "SVDF", "asymmetric", slots, rank=1, asymmetric_quantize_inputs=True)


def cases():
    for part in (full_lstm, basic_lstm, bidirectional_lstm, rnn, svdf):
        yield from part()
