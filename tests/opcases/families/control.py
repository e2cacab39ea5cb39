"""Subgraphs that call each other, variables, hash tables, strings."""

import numpy as np

from generator.case import each, graph_case
from generator.model import Graph
from generator.tensors import Tensor, const, plain, plain_input, plain_y, x, y

FLOAT = "float32"


def argument(*shape, type=FLOAT, **more):
    return Tensor("input", shape, use="plain", type=type, **more)


def result(*shape, type=FLOAT, **more):
    return Tensor("result", shape, use="plain", type=type, **more)


def body(name, inputs, build):
    """A subgraph: `build` gets the graph and returns its outputs."""
    graph = Graph(name=name, inputs=list(inputs))
    outputs = build(graph, *inputs)
    graph.outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    return graph


def one_op(name, op, shape, operand, type=FLOAT, **options):
    """A subgraph of one tensor and an operator with a constant."""
    return body(name, [argument(*shape, type=type)], lambda g, a: g.op(op, [a, plain(operand, type)], result(*shape, type=type), **options))


def flag(*values):
    return plain_input("bool", records=[np.array(v) for v in values])


def ifs():
    shape = (2, 3)
    main = Graph()
    main.outputs = [main.op("IF", [flag(True, False), x(*shape)], [y()], then_subgraph_index=1, else_subgraph_index=2)]
    yield graph_case("IF", "sub_or_div", [main, one_op("then", "SUB", shape, 1.5), one_op("else", "DIV", shape, 4.0)])

    main = Graph()
    condition = main.op("LESS", [plain_input("int32", records=[np.array(3), np.array(8)]), plain(5)], plain_y("bool"))
    source = x(*shape)
    outputs = [y(), y()]
    main.op("IF", [condition, source, x(*shape)], outputs, then_subgraph_index=1, else_subgraph_index=2)
    main.outputs = [main.op("ADD", outputs, y())]
    swap = body("then", [argument(*shape), argument(*shape)], lambda g, a, b: [g.op("ABS", [b], result(*shape)), g.op("NEG", [a], result(*shape))])
    keep = body("else", [argument(*shape), argument(*shape)], lambda g, a, b: [a, b])
    yield graph_case("IF", "computed_condition_two_results", [main, swap, keep])

    main = Graph()
    main.outputs = [main.op("IF", [flag(True, False), x(2, 4)], [y()], then_subgraph_index=1, else_subgraph_index=2)]
    rows = body("then", [argument(2, 4)], lambda g, a: g.op("SLICE", [a, plain([0, 1]), plain([2, 2])], result(2, 2)))
    whole = body("else", [argument(2, 4)], lambda g, a: g.op("TILE", [a, plain([2, 1])], result(4, 4)))
    yield graph_case("IF", "shapes_differ", [main, rows, whole])

    main = Graph()
    source = x(3, low=-1, high=1)
    main.outputs = [main.op("IF", [flag(True, False), flag(False, True), source], [y()], then_subgraph_index=1, else_subgraph_index=2)]
    inner = body("then", [argument(type="bool"), argument(3)], lambda g, c, a: g.op("IF", [c, a], [result(3)], then_subgraph_index=3, else_subgraph_index=4))
    other = body("else", [argument(type="bool"), argument(3)], lambda g, c, a: g.op("IF", [c, a], [result(3)], then_subgraph_index=4, else_subgraph_index=3))
    yield graph_case("IF", "two_levels", [main, inner, other, one_op("add", "ADD", (3,), 10.0), one_op("mul", "MUL", (3,), -2.0)])

    main = Graph()
    source = x(6, spans=(-3, 3))
    real = dict(type="int8", scale=np.float32(0.03), zero=3)
    source = x(6, **real)
    main.outputs = [main.op("IF", [flag(True, False), source], [y(**real)], then_subgraph_index=1, else_subgraph_index=2)]
    quantized = lambda role: Tensor(role, (6,), use="plain", **real)  # noqa: E731
    negate = body("then", [quantized("input")], lambda g, a: g.op("MAXIMUM", [a, Tensor("const", use="plain", values=[5], **real)], quantized("result")))
    keep = body("else", [quantized("input")], lambda g, a: g.op("MINIMUM", [a, Tensor("const", use="plain", values=[40], **real)], quantized("result")))
    yield graph_case("IF", "quantized", [main, negate, keep], "int8", twin=False)


