import numpy as np

from family import Family


def cases():
    f = Family("pooling")
    x = f.values(2, 3, 7, 9)
    f.case("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    f.case("MaxPool", x, kernel_shape=[2, 3], strides=[2, 2], ceil_mode=1, name="ceil")
    f.case("MaxPool", x, kernel_shape=[2, 2], dilations=[2, 3], name="dilated")
    f.case("MaxPool", x, kernel_shape=[3, 3], auto_pad="SAME_LOWER", strides=[2, 2], name="same")
    f.case("MaxPool", f.values(1, 2, 9), kernel_shape=[3], name="one_axis")
    f.case("MaxPool", f.values(1, 2, 4, 5, 6), kernel_shape=[2, 2, 3], strides=[1, 2, 1], name="three_axes")
    f.case("AveragePool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    f.case("AveragePool", x, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 1], count_include_pad=1, name="with_border")
    f.case("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1, name="average_ceil")
    f.case("AveragePool", x, kernel_shape=[2, 2], dilations=[2, 2], name="average_dilated")
    f.case("AveragePool", f.values(1, 2, 9), kernel_shape=[4], strides=[2], name="average_one_axis")
    f.case("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count=2, name="places")
    f.case("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2], storage_order=1, count=2, name="places_by_columns")
    f.case("MaxPool", f.rng.integers(-100, 100, (1, 2, 5, 5)).astype(np.int8), kernel_shape=[2, 2], name="int8")
    f.case("MaxPool", f.rng.integers(0, 200, (1, 2, 5, 5)).astype(np.uint8), kernel_shape=[3, 3], pads=[1, 1, 1, 1], name="uint8")
    f.case("MaxPool", f.values(1, 2, 5, 5).astype(np.float64), kernel_shape=[3, 3], name="double")
    f.case("LpPool", x, kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 0])
    f.case("LpPool", x, kernel_shape=[2, 2], p=1, name="sum_of_magnitudes")
    f.case("GlobalLpPool", x)
    f.case("GlobalLpPool", x, p=3)
    places = np.array([[[[5, 7], [13, 15]]]], np.int64)
    f.case("MaxUnpool", f.values(1, 1, 2, 2), places, kernel_shape=[2, 2], strides=[2, 2])
    return f
