"""What ONNX Runtime lacks, or has for other types only: the standard's reference evaluator gives the values."""
import numpy as np
from onnx import TensorProto

from family import Family, Fixed


def cases():
    f = Family("reference", opset=26, by_reference=True)
    x = f.values(2, 3, 4)
    f.case("Swish", x)
    f.case("Swish", x, alpha=0.5)
    f.case("BitCast", x, to=TensorProto.INT32)
    f.case("BitCast", np.array([-1, 5], np.int8), to=TensorProto.UINT8)
    for attributes in ({}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}):
        f.case("CumProd", x, Fixed(1, np.int64), **attributes)
    f.case("CumProd", np.array([[1, 2, 3], [4, 5, 6]], np.int32), Fixed(-1, np.int32), name="CumProd_int32")
    cache = f.values(2, 1, 4, 3)
    f.case("TensorScatter", cache, f.values(2, 1, 2, 3), np.array([1, 2], np.int64))
    f.case("TensorScatter", cache, f.values(2, 1, 2, 3), np.array([3, 2], np.int64), mode="circular")
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.uint64):
        a = np.array([[100, 200, 7], [50, 3, 2]], np.int64).astype(dtype)
        b = np.array([100, 3, 2], dtype)
        for op in ("Add", "Sub", "Mul", "Div", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal", "Max", "Min"):
            f.case(op, a, b, name=f"{op}_{np.dtype(dtype).name}")
    for dtype in (np.int8, np.uint8, np.uint32, np.uint64):
        f.case("ReduceMax", np.array([[3, 100, 5]], dtype), Fixed([1], np.int64), name=f"ReduceMax_{np.dtype(dtype).name}")
    f.case("ReduceMax", np.zeros((2, 0), np.float32), Fixed([1], np.int64), name="of_none")
    f.case("ReduceMin", np.array([[True, False], [True, True]]), Fixed([1], np.int64), name="all_true")
    f.case("ReduceSum", np.array([[3, 2, 5]], np.uint64), Fixed([1], np.int64), name="ReduceSum_uint64")
    for dtype in (np.int16, np.uint16):
        f.case("Where", np.array([True, False]), np.array([1, 2], dtype), np.array([3, 4], dtype), name=f"Where_{np.dtype(dtype).name}")
    f.case("Trilu", np.arange(9, dtype=np.int16).reshape(3, 3), upper=0, name="Trilu_int16")
    f.case("GatherElements", np.array([[True, False], [False, True]]), np.array([[1], [0]], np.int64), axis=1, name="bools")
    return f
