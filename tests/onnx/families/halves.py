"""Half precision, computed in float32 and rounded once: by the standard's reference evaluator, since ONNX Runtime has few of these."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("halves", by_reference=True)
    x, y = f.values(2, 3, 4).astype(np.float16), f.values(3, 1).astype(np.float16)
    for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"):
        f.case(op, x, y)
    f.case("Mod", x, y, fmod=1)
    for op in ("Abs", "Neg", "Sign", "Atan", "Sinh", "Asinh", "IsNaN", "IsInf", "Reciprocal"):
        f.case(op, x)
    f.case("Clip", x, Fixed(-0.5, np.float16), Fixed(0.75, np.float16))
    f.case("Pow", np.abs(x), Fixed(2, np.float16))
    f.case("ReduceMax", x, Fixed([1], np.int64))
    f.case("ReduceMin", x, Fixed([1], np.int64))
    for op in ("ArgMax", "ArgMin"):
        f.case(op, x, axis=1)
    f.case("TopK", x, Fixed([2], np.int64), count=2)
    f.case("Where", np.array([True, False, True, False]), x, y)
    f.case("Pad", x, Fixed([0, 1, 2, 0, 0, 1], np.int64), mode="edge")
    f.case("GatherElements", x, np.tile(np.array([[1], [0], [2]], np.int64), (2, 1, 1)), axis=2)
    f.case("ScatterElements", x, np.tile(np.array([[1], [0], [2]], np.int64), (2, 1, 1)), f.values(2, 3, 1).astype(np.float16), axis=2)
    f.case("ScatterND", x, np.array([[1], [0]], np.int64), f.values(2, 3, 4).astype(np.float16))
    f.case("Trilu", x)
    f.case("NonZero", x)
    f.case("Concat", x, x, axis=1)
    f.case("Transpose", x)
    f.case("Gather", x, Fixed([0, 1], np.int64), axis=2)
    f.case("Expand", y, Fixed([3, 2], np.int64))
    f.case("Tile", y, Fixed([1, 2], np.int64))
    return f
