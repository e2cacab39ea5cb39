from family import Family


def cases():
    f = Family("convolution")
    x = f.values(2, 4, 7, 9)
    f.case("Conv", x, f.fixed(6, 4, 3, 3), f.fixed(6), pads=[1, 1, 1, 1])
    f.case("Conv", x, f.fixed(6, 4, 3, 2), pads=[1, 0, 2, 1], strides=[2, 3], name="uneven")
    f.case("Conv", x, f.fixed(6, 2, 3, 3), f.fixed(6), group=2, dilations=[2, 3], name="grouped")
    f.case("Conv", x, f.fixed(4, 1, 3, 3), f.fixed(4), group=4, pads=[1, 1, 1, 1], strides=[2, 2], name="depthwise")
    f.case("Conv", x, f.fixed(8, 1, 3, 3), group=4, name="multiplied")
    f.case("Conv", x, f.fixed(5, 4, 1, 1), f.fixed(5), kernel_shape=[1, 1], name="pointwise")
    f.case("Conv", x, f.fixed(5, 4, 4, 4), auto_pad="SAME_UPPER", strides=[2, 2], name="upper")
    f.case("Conv", x, f.fixed(5, 4, 4, 4), auto_pad="SAME_LOWER", strides=[1, 2], name="lower")
    f.case("Conv", x, f.fixed(5, 4, 4, 4), auto_pad="VALID", name="valid")
    f.case("Conv", x, f.values(5, 4, 3, 3), f.values(5), name="fed")
    f.case("Conv", f.values(1, 3, 11), f.fixed(4, 3, 3), f.fixed(4), pads=[2, 1], strides=[2], name="one_axis")
    f.case("ConvTranspose", x, f.fixed(4, 3, 3, 3), f.fixed(3), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 0])
    f.case("ConvTranspose", x, f.fixed(4, 3, 2, 2), strides=[2, 2], group=2, name="transposed_groups")
    f.case("ConvTranspose", x, f.fixed(4, 1, 3, 3), group=4, dilations=[2, 1], pads=[0, 1, 2, 0], name="transposed_depthwise")
    f.case("ConvTranspose", f.values(1, 3, 5), f.fixed(3, 2, 4), strides=[3], name="transposed_one_axis")
    f.case("ConvTranspose", x, f.fixed(4, 3, 3, 3), strides=[2, 2], auto_pad="SAME_UPPER", name="transposed_upper")
    f.case("ConvTranspose", x, f.fixed(4, 3, 3, 3), strides=[2, 3], auto_pad="SAME_LOWER", name="transposed_lower")
    f.case("ConvTranspose", x, f.fixed(4, 3, 3, 3), strides=[2, 2], output_shape=[14, 17], name="output_shape")
    volume = f.values(1, 4, 5, 6, 7)
    f.case("Conv", volume, f.fixed(6, 4, 3, 3, 3), f.fixed(6), pads=[1, 1, 1, 1, 1, 1], name="volume")
    f.case("Conv", volume, f.fixed(4, 2, 2, 3, 1), group=2, strides=[1, 2, 3], dilations=[2, 1, 1], name="grouped_volume")
    f.case("ConvTranspose", volume, f.fixed(4, 3, 2, 3, 3), f.fixed(3), strides=[2, 1, 2], pads=[0, 1, 1, 0, 1, 0], name="transposed_volume")
    return f
