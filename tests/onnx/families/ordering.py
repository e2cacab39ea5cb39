"""Along an axis: extremes, the largest few, running sums; and reductions of every kind."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("ordering")
    x = f.values(2, 3, 4)
    ties = np.array([[2, 1, 2, 0], [1, 1, 0, 1]], np.float32)
    for op in ("ArgMax", "ArgMin"):
        f.case(op, ties, axis=1, select_last_index=1)
        f.case(op, ties, axis=1, name=op + "_first")
        f.case(op, ties.astype(np.int32), axis=0, keepdims=0, name=op + "_int32")
    f.case("TopK", x, Fixed([2], np.int64), count=2)
    f.case("TopK", x, Fixed([2], np.int64), axis=1, largest=0, count=2)
    f.case("TopK", ties.astype(np.int64), Fixed([3], np.int64), count=2, name="ties")
    for attributes in ({}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}):
        f.case("CumSum", x, Fixed(1, np.int64), **attributes)
    f.case("CumSum", np.array([1, 2, 3], np.int32), Fixed(0, np.int32), name="CumSum_int32")
    f.case("CumSum", np.array([1, 2, 3], np.float64), Fixed([-1], np.int32), name="CumSum_double")
    f.case("Hardmax", ties)
    f.case("Hardmax", x, axis=1)
    for op in ("ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare", "ReduceLogSum"):
        value = np.abs(x) if op == "ReduceLogSum" else x
        f.case(op, value, Fixed([0, -1], np.int64))
        f.case(op, value, Fixed([1], np.int64), keepdims=0)
        f.case(op, value)
    f.case("ReduceLogSumExp", np.array([[1000, 1001], [-1000, -999]], np.float32), Fixed([1], np.int64), name="large")
    whole = np.array([[3, -4, 5], [7, 1, -2]], np.int32)
    for op in ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceMean"):
        f.case(op, whole, Fixed([1], np.int64), name=op + "_int32")
    for op in ("ReduceSum", "ReduceMax", "ReduceMin"):
        f.case(op, whole.astype(np.int64), Fixed([0], np.int64), name=op + "_int64")
    for op in ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax"):
        f.case(op, whole.astype(np.float64), Fixed([0], np.int64), name=op + "_double")
    f.case("ReduceMax", whole.astype(np.int8), Fixed([0], np.int64), name="ReduceMax_int8")
    f.case("ReduceMin", np.abs(whole).astype(np.uint8), Fixed([0], np.int64), name="ReduceMin_uint8")
    f.case("Det", f.values(2, 3, 3))
    for k in (-1, 0, 2):
        f.case("Trilu", x, Fixed(k, np.int64))
        f.case("Trilu", x, Fixed(k, np.int64), upper=0)
    f.case("Trilu", whole.astype(np.int64), name="Trilu_int64")
    return f
