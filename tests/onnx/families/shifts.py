"""Shifts of signed numbers, by the standard's reference evaluator: operator set 28 has them."""
import numpy as np

from family import Family


def cases():
    f = Family("shifts", opset=28, by_reference=True)
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        for direction in ("LEFT", "RIGHT"):
            f.case("BitShift", np.array([64, -8, -1, 5], dtype), np.array([1, 2, 100, 3], dtype), direction=direction,
                   name=f"{direction}_{np.dtype(dtype).name}")
    return f
