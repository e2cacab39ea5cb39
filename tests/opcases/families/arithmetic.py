"""Operators on two tensors: arithmetic, comparison, logic."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import const, plain, plain_input, plain_y, x, y

# What is broadcast with what.
BROADCASTS = {
    "both": ((2, 1, 4), (3, 1)), "middle": ((2, 3, 4), (2, 1, 4)), "rank1": ((5,), (1,)), "rank4": ((2, 3, 1, 4), (1, 1, 5, 4)),
    "left_rank": ((4,), (2, 3, 4)), "rank0": ((), ()), "rank5": ((2, 1, 2, 1, 3), (1, 3, 1, 2, 3)), "rank6": ((1, 2, 1, 2, 1, 3), (2, 1, 3, 1, 2, 1)),
}
FOUR = ("ADD", "SUB", "MUL", "DIV")
ACTIVATIONS = {"relu": 1, "relu_n1_to_1": 2, "relu6": 3}


def pairs(schemes, op, names, low=(-3, -3), high=(3, 3), out=None, **more):
    for name in names.split():
        a, b = BROADCASTS[name]
        yield from each(schemes, op, name, [x(*a, low=low[0], high=high[0]), x(*b, low=low[1], high=high[1])], out, **more)


def four():
    for op in FOUR:
        divides = op == "DIV"
        low, high = ((-3, 0.5), (3, 4)) if divides else ((-3, -2), (3, 5))
        more = {"pot_scale_int16": False} if op in ("ADD", "SUB") else {}
        schemes = "float int8 uint8" if divides else "float int8 uint8 int16"
        yield from pairs(schemes, op, "both rank4", low, high, **more)
        yield from pairs("float int8", op, "middle rank1 left_rank rank5", low, high, **more)
        yield from pairs("float", op, "rank0 rank6", low, high, **more)
        for name, code in ACTIVATIONS.items():
            yield from each(schemes, op, name, [x(4, 5, low=low[0], high=high[0]), x(4, 5, low=low[1], high=high[1])], fused_activation_function=code, **more)
        for name, (a, b) in {"const_matrix": ((3, 4), (3, 4)), "const_column": ((3, 4), (3, 1))}.items():
            yield from each(schemes, op, name, [x(*a, low=low[0], high=high[0]), const(shape=b, low=low[1], high=high[1])], **more)
        yield from each("int8", op, "clipped", [x(40, low=low[0], high=high[0]), x(40, low=low[1], high=high[1])], [y(spans=(-0.7, 1.9))], **more)
        yield from each("float", op, "no_elements", [x(2, 0), x(1, 1, low=1)], **more)
        for type in ("int32",) if divides else ("int32", "int64"):
            yield from each("float", op, type, [plain_input(type, 2, 3, low=-90, high=90), plain_input(type, 3, low=1, high=9)], [plain_y(type)], **more)


def more_four():
    for name, code in ACTIVATIONS.items():
        yield from each("float", "SUB", f"i32_{name}", [plain_input("int32", 4, 4, low=-9, high=9), plain_input("int32", 4, low=-9, high=9)], [plain_y("int32")], fused_activation_function=code)
        yield from each("float", "MUL", f"i32_{name}", [plain_input("int32", 4, 4, low=-9, high=9), plain_input("int32", 4, low=-9, high=9)], [plain_y("int32")], fused_activation_function=code)
    zeros = np.array([1, -1, 0, 5, 0, -2], np.float32)
    yield from each("float", "DIV", "by_zero", [x(values=zeros), x(values=[0, 0, 0, 2, -4, np.inf])])
    yield from each("float", "DIV", "by_zero_relu6", [x(values=zeros), x(values=[0, 0, 0, 2, -4, np.inf])], fused_activation_function=3)
    for op in ("ADD", "SUB"):
        for name, second in {"narrow": 0.02, "wide": 90.0}.items():
            yield from each("int8 uint8 int16", op, f"scales_{name}", [x(6, 7), x(6, 7, low=-second, high=second)], pot_scale_int16=False)
        yield from each("int16", op, "pot", [x(30, pot=True), x(30, low=-0.4, high=0.4, pot=True)], [y(scale=np.float32(2**-13), zero=0)], pot_scale_int16=True)
    same = x(5, 5)
    yield from each("float int8", "ADD", "with_itself", [same, same])
    yield from each("float int8 int16", "MUL", "squared", [same, same])
    for count in (2, 5):
        yield from each("float", "ADD_N", f"n{count}", [x(2, 5) for _ in range(count)])
    yield from each("float", "ADD_N", "i32", [plain_input("int32", 7, low=-9) for _ in range(3)], [plain_y("int32")])


def binary():
    for op in ("MINIMUM", "MAXIMUM"):
        yield from pairs("float int8 uint8 int16", op, "both rank4", out=None)
        yield from pairs("float int8", op, "rank1 left_rank rank5")
        yield from pairs("float", op, "rank0 rank6")
        first = x(3, 5)
        yield from each("int8 uint8 int16", op, "same_parameters", [first, x(3, 5, like=first)], [y(like=first)], moves=True)
        for type in ("int32", "int64"):
            yield from each("float", op, type, [plain_input(type, 4, 3, low=-9), plain_input(type, 4, 1, low=-9)], [plain_y(type)])
    yield from pairs("float int8", "SQUARED_DIFFERENCE", "both middle rank1 rank4 left_rank rank5")
    yield from each("float", "SQUARED_DIFFERENCE", "i32", [plain_input("int32", 4, 3, low=-9), plain_input("int32", 3, low=-9)], [plain_y("int32")])
    yield from pairs("float", "POW", "middle rank1 rank4 left_rank rank0", (0.1, -2), (4, 3))
    yield from each("float", "POW", "negative_base", [x(values=[-2, -2, -1.5, 0, 0, np.inf]), x(values=[3, 0.5, -2, 0, -1, -1])])
    yield from each("float", "POW", "i32", [plain_input("int32", 3, 4, low=-5, high=5), plain_input("int32", 4, high=4)], [plain_y("int32")])
    for op in ("FLOOR_DIV", "FLOOR_MOD"):
        yield from pairs("float", op, "both middle rank4 rank1 rank5", (-9, 0.5), (9, 3))
        yield from each("float", op, "signs", [x(values=[7, -7, 7, -7, 6, -6]), x(values=[3, 3, -3, -3, 3, -3])])
        for type in "int8 int16 int32 int64".split():
            if (op, type) == ("FLOOR_DIV", "int64"):
                continue
            divisor = plain([3, -3, 7, -1, 2], type)
            yield from each("float", op, type, [plain_input(type, 4, 5, low=-50, high=50), divisor], [plain_y(type)])
    yield from each("float", "ATAN2", "axes", [x(values=[0, 0, 1, -1, -0.0, 2, -3]), x(values=[1, -1, 0, 0, -1, np.inf, -np.inf])])
    yield from each("float", "ATAN2", "rank5", [x(2, 1, 3, 1, 2), x(2, 1, 3, 1, 2)])
    for op, types in {"RIGHT_SHIFT": "int8 uint8 int16 int32", "BITWISE_XOR": "int8 uint8 int16 int32"}.items():
        for type in types.split():
            low = 0 if type[0] == "u" else -100
            second = plain_input(type, 4, 5, high=7) if op == "RIGHT_SHIFT" else plain_input(type, 4, 5, low=low, high=100)
            yield from each("float", op, type, [plain_input(type, 4, 5, low=low, high=100), second], [plain_y(type)])
            yield from each("float", op, f"{type}_row", [plain_input(type, 4, 5, low=low, high=100), plain([1, 2, 3, 0, 6], type)], [plain_y(type)])


def comparisons():
    for op in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
        coarse = dict(low=-1, high=1)
        for name in ("both", "rank1", "rank4", "left_rank", "rank0"):
            a, b = BROADCASTS[name]
            yield from each("float int8" if name == "rank4" else "float", op, name, [x(*a, **coarse), x(*b, **coarse)], [plain_y("bool")])
        yield from each("float", op, "ties", [x(values=[0, -0.0, np.nan, 1, np.inf, 2]), x(values=[-0.0, 0, np.nan, 1, np.inf, np.nan])], [plain_y("bool")])
        values = [-1.0, -0.5, 0.0, 0.5, 1.0, 0.25]
        first = x(values=values)
        yield from each("int8 uint8", op, "equal_parameters", [first, x(values=values[::-1], like=first)], [plain_y("bool")])
        yield from each("uint8", op, "other_parameters", [x(3, 9, low=-1, high=1), x(9, low=-2, high=5)], [plain_y("bool")])
        for type in ("int32", "int64"):
            yield from each("float", op, type, [plain_input(type, 4, 6, high=3), plain_input(type, 6, high=3)], [plain_y("bool")])
        yield from each("float", op, "no_elements", [x(0, 3), x(3)], [plain_y("bool")])
    for op in ("EQUAL", "NOT_EQUAL"):
        yield from each("float", op, "bool_row", [plain_input("bool", 3, 4), plain_input("bool", 4)], [plain_y("bool")])
        words = plain_input("string", 2, 2, records=[np.array([[b"a", b"bc"], [b"", b"d"]], object), np.array([[b"bc", b"x"], [b"abc", b""]], object)])
        yield from each("float", op, "strings", [words, plain(np.array([b"a", b""], object), "string")], [plain_y("bool")])
    for op in ("LOGICAL_AND", "LOGICAL_OR"):
        for name in ("middle", "rank4", "left_rank", "rank0"):
            a, b = BROADCASTS[name]
            yield from each("float", op, name, [plain_input("bool", *a), plain_input("bool", *b)], [plain_y("bool")])


def chains():
    for scheme in ("int8", "int16"):
        graph = Graph()
        source = x(2, 4, 4)
        middle = graph.op("ADD", [source, x(4, low=-1, high=1)], y(), pot_scale_int16=False)
        graph.outputs = [graph.op("MUL", [middle, source], y()), graph.op("MAXIMUM", [middle, source], y())]
        yield graph_case("ADD+MUL+MAXIMUM", "chain", graph, scheme)


def cases():
    for part in (four, more_four, binary, comparisons, chains):
        yield from part()
