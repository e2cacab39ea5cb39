"""Gathering, scattering, selecting."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("indices")
    x = f.values(3, 4, 5)
    where = np.array([[0, -1], [2, 1]], np.int64)
    f.case("Gather", x, where, axis=1, name="at_run_time")
    f.case("GatherElements", x, f.rng.integers(-4, 4, (3, 2, 5)).astype(np.int64), axis=1)
    f.case("GatherElements", x.astype(np.int8), f.rng.integers(0, 3, (2, 4, 5)).astype(np.int32), axis=0, name="bytes")
    f.case("GatherND", x, np.array([[0, 1], [2, -1]], np.int64))
    f.case("GatherND", x, np.array([[[0, 1]], [[2, -1]], [[1, 1]]], np.int64), batch_dims=1)
    f.case("GatherND", x.astype(np.int32), np.array([[0, 1, 4]], np.int64), name="elements")
    places = np.array([[0, 2, 1, -1, 2]], np.int64).reshape(1, 1, 5)
    for reduction in ("none", "add", "mul", "max", "min"):
        f.case("ScatterElements", x, places, f.values(1, 1, 5), axis=1, reduction=reduction)
        f.case("ScatterND", x, np.array([[0], [2], [0]] if reduction != "none" else [[0], [-1]], np.int64),
               f.values(3 if reduction != "none" else 2, 4, 5), reduction=reduction)
    f.case("ScatterElements", x.astype(np.int64), places, np.array([9, 8, 7, 6, 5], np.int64).reshape(1, 1, 5), axis=1, name="int64")
    f.case("ScatterND", x.astype(np.int32), np.array([[0, 1, 2], [2, 3, 4]], np.int64), np.array([100, 200], np.int32), reduction="add", name="int32")
    f.case("NonZero", np.array([[1, 0, 2], [0, 0, 3]], np.float32))
    f.case("NonZero", np.array([True, False, True]), name="NonZero_bool")
    f.case("Compress", x, np.array([True, False, True]), axis=1)
    f.case("Compress", x, np.array([False, True, False, True]))
    f.case("OneHot", np.array([0, 2, -1, 7], np.int64), Fixed([4], np.int64), Fixed([0.5, 2], np.float32))
    f.case("OneHot", np.array([[0, 2]], np.int64), Fixed(3, np.int64), Fixed([0, 1], np.int64), axis=1)
    f.case("OneHot", np.array([1, 2], np.float32), Fixed([3], np.float32), Fixed([0, 1], np.float32), axis=0, name="float_indices")
    repeated = np.array([2, 1, 1, 3, 4, 3], np.float32)
    f.case("Unique", repeated, count=4)
    f.case("Unique", repeated, sorted=0, count=4)
    f.case("Unique", np.array([[1, 0, 0], [1, 0, 0], [2, 3, 4]], np.float32), axis=0, count=4)
    f.case("Unique", np.array([[1, 0, 1], [2, 3, 2]], np.int64), axis=1, count=4)
    return f
