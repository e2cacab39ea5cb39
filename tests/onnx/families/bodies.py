"""Operators with graphs: If, Loop and Scan, with values from around them, nested, and functions around them."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

from family import Family, Fixed

make = helper.make_node


def info(name, dtype=TensorProto.FLOAT, shape=None):
    return helper.make_tensor_value_info(name, dtype, shape)


def graph(nodes, inputs, outputs, constants=()):
    return helper.make_graph(nodes, "body", inputs, outputs, [numpy_helper.from_array(value, name) for name, value in constants])


def around(f, value):
    """The name of an input that graphs take from around them."""
    name = f"around{len(f.inputs)}"
    f.inputs[name] = np.asarray(value)
    return name


def branch(f, op, *inputs, shape=(2, 3)):
    name = f"branch{len(f.nodes)}_{op}"
    return graph([make(op, list(inputs), [name])], [], [info(name, shape=shape)])


def ifs(f):
    x, y = around(f, f.values(2, 3)), around(f, f.values(2, 3))
    for name, condition in (("then", np.array(True)), ("else", np.array([False])), ("known", Fixed(np.array(False)))):
        f.case("If", condition, name=name, then_branch=branch(f, "Add", x, y), else_branch=branch(f, "Tanh", x))
    f.case("If", np.array(True), name="shapes", then_branch=branch(f, "Shape", x, shape=None), else_branch=branch(f, "Size", y, shape=None))
    for node in (f.nodes[-1],):
        for attribute in node.attribute:
            attribute.g.output[0].type.tensor_type.elem_type = TensorProto.INT64
    inner = make("If", ["inner_condition"], ["nested"], then_branch=branch(f, "Sin", x), else_branch=branch(f, "Mul", x, y))
    nested = graph([make("Not", [around(f, np.array(True))], ["inner_condition"]), inner], [], [info("nested", shape=(2, 3))])
    f.case("If", np.array(True), name="nested", then_branch=nested, else_branch=branch(f, "Neg", y))


def loop_body(tag, scale, stacked=True, condition=None):
    """v' = v * scale + turn, and a result that is stacked."""
    names = [f"{tag}_{each}" for each in ("turn", "go", "v", "go_on", "real", "scaled", "next", "result", "limit", "largest")]
    turn, go, v, go_on, real, scaled, following, result, limit, largest = names
    nodes = [make("Cast", [turn], [real], to=TensorProto.FLOAT), make("Mul", [v, scale], [scaled]), make("Add", [scaled, real], [following]),
             make("Neg", [following], [result])]
    constants = []
    if condition is None:
        nodes.append(make("Identity", [go], [go_on]))
    else:
        constants = [(limit, np.float32(condition))]
        nodes += [make("ReduceMax", [following], [largest], keepdims=0), make("Less", [largest, limit], [go_on])]
    outputs = [info(go_on, TensorProto.BOOL, []), info(following, shape=(2, 3))] + ([info(result, shape=(2, 3))] if stacked else [])
    return graph(nodes, [info(turn, TensorProto.INT64, []), info(go, TensorProto.BOOL, []), info(v, shape=(2, 3))], outputs, constants)


def loops(f):
    scale = around(f, np.float32(1.5))
    start = np.abs(f.values(2, 3))
    f.case("Loop", Fixed(np.int64(4)), Fixed(np.array(True)), start, count=2, name="counted", body=loop_body("counted", scale))
    f.case("Loop", np.int64(3), None, start, count=2, name="turns_of_the_run", body=loop_body("run", scale))
    f.case("Loop", None, np.array(True), start, count=2, name="until", body=loop_body("until", scale, condition=20))
    f.case("Loop", np.int64(100), np.array(True), start, count=1, name="without_results", body=loop_body("bare", scale, False, 40))
    f.case("Loop", np.int64(0), np.array(True), start, count=2, name="never", body=loop_body("never", scale))
    grows = graph([make("Concat", ["g_v", "g_v"], ["g_next"], axis=0), make("Identity", ["g_go"], ["g_on"])],
                  [info("g_turn", TensorProto.INT64, []), info("g_go", TensorProto.BOOL, []), info("g_v", shape=("n", 3))],
                  [info("g_on", TensorProto.BOOL, []), info("g_next", shape=("m", 3))])
    f.case("Loop", np.int64(3), np.array(True), start, name="grows", body=grows)


def scan_body(tag, size):
    """A running sum, times a value from around."""
    state, element, following, result = (f"{tag}_{each}" for each in ("state", "element", "next", "result"))
    nodes = [make("Add", [state, element], [following]), make("Mul", [following, element], [result])]
    return graph(nodes, [info(state, shape=[size]), info(element, shape=[size])], [info(following, shape=[size]), info(result, shape=[size])])


def scans(f):
    f.case("Scan", f.values(3), f.values(4, 3), count=2, num_scan_inputs=1, body=scan_body("rows", 3))
    f.case("Scan", f.values(4), f.values(4, 3), count=2, num_scan_inputs=1, scan_input_axes=[1], scan_input_directions=[1],
           scan_output_axes=[1], scan_output_directions=[1], name="columns_backwards", body=scan_body("columns", 4))
    weights = around(f, f.values(3))
    two = graph([make("Mul", ["two_a", "two_b"], ["two_product"]), make("Add", ["two_product", weights], ["two_sum"])],
                [info("two_a", shape=[3]), info("two_b", shape=[3])], [info("two_sum", shape=[3]), info("two_product", shape=[3])])
    f.case("Scan", f.values(2, 3), f.values(3, 2), count=2, num_scan_inputs=2, scan_input_axes=[0, 1], scan_input_directions=[0, 1],
           name="two_inputs", body=two)


def cases():
    f = Family("bodies")
    ifs(f)
    loops(f)
    scans(f)
    return f
