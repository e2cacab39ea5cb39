import numpy as np

from family import Family, Fixed


def cases():
    f = Family("movement")
    x = f.values(2, 3, 4, 5)
    f.case("Transpose", x)
    f.case("Transpose", x, perm=[0, 2, 3, 1])
    f.case("Concat", x, f.values(2, 2, 4, 5), axis=1)
    f.case("Concat", x, f.values(2, 3, 4, 1), axis=-1)
    f.case("Split", x, Fixed([1, 3], np.int64), axis=2, count=2)
    f.case("Split", x, axis=3, count=3, num_outputs=3)
    f.case("Slice", x, Fixed([1, 0], np.int64), Fixed([3, -1], np.int64), Fixed([2, 3], np.int64))
    f.case("Slice", x, Fixed([-1], np.int64), Fixed([-(2**62)], np.int64), Fixed([3], np.int64), Fixed([-2], np.int64))
    f.case("Slice", x, Fixed([0], np.int64), Fixed([2**62], np.int64), Fixed([1], np.int64), Fixed([2], np.int64))
    f.case("Slice", x, Fixed([0, 1], np.int64), Fixed([1, 9], np.int64), name="first_axes")
    f.case("Gather", x, Fixed([[0, -1], [2, 1]], np.int64), axis=1)
    f.case("Gather", x, Fixed(-2, np.int64), axis=3)
    f.case("Gather", x, np.array([1, 0], np.int64), axis=0)
    f.case("Pad", x, Fixed([0, 1, 2, 0, 0, 0, 1, 3], np.int64))
    f.case("Pad", x, Fixed([1, 2], np.int64), Fixed(np.float32(4)), Fixed([-1], np.int64))
    f.case("Pad", x, Fixed([0, 0, 2, 1, 0, 0, 1, 2], np.int64), mode="reflect")
    return f
