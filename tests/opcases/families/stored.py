"""Quantized tensors through operators that only hand them on: they take stored integers as they are."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.sparse import sparse_const
from generator.tensors import Tensor, const, plain, plain_input, plain_y, x, y

from .control import body

REAL = {
    "int8": dict(type="int8", scale=np.float32(0.03), zero=4),
    "uint8": dict(type="uint8", scale=np.float32(0.03), zero=120),
    "int16": dict(type="int16", scale=np.float32(0.0002), zero=0),
}


def inner(role, *shape, **real):
    """A tensor of a called subgraph."""
    return Tensor(role, shape, use="plain", **real)


def limit(name, op, value, shape, real):
    """A subgraph that clips at a value; both kernels leave stored integers where they are."""
    constant = Tensor("const", use="plain", values=[value], **real)
    return body(name, [inner("input", *shape, **real)], lambda g, a: g.op(op, [a, constant], inner("result", *shape, **real)))


def calls():
    for scheme in ("int8", "uint8"):
        real = REAL[scheme]
        shape = (2, 3)
        main = Graph()
        index = plain_input("int32", records=[np.array(0), np.array(1)])
        main.outputs = [main.op("STABLEHLO_CASE", [index, x(*shape, **real)], [y(**real)], branch_subgraph_indices=[1, 2])]
        yield graph_case(
            "STABLEHLO_CASE",
            "quantized",
            [main, limit("low", "MAXIMUM", 9, shape, real), limit("high", "MINIMUM", 30, shape, real)],
            scheme,
            twin=False,
        )

        main = Graph()
        main.outputs = [
            main.op(
                "STABLEHLO_COMPOSITE",
                [x(*shape, **real)],
                [y(**real)],
                name="test.clip",
                decomposition_subgraph_index=1,
                composite_attributes=[0],
                version=1,
            )
        ]
        yield graph_case("STABLEHLO_COMPOSITE", "quantized", [main, limit("body", "MINIMUM", 30, shape, real)], scheme, twin=False)

        main = Graph()
        outputs = [plain_y("int32"), y(**real)]
        main.op("WHILE", [plain_input("int32", high=2), x(*shape, **real)], outputs, cond_subgraph_index=1, body_subgraph_index=2)
        main.outputs = outputs
        arguments = lambda: [inner("input", type="int32"), inner("input", *shape, **real)]  # noqa: E731
        less = body("cond", arguments(), lambda g, i, a: g.op("LESS", [i, plain(4)], inner("result", type="bool")))

        def turn(g, i, a):
            return [
                g.op("ADD", [i, plain(1)], inner("result", type="int32")),
                g.op("REVERSE_V2", [a, plain([1])], inner("result", *shape, **real)),
            ]

        yield graph_case("WHILE", "quantized", [main, less, body("body", arguments(), turn)], scheme, twin=False)

        main = Graph()
        handle = main.op("VAR_HANDLE", [], Tensor("result", (1,), type="resource", use="plain"), container="", shared_name="v")
        main.op("ASSIGN_VARIABLE", [handle, x(*shape, **real)], [])
        main.outputs = [main.op("READ_VARIABLE", [handle], y(**real))]
        yield graph_case("ASSIGN_VARIABLE+READ_VARIABLE", "quantized", main, scheme, twin=False)


def moved():
    yield from each("int8 uint8 int16", "MATRIX_DIAG", "quantized", [x(2, 3)], moves=True)
    source = x(2, 3, 3)
    yield from each("int8 uint8 int16", "MATRIX_SET_DIAG", "quantized", [source, x(2, 3, like=source)], moves=True)
    yield from each("int8 uint8", "SCATTER_ND", "quantized", [plain([[3], [0]]), x(2, 2), plain([5, 2])], moves=True)
    on = const(1.5, **{k: v for k, v in REAL["int8"].items() if k != "type"})
    yield from each(
        "int8",
        "ONE_HOT",
        "quantized",
        [plain_input("int32", 3, high=4), plain(4), on, const(-0.5, like=on)],
        [y(like=on)],
        moves=True,
        axis=-1,
    )
    source = x(9, low=-0.04, high=0.05, scale=np.float32(0.01), zero=3)
    yield from each("int8", "UNIQUE", "quantized", [source], [y(like=source), plain_y("int32")], moves=True, idx_out_type=2)
    yield from each("int8", "WHERE", "quantized", [source], [plain_y("int64")])
    for scheme in ("int8", "uint8", "int16"):
        yield from each(
            scheme,
            "CAST",
            "quantized_to_float32",
            [x(2, 5)],
            [plain_y("float32")],
            in_data_type=dict(int8=9, uint8=3, int16=7)[scheme],
            out_data_type=0,
        )
    source = x(2, 5)
    yield from each("int8 int16", "BITCAST", "quantized", [source], [y(like=source)], moves=True)


def shifted():
    """Quantized tensors that LiteRT takes for plain integers."""
    source = x(4, 5)
    same = [y(like=source)]
    yield from each("int8 int16", "DILATE", "quantized", [source, plain([2, 1]), const(0.5, like=source)], same, moves=True)
    values = x(2)
    yield from each(
        "int8 uint8",
        "SPARSE_TO_DENSE",
        "quantized",
        [plain([[1, 1], [2, 0]]), plain([3, 2]), values, const(0.5, like=values)],
        [y(like=values)],
        moves=True,
    )
    table = const(shape=(3, 4))
    keys = plain_input("int32", records=[np.array([7, 1, 4]), np.array([2, 9, 1])])
    yield from each(
        "int8 uint8", "HASHTABLE_LOOKUP", "quantized", [keys, plain([1, 4, 9]), table], [y(like=table), plain_y("uint8")], moves=True
    )
    options = dict(edge_padding_low=[2, 0], edge_padding_high=[1, -1], interior_padding=[1, 0])
    yield from each("int8 int16", "STABLEHLO_PAD", "quantized", [source, const(0.5, like=source)], same, moves=True, **options)
    options = dict(offset_dims=[0], collapsed_slice_dims=[1], start_index_map=[1], index_vector_dim=1, slice_sizes=[4, 1])
    yield from each(
        "int8 uint8",
        "STABLEHLO_GATHER",
        "quantized",
        [source, plain([[1], [4], [9]])],
        [y(shape=(4, 3), like=source)],
        moves=True,
        **options,
    )
    window = [plain(v, "int64") for v in ([2, 3], [1, 2], [1, 1])]
    yield from each(
        "int8 int16", "REDUCE_WINDOW", "quantized", [source, const(-3.0, like=source), *window], same, moves=True, reduce_function=4
    )
    divisor = x(5, low=0.5, high=2, scale=np.float32(0.03), zero=0)  # stored integers and real values are other than 0
    for op in ("FLOOR_DIV", "FLOOR_MOD"):
        yield from each("int8 int16", op, "quantized", [source, divisor])
    seeds = plain([[0.3, -1.2], [0.1, 5.0]], "float32")
    yield from each("int8 int16", "LSH_PROJECTION", "quantized", [seeds, source], [plain_y("int32")], type=1)
    for op in ("ADD", "MULTIPLY", "MAXIMUM", "MINIMUM"):
        first = x(2, 3, low=-1, high=1)
        yield from each(
            "int8 int16", f"STABLEHLO_{op}", "quantized", [first, x(2, 3, like=first)], [y(like=first)], moves=op in ("MAXIMUM", "MINIMUM")
        )


def reduced():
    for scheme in ("int8", "uint8"):
        real = REAL[scheme]
        scalars = lambda: [inner("input", **real), inner("input", **real)]  # noqa: E731
        main = Graph()
        lowest = Tensor("const", use="plain", values=real["zero"] - 100, **real)
        options = dict(
            window_dimensions=[2, 2], window_strides=[1, 2], base_dilations=[1, 1], window_dilations=[1, 1], padding=[1, 0, 0, 1]
        )
        main.outputs = [main.op("STABLEHLO_REDUCE_WINDOW", [x(4, 5, **real), lowest], [y(**real)], body_subgraph_index=1, **options)]
        greater = body("body", scalars(), lambda g, a, b: g.op("MAXIMUM", [a, b], inner("result", **real)))
        yield graph_case("STABLEHLO_REDUCE_WINDOW", "quantized", [main, greater], scheme, twin=False, moves=True)
        main = Graph()
        options = dict(update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], index_vector_dim=1)
        main.outputs = [
            main.op(
                "STABLEHLO_SCATTER",
                [x(4, 3, **real), plain([[2], [0]]), x(2, 3, **real)],
                [y(**real)],
                update_computation_subgraph_index=1,
                **options,
            )
        ]
        yield graph_case(
            "STABLEHLO_SCATTER", "quantized", [main, body("update", scalars(), lambda g, a, b: b)], scheme, twin=False, moves=True
        )


def sparse():
    rng = np.random.default_rng(4)
    stored = np.where(rng.random((6, 8)) < 0.3, rng.integers(-127, 128, (6, 8)), 0).astype(np.int8)
    stored[0, 2], stored[5, 7] = 127, -127
    constant = sparse_const(stored, "int8")
    constant.scale, constant.zero = np.float32(0.01), 0
    constant.real = (stored * np.float32(0.01)).astype(np.float32)
    for scheme in ("int8", "hybrid"):
        graph = Graph()
        dense = Tensor("result", use="weight", type="int8", scale=np.float32(0.01), zero=0)
        source = x(3, 8)
        made = graph.op("DENSIFY", [constant], dense)
        graph.outputs = [graph.op("FULLY_CONNECTED", [source, made, None], y())]
        yield graph_case("DENSIFY", "quantized", graph, scheme)


def cases():
    for part in (calls, moved, shifted, reduced, sparse):
        yield from part()
