import numpy as np
from onnx import TensorProto, helper

from family import Family, Fixed


def cases():
    f = Family("shapes")
    x = f.values(2, 3, 4)
    f.case("Reshape", x, Fixed([0, -1], np.int64))
    f.case("Reshape", x, Fixed([4, 6], np.int64))
    f.case("Reshape", f.values(2, 0, 3), Fixed([0, 3, 2], np.int64), allowzero=1)
    for axis in (0, 1, 2, -1):
        f.case("Flatten", x, axis=axis)
    f.case("Squeeze", f.values(1, 3, 1), Fixed([0], np.int64))
    f.case("Squeeze", f.values(1, 3, 1))
    f.case("Unsqueeze", x, Fixed([0, -1], np.int64))
    f.case("Identity", x)
    f.case("Dropout", x)
    for code, kind in ((TensorProto.INT64, "int64"), (TensorProto.BOOL, "bool"), (TensorProto.FLOAT16, "half"), (TensorProto.INT32, "int32")):
        f.case("Cast", x * 5, to=code, name="Cast_" + kind)
    f.case("Shape", x)
    f.case("Shape", x, start=1, end=-1)
    f.case("Size", x)
    f.case("Expand", f.values(3, 1), Fixed([2, 1, 4], np.int64))
    f.case("ConstantOfShape", Fixed([2, 3], np.int64), value=helper.make_tensor("v", TensorProto.INT32, [1], [7]))
    f.case("ConstantOfShape", Fixed([2], np.int64))
    f.case("Range", Fixed(np.float32(1)), Fixed(np.float32(6)), Fixed(np.float32(1.5)))
    f.case("Tile", x, Fixed([1, 2, 3], np.int64))
    return f