def counter(limit, index=0, types=("int32", FLOAT), shapes=((), (3,))):
    """A condition subgraph: argument `index` is below the limit."""
    inputs = [argument(*s, type=t) for s, t in zip(shapes, types)]
    return body("cond", inputs, lambda g, *a: g.op("LESS", [a[index], plain(limit, types[index])], result(*shapes[index], type="bool")))


def whiles():
    def step(g, i, a):
        return [g.op("ADD", [i, plain(1)], result(type="int32")), g.op("MUL", [a, plain(1.25, FLOAT)], result(3))]

    main = Graph()
    outputs = [plain_y("int32"), y()]
    main.op("WHILE", [plain_input("int32", records=[np.array(0), np.array(4)]), x(3)], outputs, cond_subgraph_index=1, body_subgraph_index=2)
    main.outputs = outputs
    yield graph_case("WHILE", "counts", [main, counter(6), body("body", [argument(type="int32"), argument(3)], step)])

    main = Graph()
    outputs = [plain_y("int32"), y(), y()]
    main.op("WHILE", [plain_input("int32", records=[np.array(2), np.array(5)]), x(2, 2), x(2, 2)], outputs, cond_subgraph_index=1, body_subgraph_index=2)
    main.outputs = [outputs[1], outputs[2]]
    shapes, types = ((), (2, 2), (2, 2)), ("int32", FLOAT, FLOAT)
    swap = body("body", [argument(*s, type=t) for s, t in zip(shapes, types)], lambda g, i, a, b: [g.op("SUB", [i, plain(1)], result(type="int32")), b, g.op("ADD", [a, b], result(2, 2))])
    over = body("cond", [argument(*s, type=t) for s, t in zip(shapes, types)], lambda g, i, a, b: g.op("GREATER", [i, plain(0)], result(type="bool")))
    yield graph_case("WHILE", "swaps", [main, over, swap])

    main = Graph()
    outputs = [plain_y("int32"), y()]
    main.op("WHILE", [plain_input("int32", records=[np.array(0), np.array(2)]), x(1, 2)], outputs, cond_subgraph_index=1, body_subgraph_index=2)
    main.outputs = [main.op("SUM", [outputs[1], plain([0])], y(), keep_dims=False), main.op("SHAPE", [outputs[1]], plain_y("int32"), out_type=2)]
    doubled = body("body", [argument(type="int32"), argument(1, 2)], lambda g, i, a: [g.op("ADD", [i, plain(1)], result(type="int32")), g.op("CONCATENATION", [a, a], result(1, 2), axis=0)])
    yield graph_case("WHILE", "grows_then_sum", [main, counter(4, shapes=((), (1, 2))), doubled])

    main = Graph()
    outputs = [plain_y("int32"), y()]
    main.op("WHILE", [plain_input("int32", records=[np.array(0), np.array(1)]), x(3, low=-0.2, high=0.2)], outputs, cond_subgraph_index=1, body_subgraph_index=2)
    main.outputs = outputs

    def outer(g, i, a):
        zero = g.op("SUB", [i, i], result(type="int32"))
        inner = [result(type="int32"), result(3)]
        g.op("WHILE", [zero, a], inner, cond_subgraph_index=3, body_subgraph_index=4)
        branch = g.op("IF", [g.op("EQUAL", [i, plain(1)], result(type="bool")), inner[1]], [result(3)], then_subgraph_index=5, else_subgraph_index=6)
        return [g.op("ADD", [i, plain(1)], result(type="int32")), branch]

    graphs = [main, counter(3), body("outer", [argument(type="int32"), argument(3)], outer), counter(2), body("inner", [argument(type="int32"), argument(3)], step), one_op("then", "ADD", (3,), 0.5), one_op("else", "SUB", (3,), 0.25)]
    yield graph_case("WHILE+IF", "loop_in_loop_with_if", graphs)


