"""STABLEHLO_* operators, REDUCE_WINDOW, DILATE."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import plain, plain_input, plain_y, x, y

from .control import argument, body, one_op, result

FLOAT = "float32"


def computation(op, type, **options):
    """A subgraph of two scalars."""
    return body("computation", [argument(type=type), argument(type=type)], lambda g, a, b: g.op(op, [a, b], result(type=type), **options))


def elementwise():
    for op in ("ADD", "MULTIPLY", "MAXIMUM", "MINIMUM"):
        yield from each("float", f"STABLEHLO_{op}", "rank3", [x(2, 3, 2), x(2, 3, 2)])
        for type in ("int16", "int32", "int64"):
            yield from each("float", f"STABLEHLO_{op}", type, [plain_input(type, 3, 4, low=-9), plain_input(type, 3, 4, low=-9)], [plain_y(type)])
    for type in ("int8", "int16", "int32", "int64", "bool"):
        low = 0 if type == "bool" else -9
        yield from each("float", "STABLEHLO_AND", type, [plain_input(type, 3, 4, low=low), plain_input(type, 3, 4, low=low)], [plain_y(type)])
    for type in ("int8", "int16", "int32"):
        yield from each("float", "STABLEHLO_SHIFT_LEFT", type, [plain_input(type, 3, 4, low=-9), plain_input(type, 3, 4, high=5)], [plain_y(type)])


def windows():
    settings = {
        "plain": dict(window_dimensions=[2, 2], window_strides=[1, 1], base_dilations=[1, 1], window_dilations=[1, 1], padding=[0, 0, 0, 0]),
        "strided_padded": dict(window_dimensions=[3, 2], window_strides=[2, 1], base_dilations=[1, 1], window_dilations=[1, 1], padding=[1, 1, 0, 2]),
        "dilated": dict(window_dimensions=[2, 2], window_strides=[1, 2], base_dilations=[2, 1], window_dilations=[1, 2], padding=[0, 0, 1, 0]),
        "cropped": dict(window_dimensions=[1, 2], window_strides=[1, 1], base_dilations=[1, 2], window_dilations=[2, 1], padding=[-1, 0, 0, -1]),
    }
    for name, options in settings.items():
        for op, start in (("ADD", 0.0), ("MAXIMUM", -np.inf), ("MINIMUM", 100.0), ("MUL", 1.0)):
            if name != "dilated" and op in ("MINIMUM", "MUL"):
                continue
            graph = Graph()
            graph.outputs = [graph.op("STABLEHLO_REDUCE_WINDOW", [x(5, 6), plain(start, FLOAT)], [y()], body_subgraph_index=1, **options)]
            yield graph_case("STABLEHLO_REDUCE_WINDOW", f"{op.lower()}_{name}", [graph, computation(op, FLOAT)])
    for op, type, start in (("ADD", "int32", 0), ("MAXIMUM", "int64", -50), ("LOGICAL_AND", "bool", True), ("LOGICAL_OR", "bool", False), ("MUL", "int32", 1)):
        graph = Graph()
        source = plain_input(type, 4, 5, low=0 if type == "bool" else -3, high=3)
        graph.outputs = [graph.op("STABLEHLO_REDUCE_WINDOW", [source, plain(start, type)], [plain_y(type)], body_subgraph_index=1, **settings["strided_padded"])]
        yield graph_case("STABLEHLO_REDUCE_WINDOW", f"{op.lower()}_{type}", [graph, computation(op, type)])
    for function, (name, types, start) in {1: ("add", (FLOAT, "int32", "int64"), 0), 2: ("mul", (FLOAT, "int32"), 1), 3: ("minimum", (FLOAT, "int64"), 99), 4: ("maximum", (FLOAT, "int8", "int16"), -99), 5: ("all", ("bool",), True), 6: ("any", ("bool",), False)}.items():
        for type in types:
            source = plain_input(type, 2, 5, 4, low=0 if type == "bool" else -3, high=3)
            window = [plain(v, "int64") for v in ([1, 2, 3], [1, 2, 1], [1, 2, 1])]
            yield from each("float", "REDUCE_WINDOW", f"{name}_{type}", [source, plain(start, type), *window], [plain_y(type)], reduce_function=function)
        window = [plain(v, "int64") for v in ([2], [1], [3])]
        yield from each("float", "REDUCE_WINDOW", f"{name}_dilated", [plain_input(types[0], 5, low=0 if types[0] == "bool" else -3, high=3), plain(start, types[0]), *window], [plain_y(types[0])], reduce_function=function)


def gathering():
    gathers = {
        "columns": ((4, 5), (4, 3), plain([[1], [4], [9]]), dict(offset_dims=[0], collapsed_slice_dims=[1], start_index_map=[1], index_vector_dim=1, slice_sizes=[4, 1])),
        "index_vector_first": ((4, 5), (3, 2, 2), plain([[0, 3, -2], [1, 4, 2]]), dict(offset_dims=[1, 2], collapsed_slice_dims=[], start_index_map=[0, 1], index_vector_dim=0, slice_sizes=[2, 2])),
        "swapped_map": ((3, 4), (2,), plain([[3, 0], [1, 2]], "int64"), dict(offset_dims=[], collapsed_slice_dims=[0, 1], start_index_map=[1, 0], index_vector_dim=1, slice_sizes=[1, 1])),
        "rank3": ((3, 4, 2), (2, 1, 2, 2), plain([[[0, 1]], [[2, 3]]]), dict(offset_dims=[2, 3], collapsed_slice_dims=[0], start_index_map=[0, 1], index_vector_dim=2, slice_sizes=[1, 2, 2])),
    }
    for name, (shape, out, indices, options) in gathers.items():  # the kernel reads the declared shape of its result
        yield from each("float", "STABLEHLO_GATHER", name, [x(*shape), indices], [y(shape=out)], **options)
        for type in ("int32", "int64", "int8"):
            if name == "columns":
                yield from each("float", "STABLEHLO_GATHER", f"{name}_{type}", [plain_input(type, *shape), indices], [plain_y(type, shape=out)], **options)
    scatters = {
        "rows": ((4, 3), [[2], [0]], (2, 3), dict(update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], index_vector_dim=1)),
        "windows": ((5, 4), [[1, 0], [3, 2]], (2, 2, 2), dict(update_window_dims=[1, 2], inserted_window_dims=[], scatter_dims_to_operand_dims=[0, 1], index_vector_dim=1)),
        "repeated": ((4, 2), [[1], [1], [3]], (3, 2), dict(update_window_dims=[1], inserted_window_dims=[0], scatter_dims_to_operand_dims=[0], index_vector_dim=1)),
    }
    for name, (shape, indices, updates, options) in scatters.items():
        for op in ("ADD", "MULTIPLY", "MAXIMUM", "MINIMUM"):
            for type in (FLOAT, "int32") if name == "rows" else (FLOAT,):
                graph = Graph()
                inputs = [plain_input(type, *shape, low=-5), plain(indices), plain_input(type, *updates, low=-5)]
                graph.outputs = [graph.op("STABLEHLO_SCATTER", inputs, [plain_y(type)], update_computation_subgraph_index=1, **options)]
                yield graph_case("STABLEHLO_SCATTER", f"{op.lower()}_{name}_{type}", [graph, computation(f"STABLEHLO_{op}", type)])
        graph = Graph()
        graph.outputs = [graph.op("STABLEHLO_SCATTER", [x(*shape), plain(indices), x(*updates)], [y()], update_computation_subgraph_index=1, **options)]
        replace = body("update", [argument(), argument()], lambda g, a, b: b)
        yield graph_case("STABLEHLO_SCATTER", f"update_{name}", [graph, replace])


def padding():
    for name, (shape, low, high, interior) in {"rank1": ((4,), [2], [1], [0]), "interior": ((2, 3), [1, 0], [0, 2], [1, 2]), "cropped": ((4, 5), [-1, 1], [1, -2], [0, 0]), "cropped_interior": ((3, 4), [-1, -2], [-1, 1], [2, 1])}.items():
        options = dict(edge_padding_low=low, edge_padding_high=high, interior_padding=interior)
        yield from each("float", "STABLEHLO_PAD", name, [x(*shape), plain(0.5, FLOAT)], **options)
        for type in ("int8", "int64"):
            yield from each("float", "STABLEHLO_PAD", f"{name}_{type}", [plain_input(type, *shape), plain(-1, type)], [plain_y(type)], **options)
    for name, shape, dilations in (("rank3", (2, 3, 2), [2, 1, 3]), ("rank1", (4,), [4]), ("nothing", (2, 2), [1, 1])):
        for type in (FLOAT, "int8", "int16", "int32", "int64"):
            if name == "rank3" or type == FLOAT:
                yield from each("float", "DILATE", f"{name}_{type}", [plain_input(type, *shape, low=1), plain(dilations), plain(-1, type)], [plain_y(type)])


def random_bits():
    for algorithm, name, size in ((1, "philox", 2), (1, "philox", 3), (2, "threefry", 2), (0, "default", 2)):
        for type in ("int32", "uint32", "int64", "uint64"):
            state = plain_input("uint64", size, high=2**40)
            yield from each("float", "STABLEHLO_RNG_BIT_GENERATOR", f"{name}{size}_{type}", [state], [plain_y("uint64", shape=(size,)), plain_y(type, shape=(3, 5))], algorithm=algorithm)


def control():
    main = Graph()
    main.outputs = [main.op("STABLEHLO_CASE", [plain_input("int32", records=[np.array(0), np.array(1)]), x(2, 2)], [y()], branch_subgraph_indices=[1, 2])]
    yield graph_case("STABLEHLO_CASE", "two_branches", [main, one_op("first", "ADD", (2, 2), 1.0), one_op("second", "MUL", (2, 2), 3.0)])
    main = Graph()
    main.outputs = [main.op("STABLEHLO_CASE", [plain_input("int32", records=[np.array(-1), np.array(7)]), x(2, 2)], [y()], branch_subgraph_indices=[1, 2, 3])]
    yield graph_case("STABLEHLO_CASE", "out_of_range", [main, one_op("first", "ADD", (2, 2), 1.0), one_op("second", "MUL", (2, 2), 3.0), one_op("third", "SUB", (2, 2), 7.0)])
    main = Graph()
    main.outputs = [main.op("STABLEHLO_COMPOSITE", [x(2, 3)], [y()], name="test.scale", decomposition_subgraph_index=1, composite_attributes=[0], version=1)]
    yield graph_case("STABLEHLO_COMPOSITE", "scale", [main, one_op("decomposition", "MUL", (2, 3), 2.5)])


def cases():
    for part in (elementwise, windows, gathering, padding, random_bits, control):
        yield from part()
