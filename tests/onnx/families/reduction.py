import numpy as np

from family import Family, Fixed


def cases():
    f = Family("reduction")
    x = f.values(2, 3, 4, 5)
    for op in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"):
        f.case(op, x, Fixed([2, -1], np.int64))
        f.case(op, x, Fixed([1], np.int64), keepdims=0)
        f.case(op, x)
    f.case("ReduceSum", x, noop_with_empty_axes=1, name="noop")
    f.case("ArgMax", x, axis=1)
    f.case("ArgMin", x, axis=-1, keepdims=0)
    f.case("GlobalAveragePool", x)
    f.case("GlobalMaxPool", x)
    f.case("Softmax", x)
    f.case("Softmax", x, axis=1)
    f.case("LogSoftmax", x, axis=2)
    f.case("LogSoftmax", x)
    return f
