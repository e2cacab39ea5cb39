"""Forms of operator set 9, whose attributes became inputs later, and whose softmax takes all axes from one on."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("early", opset=9)
    x = f.values(2, 3, 4)
    f.case("Softmax", x)
    f.case("LogSoftmax", x, axis=0)
    f.case("Clip", x, min=-0.5, max=0.25)
    f.case("Squeeze", f.values(1, 3, 1), axes=[2])
    f.case("Unsqueeze", x, axes=[0, 2])
    f.case("Slice", x, starts=[0, 1], ends=[1, 3], axes=[0, 2])
    f.case("Split", x, axis=1, split=[1, 2], count=2)
    f.case("ReduceMean", x, axes=[1], keepdims=0)
    f.case("Pad", x, pads=[0, 1, 1, 0, 0, 2])
    f.case("Upsample", f.values(1, 2, 3, 4), Fixed([1, 1, 2, 3], np.float32), mode="nearest")
    f.case("Upsample", f.values(1, 2, 3, 4), Fixed([1, 1, 2, 2], np.float32), mode="linear")
    f.case("Dropout", x)
    f.case("Scatter", x, np.array([[[1], [2], [0]]], np.int64), f.values(1, 3, 1), axis=1)
    f.case("Hardmax", x)
    return f
