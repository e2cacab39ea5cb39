"""Borders, blocks of maps, and casts."""
import numpy as np
from onnx import TensorProto

from family import Family, Fixed


def cases():
    f = Family("padding")
    x = f.values(1, 2, 4, 5)
    pads = Fixed([0, 1, 2, 0, 0, 0, 1, 3], np.int64)
    for mode in ("constant", "edge", "wrap"):
        f.case("Pad", x, pads, mode=mode, name="Pad_" + mode)
    f.case("Pad", x, Fixed([0, 0, 2, 1, 0, 1, 1, 4], np.int64), mode="reflect", name="Pad_reflect")
    f.case("Pad", x, Fixed([0, 0, -1, 2, 0, 0, 1, -2], np.int64), Fixed(7, np.float32), name="cropped")
    for dtype in (np.int32, np.int64, np.int8, np.uint8, np.float64, np.bool_):
        f.case("Pad", x.astype(dtype), pads, mode="edge", name=f"edge_{np.dtype(dtype).name}")
    f.case("Pad", x.astype(np.int32), pads, Fixed(-3, np.int32), name="int32")
    f.case("DepthToSpace", f.values(2, 8, 2, 3), blocksize=2)
    f.case("DepthToSpace", f.values(2, 8, 2, 3), blocksize=2, mode="CRD")
    f.case("SpaceToDepth", f.values(2, 2, 4, 6), blocksize=2)
    f.case("CenterCropPad", x, Fixed([5, 2], np.int64), axes=[2, 3])
    f.case("CenterCropPad", x, Fixed([1, 3, 3, 8], np.int64))
    f.case("Col2Im", f.values(1, 4, 12), Fixed([4, 5], np.int64), Fixed([2, 2], np.int64))
    f.case("Col2Im", f.values(2, 8, 4), Fixed([4, 5], np.int64), Fixed([2, 2], np.int64), strides=[2, 3], pads=[0, 1, 0, 0])
    f.case("Col2Im", f.values(1, 12, 12), Fixed([6, 5], np.int64), Fixed([2, 3], np.int64), dilations=[2, 1], name="dilated")
    f.case("ReverseSequence", f.values(4, 3, 2), np.array([1, 4, 2], np.int64))
    f.case("ReverseSequence", f.values(3, 4, 2), np.array([1, 4, 2], np.int64), batch_axis=0, time_axis=1)
    numbers = np.array([-3.7, 0, 2.5, 100], np.float32)
    for code in ("DOUBLE", "INT8", "INT16", "INT32", "INT64", "FLOAT16", "BOOL"):
        f.case("Cast", numbers, to=getattr(TensorProto, code), name="to_" + code)
    for code in ("UINT8", "UINT16", "UINT32", "UINT64"):
        f.case("Cast", np.abs(numbers), to=getattr(TensorProto, code), name="to_" + code)
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float64, np.bool_):
        f.case("Cast", np.array([0, 1, 100], dtype), to=TensorProto.FLOAT, name=f"from_{np.dtype(dtype).name}")
    f.case("CastLike", numbers, Fixed([1], np.int32))
    return f
