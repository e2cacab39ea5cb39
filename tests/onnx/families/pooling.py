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
    return f
