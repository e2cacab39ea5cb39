"""Operators of numbers of every type that ONNX Runtime has them for."""
import numpy as np
from onnx import TensorProto

from family import Family, Fixed


def cases():
    f = Family("numbers")
    for dtype in (np.int32, np.int64, np.float64):
        a = np.array([[7, -7, 9], [100, -3, 2]], dtype)
        b = np.array([2, -3, 4], dtype)
        for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal"):
            f.case(op, a, np.abs(b) if op == "Pow" else b, name=f"{op}_{np.dtype(dtype).name}")
        for op in ("Abs", "Neg", "Sign"):
            f.case(op, a, name=f"{op}_{np.dtype(dtype).name}")
        f.case("Clip", a, Fixed(-4, dtype), Fixed(8, dtype), name=f"Clip_{np.dtype(dtype).name}")
        f.case("Mod", a, b, fmod=int(dtype == np.float64), name=f"Mod_{np.dtype(dtype).name}")
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.uint64):
        a = np.array([100, 200, 7, 3], np.int64).astype(dtype)
        b = np.array([100, 3, 2, 1], dtype)
        f.case("Mod", a, b, name=f"Mod_{np.dtype(dtype).name}")
        f.case("Mod", a, b, fmod=1, name=f"fmod_{np.dtype(dtype).name}")
        f.case("Sign", a, name=f"Sign_{np.dtype(dtype).name}")
        f.case("Abs", a, name=f"Abs_{np.dtype(dtype).name}")
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
            f.case(op, a, b, name=f"{op}_{np.dtype(dtype).name}")
        f.case("BitwiseNot", a, name=f"BitwiseNot_{np.dtype(dtype).name}")
    for dtype in (np.uint8, np.uint32, np.uint64):
        for direction in ("LEFT", "RIGHT"):
            f.case("BitShift", np.array([16, 4, 255], dtype), np.array([1, 2, 3], dtype), direction=direction, name=f"{direction}_{np.dtype(dtype).name}")
    x, y = f.values(2, 3, 4), f.values(3, 1)
    f.case("Mod", x, y, fmod=1)
    f.case("Pow", np.abs(x), Fixed(3, np.int64), name="power_of_integers")
    f.case("Pow", np.array([2, 3, -4], np.int32), Fixed(2.0, np.float32), name="integers_to_a_float")
    for op in ("Max", "Min", "Sum", "Mean"):
        f.case(op, x, name=op + "_one")
        f.case(op, x, y, f.values(4), name=op + "_three")
        f.case(op, x, y, name=op + "_two")
    f.case("Max", np.array([np.nan, 1, 2], np.float32), np.array([3, np.nan, 1], np.float32), name="not_a_number")
    f.case("Max", np.array([7, -7, 9], np.int8), np.array([2, 3, 10], np.int8), name="Max_int8")
    f.case("Min", np.array([7, 255, 9], np.uint8), np.array([2, 3, 10], np.uint8), name="Min_uint8")
    odd = np.array([np.nan, np.inf, -np.inf, 1], np.float32)
    f.case("IsNaN", odd)
    f.case("IsInf", odd)
    f.case("IsInf", odd, detect_positive=0, name="negative")
    f.case("Xor", np.array([True, False, True]), np.array([[True], [False]]))
    f.case("Equal", np.array([True, False, True]), np.array([[True], [False]]), name="Equal_bool")
    unit = np.tanh(x)
    for op in ("Acos", "Asin", "Atan", "Atanh", "Sinh", "Cosh", "Tan", "Asinh"):
        f.case(op, unit)
    f.case("Acosh", np.abs(x) + 1)
    for op in ("Celu", "Selu", "ThresholdedRelu", "Softsign", "Mish", "Shrink"):
        f.case(op, x * 3)
    f.case("Celu", x, alpha=2.0)
    f.case("Selu", x, alpha=1.5, gamma=2.0)
    f.case("ThresholdedRelu", x, alpha=0.25)
    f.case("Shrink", x, lambd=0.3, bias=0.1)
    f.case("Shrink", np.array([-5, 0, 3, 1], np.int32), lambd=2.0, bias=1.0, name="Shrink_int32")
    f.case("PRelu", x, f.values(4))
    f.case("PRelu", x, f.values(1))
    f.case("Clip", np.array([-100, 50, 3], np.int8), Fixed(-4, np.int8), Fixed(20, np.int8), name="Clip_int8")
    f.case("Clip", np.array([100, 50, 3], np.uint8), None, Fixed(20, np.uint8), name="Clip_uint8")
    for dtype in (np.float64, np.int16, np.int32, np.int64):
        f.case("Range", Fixed(10, dtype), Fixed(3, dtype), Fixed(-2, dtype), name=f"Range_{np.dtype(dtype).name}")
    f.case("Range", Fixed(3, np.int64), Fixed(1, np.int64), Fixed(1, np.int64), name="empty")
    f.case("EyeLike", f.values(3, 4))
    f.case("EyeLike", f.values(3, 4), k=-1, dtype=TensorProto.INT32)
    return f
