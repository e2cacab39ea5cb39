"""Operators on one tensor, element by element."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import plain_input, plain_y, x, y

QUANTIZED = "float int8 uint8 int16"
NAN_AND_INFINITY = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 3.4e38, -3.4e38, 1e-40], np.float32)
SHAPES = {"rank2": (3, 7), "rank3": (2, 1, 9), "rank6": (1, 2, 1, 3, 2, 2)}
SPECIAL = "ABS NEG FLOOR CEIL ROUND SQRT RSQRT LOG EXP SIN COS TANH LOGISTIC RELU RELU6 RELU_N1_TO_1 RELU_0_TO_1 SQUARE SIGN ELU HARD_SWISH GELU".split()


def shapes(schemes, op, low=-3.0, high=3.0, out=None, **options):
    for name, shape in SHAPES.items():
        yield from each(schemes if name == "rank2" else schemes.split()[0], op, name, [x(*shape, low=low, high=high)], out, **options)


def floats():
    yield from shapes("float int8 int16", "ABS")
    yield from shapes("float int8 int16", "NEG", out=[y(like=None)])
    for op in ("FLOOR", "CEIL", "SIN", "COS", "SQUARE", "SIGN"):
        yield from shapes("float", op, -30, 30)
    yield from shapes("float", "ROUND", -4, 4)
    yield from each("float", "ROUND", "halves", [x(values=np.arange(-6, 7) / 2)])
    yield from shapes("float int8 int16", "SQRT", 0, 40)
    yield from shapes("float int8 int16", "RSQRT", 0.05, 9)
    yield from shapes("float int8 int16", "LOG", 0.1, 12)
    yield from shapes("float int8 int16", "EXP", -6, 1.5)
    for op in SPECIAL:
        yield from each("float", op, "special", [x(values=NAN_AND_INFINITY)])
        yield from each("float", op, "no_elements", [x(2, 0, 3)])
    yield from each("float", "LOG", "scalar", [x(low=1)])


def activations():
    for op in ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1"):
        yield from shapes(QUANTIZED if op in ("RELU", "RELU6") else "float int8 uint8", op, -2, 8)
        yield from each("int8 uint8", op, "narrow", [x(5, 5, low=-1, high=7)], [y(spans=(-0.5, 0.7))])
        yield from each("int8 uint8", op, "wide", [x(5, 5, low=-1, high=7)], [y(spans=(-9, 12))])
    for op in ("TANH", "LOGISTIC"):
        low, high = (-1, 1) if op == "TANH" else (0, 1)
        fixed = {
            "float": y(), "int8": y(scale=np.float32((high - low) / 256), zero=0 if low else -128),
            "uint8": y(scale=np.float32((high - low) / 256), zero=128 if low else 0), "int16": y(scale=np.float32(1 / 32768), zero=0),
        }
        for scheme, out in fixed.items():
            yield from each(scheme, op, "rank2", [x(3, 11, low=-4, high=4)], [out])
            yield from each(scheme, op, "steep", [x(2, 50, low=-12, high=12)], [out])
            yield from each(scheme, op, "one_sided", [x(40, low=0.5, high=5)], [out])
        yield from each("int16", op, "pot", [x(64, low=-7, high=7, pot=True)], [fixed["int16"]])
        yield from each("int16", op, "small_range", [x(64, low=-0.3, high=0.2)], [fixed["int16"]])
    yield from shapes("float int8", "ELU", -4, 3)
    yield from shapes("float int8 uint8", "HARD_SWISH", -5, 5)
    yield from each("int8 uint8", "HARD_SWISH", "wide", [x(60, low=-11, high=9)])
    yield from each("int8 uint8", "HARD_SWISH", "clipped", [x(60, low=-5, high=5)], [y(spans=(-0.3, 2.5))])
    for approximate in (False, True):
        name = "tanh" if approximate else "erf"
        yield from each("float int8", "GELU", f"{name}_rank3", [x(2, 3, 5, low=-4, high=4)], approximate=approximate)
        yield from each("float int8", "GELU", f"{name}_wide", [x(70, low=-9, high=12)], approximate=approximate)
    for alpha in (0.0, 0.25, 1.0, -1.5, 3.0):
        yield from each(QUANTIZED, "LEAKY_RELU", f"alpha{alpha}", [x(4, 9, low=-3, high=2)], alpha=alpha)
    yield from each("int8 uint8 int16", "LEAKY_RELU", "clipped", [x(4, 9, low=-3, high=2)], [y(spans=(-0.2, 1.0))], alpha=0.3)


def integers():
    for op, types in {"ABS": "int32", "NEG": "int8 int32 int64", "SQUARE": "", "SIGN": "int32"}.items():
        for type in types.split():
            low = -128 if type == "int8" else -1000
            yield from each("float", op, type, [plain_input(type, 3, 5, low=low, high=127 if type == "int8" else 1000)], [plain_y(type)])
    for op in ("LOGICAL_NOT",):
        yield from each("float", op, "rank3", [plain_input("bool", 2, 3, 4)], [plain_y("bool")])
        yield from each("float", op, "rank0", [plain_input("bool")], [plain_y("bool")])
        yield from each("float", op, "no_elements", [plain_input("bool", 0, 4)], [plain_y("bool")])
    for type in ("float32", "int32", "int64"):
        yield from each("float", "ZEROS_LIKE", type, [plain_input(type, 2, 5, low=-9)], [plain_y(type)])


def chains():
    graph = Graph()
    middle = graph.op("ABS", [x(4, 6, low=-2, high=5)], y())
    graph.outputs = [graph.op("SQRT", [middle], y()), graph.op("ELU", [middle], y())]
    yield graph_case("ABS+SQRT+ELU", "chain", graph, "int8")


def cases():
    for part in (floats, activations, integers, chains):
        yield from part()
