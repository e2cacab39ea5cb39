"""QUANTIZE, DEQUANTIZE, CAST, BITCAST, FAKE_QUANT, resizing, PRELU, selection."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import Tensor, const, plain, plain_input, plain_y, x, y

QUANTIZED = ("int8", "uint8", "int16")


def quantizing():
    for target in QUANTIZED:
        yield from each("hybrid", "QUANTIZE", f"f32_to_{target}", [x(4, 9)], [y(type=target, spans=(-2, 2.5))])
        yield from each(
            "hybrid",
            "QUANTIZE",
            f"f32_to_{target}_ties",
            [x(values=np.arange(-12, 13) / 8)],
            [y(type=target, scale=np.float32(0.25), zero=0 if target != "uint8" else 128)],
        )
        for source in QUANTIZED:
            if (source, target) == ("int16", "uint8"):
                continue  # refused
            yield from each(
                "int8",
                "QUANTIZE",
                f"{source}_to_{target}_finer",
                [x(3, 20, type=source, low=-1, high=5)],
                [y(type=target, spans=(-0.5, 2))],
            )
            yield from each(
                "int8",
                "QUANTIZE",
                f"{source}_to_{target}_coarser",
                [x(3, 20, type=source, low=-1, high=5)],
                [y(type=target, spans=(-20, 9))],
            )
        yield from each("int8", "DEQUANTIZE", f"{target}_rank3", [x(2, 3, 4, type=target, low=-1, high=4)], [plain_y("float32")])
        yield from each("int8", "DEQUANTIZE", f"{target}_rank0", [x(type=target, low=-1, high=4)], [plain_y("float32")])
    for axis, shape in ((0, (3, 4)), (2, (2, 3, 4))):
        scale = np.float32([0.01, 0.05, 0.02, 0.3][: shape[axis]])
        graph = Graph()
        middle = graph.op("QUANTIZE", [x(*shape)], y(type="int8", scale=scale, zero=np.zeros(scale.shape, np.int64), axis=axis))
        graph.outputs = [middle]
        yield graph_case("QUANTIZE", f"per_channel_axis{axis}_of_{len(shape)}", graph, "hybrid")
    yield from dequantized_constants()


def dequantized_constants():
    for type, axis in (("int8", None), ("int8", 1), ("uint8", None), ("int16", None), ("int4", None), ("int4", 1), ("float16", None)):
        graph = Graph()
        scale = np.float32([0.1, 0.02, 0.3]) if axis is not None else np.float32(0.1)
        zero = np.zeros(3, np.int64) if axis is not None else 3 if type in ("uint8", "int8") else 0
        stored = dict(scale=scale, zero=zero, axis=axis) if type != "float16" else {}
        weights = Tensor("const", (5, 3), use="activation" if stored else "plain", type=type, low=-0.7, high=0.7, **stored)
        middle = graph.op("DEQUANTIZE", [weights], plain_y("float32"))
        graph.outputs = [graph.op("ADD", [x(2, 5, 3), middle], plain_y("float32"))]
        yield graph_case(
            "DEQUANTIZE", f"const_{type}" + ("_per_channel" if axis is not None else ""), graph, "hybrid" if stored else "float"
        )


def islands():
    for scheme in QUANTIZED:
        graph = Graph()
        floats = graph.op("DEQUANTIZE", [x(3, 5)], plain_y("float32"))
        graph.outputs = [graph.op("QUANTIZE", [graph.op("COS", [floats], plain_y("float32"))], y(spans=(-1, 1)))]
        yield graph_case("DEQUANTIZE+QUANTIZE", "island", graph, scheme)


def casting():
    ranges = {
        "bool": (0, 1),
        "int8": (-128, 127),
        "uint8": (0, 255),
        "int16": (-3000, 3000),
        "int32": (-100000, 100000),
        "int64": (-(2**40), 2**40),
        "float32": (-120, 120),
    }
    codes = {
        "float32": 0,
        "int32": 2,
        "uint8": 3,
        "int64": 4,
        "bool": 6,
        "int16": 7,
        "int8": 9,
        "float64": 10,
        "float16": 1,
        "uint16": 16,
        "uint32": 15,
        "uint64": 12,
    }

    def source(type, low, high):
        return plain_input(type, 3, 7, low=low, high=high)

    for first, (low, high) in ranges.items():
        for second in ranges:
            if first == second:
                continue
            # floats beyond the target's range are undefined
            if first == "float32" and second in ("uint8", "int8", "bool"):
                low, high = (0, 120)
            yield from each(
                "float",
                "CAST",
                f"{first}_to_{second}",
                [source(first, low, high)],
                [plain_y(second)],
                in_data_type=codes[first],
                out_data_type=codes[second],
            )
    for middle in ("float16", "float64", "uint16", "uint32"):
        low = -50 if middle.startswith("float") else 0
        graph = Graph()
        there = graph.op("CAST", [x(5, 3, low=low, high=70)], plain_y(middle), in_data_type=0, out_data_type=codes[middle])
        graph.outputs = [graph.op("CAST", [there], plain_y("float32"), in_data_type=codes[middle], out_data_type=0)]
        yield graph_case("CAST", f"by_{middle}", graph)
    for first, second, shape in (
        ("int32", "float32", (2, 3)),
        ("int64", "int32", (2, 2)),
        ("int8", "int32", (3, 4)),
        ("int32", "int16", (2,)),
        ("float32", "uint8", (2, 2)),
        ("uint8", "int8", (5,)),
    ):
        values = plain_input(first, *shape, low=0 if first[0] == "u" else -100, high=100)
        yield from each("float", "BITCAST", f"{first}_to_{second}", [values], [plain_y(second)])


def fake_quantization():
    for name, low, high, bits, narrow in (
        ("8", -1, 1, 8, False),
        ("8_uneven", -0.5, 2.5, 8, False),
        ("4", -3, 1, 4, False),
        ("16", -6, 6, 16, False),
        ("positive", 0, 6, 8, False),
        ("above_zero", 1, 6, 8, False),
        ("below_zero", -6, -1, 8, False),
    ):
        yield from each("float", "FAKE_QUANT", name, [x(5, 9)], min=float(low), max=float(high), num_bits=bits, narrow_range=narrow)


def resizing():
    sizes = {
        "up": ((1, 3, 4, 2), (7, 5)),
        "down": ((2, 7, 6, 1), (3, 4)),
        "mixed": ((1, 2, 5, 3), (5, 2)),
        "to_one": ((1, 4, 3, 2), (1, 1)),
        "from_one": ((2, 1, 1, 3), (3, 2)),
        "double": ((1, 3, 3, 2), (6, 6)),
    }
    for op in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        for name, (shape, size) in sizes.items():
            corners = {"": {}, "_align": {"align_corners": True}, "_half": {"half_pixel_centers": True}}
            if op != "RESIZE_BILINEAR":
                corners["_both"] = {"align_corners": True, "half_pixel_centers": True}
            for corner, options in corners.items():
                few = name not in ("up", "down")
                source = x(*shape)
                yield from each(
                    "float int8" if few else "float int8 uint8 int16",
                    op,
                    name + corner,
                    [source, plain(size)],
                    [y(like=source)],
                    moves=op != "RESIZE_BILINEAR",
                    **options,
                )
        yield from each("float", op, "size_input", [x(1, 3, 2, 2), plain_input("int32", records=[np.array([4, 3]), np.array([2, 5])])])


def selecting():
    for name, shape, alpha in (
        ("row", (2, 3, 4), (4,)),
        ("per_channel", (2, 3, 3, 4), (1, 1, 4)),
        ("rank1", (5,), (1,)),
        ("whole", (3, 4), (3, 4)),
    ):
        yield from each("float int8 uint8", "PRELU", name, [x(*shape), const(shape=alpha, low=-0.5, high=1.5)])
    yield from each("int8", "PRELU", "clipped", [x(3, 8), const(shape=(8,), low=-0.5, high=1.5)], [y(spans=(-0.4, 1))])
    for name, condition, a, b in (
        ("same", (3, 4)) * 1 + ((3, 4), (3, 4)),
        ("rows", (3,), (3, 2, 2), (3, 2, 2)),
        ("rank0", (), (2, 3), (2, 3)),
    ):
        first = x(*a)
        yield from each("float int8 uint8 int16", "SELECT", name, [plain_input("bool", *condition), first, x(*b, like=first)], moves=True)
    for name, condition, a, b in (
        ("all_broadcast", (3, 1, 1), (1, 4, 1), (5,)),
        ("condition_rank0", (), (2, 3), (3,)),
        ("rank4", (2, 1, 3, 1), (1, 2, 1, 4), (2, 2, 3, 4)),
        ("values_rank0", (4,), (), ()),
    ):
        first = x(*a)
        yield from each(
            "float int8 uint8 int16" if name == "rank4" else "float int8",
            "SELECT_V2",
            name,
            [plain_input("bool", *condition), first, x(*b, like=first)],
            moves=True,
        )
    for op in ("SELECT", "SELECT_V2"):
        for type in ("bool", "int8", "uint8", "int16", "int32", "int64"):
            yield from each(
                "float", op, f"of_{type}", [plain_input("bool", 2, 5), plain_input(type, 2, 5), plain_input(type, 2, 5)], [plain_y(type)]
            )


def cases():
    for part in (quantizing, islands, casting, fake_quantization, resizing, selecting):
        yield from part()
