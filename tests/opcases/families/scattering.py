"""Segments, scattering, one-hot, unique, where, shapes and made-up tensors."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.sparse import sparse_const
from generator.tensors import const, plain, plain_input, plain_y, weights, x, y

INTEGERS = ("int32", "int64")


def segments():
    for shape in ((6,), (6, 3), (6, 2, 2)):
        yield from each("float", "SEGMENT_SUM", f"rank{len(shape)}", [x(*shape), plain([0, 0, 1, 2, 2, 2])])
    yield from each("float", "SEGMENT_SUM", "i32", [plain_input("int32", 4, 2, low=-9), plain([0, 1, 1, 2])], [plain_y("int32")])
    for kind in ("SUM", "PROD", "MAX", "MIN"):
        op = f"UNSORTED_SEGMENT_{kind}"
        yield from each("float", op, "rank1", [x(6), plain([3, 0, 3, 1, 0, 0]), plain(4)])
        yield from each("float", op, "rank3_negative_ids", [x(5, 2, 2), plain([1, -1, 0, 1, -1]), plain(2)])
        yield from each("float", op, "ids_rank3", [x(2, 2, 2, 3), plain([[[0, 3], [1, 0]], [[3, 3], [0, 1]]]), plain(4)])
        for type in ("int32",):
            yield from each("float", op, f"empty_{type}", [plain_input(type, 4, 2, low=-9), plain([3, 0, 3, 0]), plain(5)], [plain_y(type)])
        yield from each("float", op, "ids_input", [x(5, 2), plain_input("int32", 5, high=3), plain(4)])


def scattering():
    yield from each("float", "SCATTER_ND", "rank1", [plain([[4], [1], [6]]), x(3), plain([8])])
    yield from each("float", "SCATTER_ND", "elements_of_rank3", [plain([[0, 1, 1], [1, 0, 0]]), x(2), plain([2, 2, 2])])
    yield from each("float", "SCATTER_ND", "slices_repeated", [plain([[[0], [2]], [[2], [0]]]), x(2, 2, 3), plain([4, 3])])
    for type in ("int8", "uint8", *INTEGERS, "bool"):
        yield from each("float", "SCATTER_ND", f"of_{type}", [plain([[1], [3]]), plain_input(type, 2, 2, high=1 if type == "bool" else 9), plain([5, 2])], [plain_y(type)])
    yield from each("float", "SCATTER_ND", "shape_input", [plain([[1], [0]]), x(2), plain_input("int32", records=[np.array([3]), np.array([5])])])
    yield from each("float", "SPARSE_TO_DENSE", "rank2", [plain([[0, 1], [2, 0], [2, 3]]), plain([3, 4]), x(3), const(0.5)])
    yield from each("float", "SPARSE_TO_DENSE", "one_value", [plain([1, 4]), plain([6]), x(), const(-1.0)])
    for type in ("int8", "uint8", *INTEGERS):
        yield from each("float", "SPARSE_TO_DENSE", f"of_{type}", [plain([[1, 1], [2, 0]], "int64"), plain([3, 2], "int64"), plain_input(type, 2), plain(7, type)], [plain_y(type)])
    for axis in (0, 1, -1):
        yield from each("float", "ONE_HOT", f"axis{axis}", [plain_input("int32", 2, 3, low=-1, high=4), plain(4), plain(2.5, "float32"), plain(-1, "float32")], axis=axis)
    for type in ("int8", "uint8", "bool", *INTEGERS):
        yield from each("float", "ONE_HOT", f"of_{type}", [plain_input("int64", 4, high=5), plain(5), plain(1, type), plain(0, type)], [plain_y(type)], axis=-1)
    yield from each("float", "ONE_HOT", "rank0", [plain_input("int32", high=3), plain(4), plain(1, "float32"), plain(0, "float32")], axis=-1)
    yield from each("float", "ONE_HOT", "depth_input", [plain_input("int32", 3, high=3), plain_input("int32", records=[np.array(2), np.array(5)]), plain(1, "float32"), plain(0, "float32")], axis=0)


def value_dependent():
    for type in ("float32", "int8", "uint8", "int16", *INTEGERS):
        for code, index in ((2, "int32"), (4, "int64")):
            if index == "int64" and type not in ("float32", "int32"):
                continue
            yield from each("float", "UNIQUE", f"{type}_{index}", [plain_input(type, 12, high=5)], [plain_y(type), plain_y(index)], idx_out_type=code)
    for type in ("float32", "bool", "int8", "uint8", "int32", "uint32", "int64"):
        source = plain_input(type, 3, 4, high=1)
        if type == "float32":
            source = x(records=[np.float32([[0, 1, -0.0], [2, 0, np.nan]]), np.zeros((2, 3), np.float32)])
        yield from each("float", "WHERE", f"of_{type}", [source], [plain_y("int64")])
    for shape in ((7,), (2, 2, 3), (2, 1, 3, 2)):
        yield from each("float", "WHERE", f"rank{len(shape)}", [plain_input("bool", *shape)], [plain_y("int64")])
    graph = Graph()
    found = graph.op("WHERE", [plain_input("bool", 5)], plain_y("int64"))
    rows = graph.op("GATHER_ND", [x(5, 3), found], y())
    graph.outputs = [graph.op("MUL", [rows, const(2.0)], y()), graph.op("SHAPE", [rows], plain_y("int32"), out_type=2)]
    yield graph_case("WHERE+GATHER_ND+SHAPE", "then_more", graph)
    graph = Graph()
    values = graph.op("UNIQUE", [plain_input("int32", 9, high=4)], [plain_y("int32"), plain_y("int32")], idx_out_type=2)
    floats = graph.op("CAST", [values], plain_y("float32"), in_data_type=2, out_data_type=0)
    graph.outputs = [graph.op("SUM", [floats, plain([0])], y(), keep_dims=True), graph.op("CONCATENATION", [floats, floats], y(), axis=0)]
    yield graph_case("UNIQUE+CAST+SUM+CONCATENATION", "then_more", graph)


def made_up():
    for type in ("int32", "int64", "float32"):
        limits = [plain(v, type) for v in (2, 11, 3)]
        graph = Graph()
        made = graph.op("RANGE", limits, plain_y(type))
        graph.outputs = [graph.op("ADD", [plain_input(type, 2, 3), made], plain_y(type))]
        yield graph_case("RANGE", f"const_{type}", graph)
        values = [plain_input(type, records=[np.array(a), np.array(b)]) for a, b in ((0, 9), (5, -2), (2, -3))]
        yield from each("float", "RANGE", f"input_{type}", values, [plain_y(type)])
    for type, value in (("float32", 1.5), ("int32", -3), ("int64", 7), ("bool", True), ("int8", -5), ("int16", 300)):
        yield from each("float", "FILL", f"dims_input_{type}", [plain_input("int32", records=[np.array([2, 3]), np.array([4, 1])]), plain(value, type)], [plain_y(type)])
    value = x(low=-1, high=2)
    yield from each("float int8 int16", "FILL", "value_input", [plain([2, 2, 3]), value], [y(like=value)], moves=True)
    graph = Graph()
    word = graph.op("GATHER", [plain(np.array([b"left", b"", b"right"], object), "string"), plain_input("int32", high=2)], plain_y("string"), axis=0)
    graph.outputs = [graph.op("FILL", [plain([3]), word], plain_y("string"))]
    yield graph_case("FILL", "strings", graph)
    for out, code in (("int32", 2), ("int64", 4)):
        yield from each("float int8", "SHAPE", f"rank3_{out}", [x(2, 5, 1)], [plain_y(out)], out_type=code)
        yield from each("float", "SHAPE", f"no_elements_{out}", [x(3, 0)], [plain_y(out)], out_type=code)
    for shape in ((), (3,), (2, 1, 3, 2)):
        yield from each("float int8", "RANK", f"rank_{len(shape)}", [x(*shape)], [plain_y("int32")])
    for a, b in (((2, 1, 3), (4, 1)), ((), (2, 3)), ((5,), (5,))):
        for type in INTEGERS:
            yield from each("float", "BROADCAST_ARGS", f"rank{len(a)}_{len(b)}_{type}", [plain(np.array(a, int), type), plain_input(type, records=[np.array(b, int)] * 2)], [plain_y(type)])
    for type, shape in (("float32", (3,)), ("float32", (2, 2, 3)), ("int32", (2, 3)), ("int64", (4,)), ("int8", (2, 2)), ("uint8", (2, 2)), ("int16", (2, 2))):
        yield from each("float", "MATRIX_DIAG", f"rank{len(shape)}_{type}", [plain_input(type, *shape)], [plain_y(type)])
    for type, shape in (("float32", (3, 3)), ("float32", (2, 2, 4)), ("int32", (2, 4, 2)), ("int64", (3, 3)), ("int8", (2, 2)), ("uint8", (2, 2)), ("int16", (2, 2))):
        diagonal = (*shape[:-2], min(shape[-2:]))
        yield from each("float", "MATRIX_SET_DIAG", f"rank{len(shape)}_{type}_{shape[-1]}", [plain_input(type, *shape), plain_input(type, *diagonal)], [plain_y(type)])


def lookups():
    for shape in ((6, 3), (5, 2, 2)):
        yield from each("float", "EMBEDDING_LOOKUP", f"rank{len(shape)}", [plain_input("int32", 4, high=4), const(shape=shape)])
    for scheme in ("hybrid", "hybrid_tensor", "hybrid_int4", "hybrid_int4_tensor"):
        yield from each(scheme, "EMBEDDING_LOOKUP", "even", [plain_input("int32", 5, high=5), weights(6, 4)], [plain_y("float32")])
    yield from each("float", "HASHTABLE_LOOKUP", "rank2", [plain_input("int32", records=[np.array([7, 1, 4]), np.array([2, 9, 1])]), plain([1, 4, 9]), const(shape=(3, 4))], [y(), plain_y("uint8")])
    yield from each("float", "HASHTABLE_LOOKUP", "none", [plain_input("int32", records=[np.array([7, 6]), np.array([2, 8])]), plain([1, 4, 9]), const(shape=(3,))], [y(), plain_y("uint8")])
    ids = plain(np.array([1, 3, 0, 0, 2]))
    for combiner, name in ((0, "sum"), (1, "mean"), (2, "sqrtn")):
        inputs = [ids, plain([[0, 0], [0, 1], [1, 0], [2, 0], [2, 3]]), plain([3, 4]), x(5, low=0.2, high=3), const(shape=(4, 3, 2))]
        yield from each("float", "EMBEDDING_LOOKUP_SPARSE", name, inputs, combiner=combiner)
        inputs = [ids, plain([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 1]]), plain([2, 2, 2]), x(5, low=-1, high=3), const(shape=(4, 2))]
        yield from each("float", "EMBEDDING_LOOKUP_SPARSE", f"{name}_rank3", inputs, combiner=combiner)
    for name, values in (("f32", x(4, 6, low=-3, high=9)), ("i32", plain_input("int32", 9, low=-3, high=9)), ("i64", plain_input("int64", 9, low=-3, high=9)), ("edges", x(values=[-1, 0, 1.5, 2, 7, 8, np.inf, np.nan]))):
        yield from each("float", "BUCKETIZE", name, [values], [plain_y("int32")], boundaries=[-1.0, 0.0, 2.0, 7.0])


def sparse():
    rng = np.random.default_rng(3)
    dense = np.where(rng.random((6, 8)) < 0.3, rng.uniform(-1, 1, (6, 8)), 0).astype(np.float32)
    dense[0, 2], dense[5, 7] = 1, -1
    graph = Graph()
    made = graph.op("DENSIFY", [sparse_const(dense)], plain_y("float32"))
    graph.outputs = [graph.op("FULLY_CONNECTED", [x(3, 8), made, None], y())]
    yield graph_case("DENSIFY", "rows", graph)
    graph = Graph()
    made = graph.op("DENSIFY", [sparse_const(dense, block=4)], plain_y("float32"))
    graph.outputs = [graph.op("ADD", [x(6, 8), made], y())]
    yield graph_case("DENSIFY", "blocks4", graph)
    yield from each("float", "FULLY_CONNECTED", "sparse_rows", [x(2, 8), sparse_const(dense), const(shape=(6,))])
    yield from each("float", "FULLY_CONNECTED", "sparse_blocks4", [x(2, 8), sparse_const(dense, block=4), const(shape=(6,))], fused_activation_function=1)


def cases():
    for part in (segments, scattering, value_dependent, made_up, lookups, sparse):
        yield from part()