def variables():
    for type in (FLOAT, "int32", "int64", "bool", "int8"):
        main = Graph()
        handle = main.op("VAR_HANDLE", [], Tensor("result", (1,), type="resource", use="plain"), container="", shared_name="v")
        main.op("ASSIGN_VARIABLE", [handle, plain_input(type, 2, 3, high=1)], [])
        main.outputs = [main.op("READ_VARIABLE", [handle], plain_y(type))]
        yield graph_case("VAR_HANDLE+ASSIGN_VARIABLE+READ_VARIABLE", f"written_{type}", main)
    main = Graph()
    main.op("CALL_ONCE", [], [], init_subgraph_index=1)
    handle = main.op("VAR_HANDLE", [], Tensor("result", (1,), type="resource", use="plain"), container="", shared_name="sum")
    old = main.op("READ_VARIABLE", [handle], result(4))
    new = main.op("ADD", [old, x(4)], y())
    main.op("ASSIGN_VARIABLE", [handle, new], [])
    main.outputs = [new]

    def start(g):
        handle = g.op("VAR_HANDLE", [], Tensor("result", (1,), type="resource", use="plain"), container="", shared_name="sum")
        g.op("ASSIGN_VARIABLE", [handle, plain([1, 2, 3, 4], FLOAT)], [])
        return []

    yield graph_case("CALL_ONCE", "running_sum", [main, body("init", [], start)])


def tables():
    words = np.array([b"red", b"green", b"blue"], object)
    for key in ("string", "int64"):
        value = "int64" if key == "string" else "string"
        keys, values = (plain(words, "string"), plain([7, -1, 9], "int64"))
        missing = plain(-5, "int64") if value == "int64" else plain(np.array(b"none", object), "string")
        if key == "int64":
            keys, values = values, keys
        options = dict(table_id=3, key_dtype=5 if key == "string" else 4, value_dtype=4 if key == "string" else 5)
        asked = [np.array([[b"blue", b"pink"]], object), np.array([[b"green", b"red"]], object)] if key == "string" else [np.array([[9, 8]]), np.array([[-1, 7]])]
        main = Graph()
        main.op("CALL_ONCE", [], [], init_subgraph_index=1)
        table = main.op("HASHTABLE", [], Tensor("result", (1,), type="resource", use="plain"), **options)
        found = main.op("HASHTABLE_FIND", [table, plain_input(key, records=asked), missing], plain_y(value))
        main.outputs = [found, main.op("HASHTABLE_SIZE", [table], plain_y("int64"))]

        def fill(g):
            table = g.op("HASHTABLE", [], Tensor("result", (1,), type="resource", use="plain"), **options)
            g.op("HASHTABLE_IMPORT", [table, keys, values], [])
            return []

        yield graph_case("HASHTABLE+HASHTABLE_FIND+HASHTABLE_IMPORT+HASHTABLE_SIZE", f"{key}_to_{value}", [main, body("init", [], fill)])


def strings():
    sentences = [np.array(b"the quick  brown fox jumps", object), np.array(b"one two", object)]
    for name, size, skip, every in (("bigrams", 2, 0, False), ("trigrams_skip1", 3, 1, False), ("all_skip2", 2, 2, True)):
        main = Graph()
        picked = main.op("GATHER", [plain(np.array([s.item() for s in sentences], object), "string"), plain_input("int32", records=[np.array([0]), np.array([1])])], plain_y("string"), axis=0)
        main.outputs = [main.op("SKIP_GRAM", [picked], plain_y("string"), ngram_size=size, max_skip_size=skip, include_all_ngrams=every)]
        yield graph_case("SKIP_GRAM", name, main)
    pair = [np.array([[b"a", b"bc"], [b"", b"d"]], object), np.array([[b"x", b""], [b"yy", b"z"]], object)]
    for op, inputs, options in (("EXPAND_DIMS", [plain(0)], {}), ("RESHAPE", [plain([4])], dict(new_shape=[4])), ("SHAPE", [], dict(out_type=2)), ("GATHER_ND", [plain([[1, 0], [0, 1]])], {}), ("TILE", [plain([2, 1])], {}), ("STRIDED_SLICE", [plain([0, 1]), plain([2, 2]), plain([1, 1])], {}), ("SQUEEZE", [], {})):
        out = plain_y("int32" if op == "SHAPE" else "string")
        yield from each("float", op, "of_strings", [plain_input("string", records=pair), *inputs], [out], **options)


def cases():
    for part in (ifs, whiles, variables, tables, strings):
        yield from part()
