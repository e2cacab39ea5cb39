"""Reductions, indices of extrema, sums along an axis, normalization, softmax."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import plain, plain_input, plain_y, x, y

# name: shape, axes, keep_dims
AXES = {
    "rank3_middle": ((2, 5, 3), [1], False), "rank4_negative_two": ((2, 3, 4, 2), [-1, -3], False), "rank4_middle_keep": ((2, 3, 4, 2), [1, 2], True),
    "rank5_outer": ((2, 2, 3, 1, 2), [0, 4], False), "rank2_all_keep": ((3, 5), [0, 1], True), "rank1": ((7,), [0], False), "rank6_every_other": ((1, 2, 2, 1, 3, 2), [1, 3, 5], True),
}
FEW = ("rank3_middle", "rank4_middle_keep", "rank2_all_keep")


def reductions():
    schemes = {"MEAN": "float int8 uint8 int16", "SUM": "float int8 uint8 int16", "REDUCE_PROD": "float int8 int16", "REDUCE_MAX": "float int8 uint8 int16", "REDUCE_MIN": "float int8 uint8 int16"}
    for op, types in schemes.items():
        selects = op in ("REDUCE_MAX", "REDUCE_MIN")
        low, high = (0.3, 1.4) if op == "REDUCE_PROD" else (-3, 2)
        resolver = "optimized" if op == "SUM" else "reference"
        for name, (shape, axes, keep) in AXES.items():
            for scheme in types.split() if name in FEW else types.split()[:2]:
                ours = "reference" if scheme == "float" else resolver
                yield from each(scheme, op, name, [x(*shape, low=low, high=high), plain(axes)], moves=selects, resolver=ours, keep_dims=keep)
        for type in ("int32", "int64"):
            yield from each("float", op, type, [plain_input(type, 3, 4, low=-4, high=5), plain([0])], [plain_y(type)], keep_dims=False)
        yield from each("float", op, "no_axes", [x(2, 3), plain(np.zeros(0, np.int32))], keep_dims=False)
        yield from each("float", op, "rank0_axis", [x(4, 3), plain(-2)], keep_dims=False)
        yield from each("float", op, "i64_values_axis", [x(4, 3), plain_input("int32", records=[np.array([0]), np.array([1])])], keep_dims=True)
    for op in ("MEAN", "SUM"):
        source = x(2, 4, 3, 2)
        yield from each("int8 uint8 int16", op, "same_parameters", [source, plain([1, 2])], [y(like=source)], resolver="optimized" if op == "SUM" else "reference", keep_dims=False)
    yield from each("float", "REDUCE_MAX", "specials", [x(values=[[np.nan, 1, -np.inf], [np.inf, 2, -np.inf]]), plain([1])], keep_dims=False)
    for op in ("REDUCE_ANY", "REDUCE_ALL"):
        for name in ("rank3_middle", "rank5_outer", "rank2_all_keep", "rank1"):
            shape, axes, keep = AXES[name]
            yield from each("float", op, name, [plain_input("bool", *shape), plain(axes)], [plain_y("bool")], keep_dims=keep)


def extrema():
    for op in ("ARG_MAX", "ARG_MIN"):
        for axis in (0, 1, -1, -2):
            yield from each("float int8 uint8" if axis == 1 else "float", op, f"axis{axis}", [x(3, 4, 5), plain(axis)], [plain_y("int32")], output_type=2)
        yield from each("float int8", op, "i64", [x(2, 7), plain([1], "int64")], [plain_y("int64")], output_type=4)
        yield from each("float", op, "rank1", [x(9), plain(0)], [plain_y("int32")], output_type=2)
        yield from each("float", op, "last_ties", [x(values=[[1, 3, 3, 1], [0, -0.0, 0, -1]]), plain(1)], [plain_y("int32")], output_type=2)
        for type in ("int8", "uint8", "int32", "bool"):
            yield from each("float", op, f"of_{type}", [plain_input(type, 3, 6, high=3), plain(1)], [plain_y("int32")], output_type=2)
    for k in (1, 3, 5):
        source = x(2, 3, 5)
        yield from each("float int8 uint8", "TOPK_V2", f"k{k}", [source, plain(k)], [y(like=source), plain_y("int32")], moves=True)
    for type in ("int8", "uint8", "int16", "int32", "int64"):
        yield from each("float", "TOPK_V2", f"of_{type}", [plain_input(type, 3, 6, high=4), plain(4)], [plain_y(type), plain_y("int32")])
    yield from each("float", "TOPK_V2", "k_input", [x(4, 6), plain_input("int32", records=[np.array(2), np.array(5)])], [y(), plain_y("int32")])


def along_axis():
    for name, axis, exclusive, reverse in (("rank3_middle", 1, False, False), ("first_exclusive", 0, True, False), ("last_reverse", -1, False, True), ("negative_both", -2, True, True)):
        yield from each("float", "CUMSUM", name, [x(3, 4, 5), plain(axis)], exclusive=exclusive, reverse=reverse)
        for type in ("int32", "int64"):
            yield from each("float", "CUMSUM", f"{name}_{type}", [plain_input(type, 4, 3, low=-9), plain(max(axis, -2) % 2)], [plain_y(type)], exclusive=exclusive, reverse=reverse)
    fixed = {"int8": y(scale=np.float32(1 / 256), zero=-128), "uint8": y(scale=np.float32(1 / 256), zero=0), "int16": y(scale=np.float32(1 / 32768), zero=0), "float": y()}
    shapes = {"rank1": (9,), "rank2": (3, 5), "rank3": (2, 3, 7), "rank4": (2, 1, 3, 4)}
    for scheme, out in fixed.items():
        for name, shape in shapes.items():
            if (scheme, name) == ("int16", "rank1"):
                continue
            yield from each(scheme, "SOFTMAX", f"{name}_beta1.5", [x(*shape, low=-6, high=5)], [out], beta=1.5)
        yield from each(scheme, "SOFTMAX", "peaked", [x(2, 12, low=-40, high=30)], [out], beta=1.0)
        yield from each(scheme, "SOFTMAX", "flat", [x(2, 30, low=-0.1, high=0.1)], [out], beta=0.1)
    yield from each("int8", "SOFTMAX", "to_int16", [x(3, 6)], [y(type="int16", scale=np.float32(1 / 32768), zero=0)], beta=1.0)
    yield from each("float", "SOFTMAX", "specials", [x(values=[[np.inf, 0, 1], [-np.inf, 0, 1], [np.nan, 0, 1]])], beta=1.0)
    logs = {"float": y(), "int8": y(scale=np.float32(16 / 256), zero=127), "uint8": y(scale=np.float32(16 / 256), zero=255)}
    for scheme, out in logs.items():
        for name, shape in shapes.items():
            yield from each(scheme, "LOG_SOFTMAX", name, [x(*shape, low=-6, high=5)], [out])
        yield from each(scheme, "LOG_SOFTMAX", "peaked", [x(2, 12, low=-40, high=30)], [out])
    norms = {"float": y(), "int8": y(scale=np.float32(1 / 128), zero=0), "uint8": y(scale=np.float32(1 / 128), zero=128)}
    for scheme, out in norms.items():
        for name, shape in (("rank2", (3, 5)), ("rank3", (2, 3, 4)), ("rank4", (1, 2, 3, 6))):
            yield from each(scheme, "L2_NORMALIZATION", name, [x(*shape, low=-2, high=5)], [out])
        yield from each(scheme, "L2_NORMALIZATION", "zero_row", [x(values=[[0, 0, 0], [1, -2, 2]])], [out])
    for radius, (bias, alpha, beta) in ((1, (1.0, 0.5, 0.5)), (2, (2.0, 0.1, 0.75)), (4, (0.5, 1.0, 1.0))):
        yield from each("float", "LOCAL_RESPONSE_NORMALIZATION", f"radius{radius}_of_6", [x(2, 2, 3, 6)], resolver="optimized", radius=radius, bias=bias, alpha=alpha, beta=beta)


def chains():
    graph = Graph()
    source = x(2, 3, 4)
    total = graph.op("REDUCE_MAX", [source, plain([1])], y(like=source), keep_dims=True)
    graph.outputs = [graph.op("SUB", [source, total], y(), pot_scale_int16=False)]
    yield graph_case("REDUCE_MAX+SUB", "centred", graph, "int8")


def cases():
    for part in (reductions, extrema, along_axis, chains):
        yield from part()
