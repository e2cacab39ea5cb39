import numpy as np

from family import Family, Fixed


def cases():
    f = Family("resizing")
    x = f.values(1, 2, 4, 5)
    scales = Fixed([1, 1, 2, 1.7], np.float32)
    sizes = Fixed([1, 2, 3, 11], np.int64)
    for coordinate in ("half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners", "half_pixel_symmetric"):
        f.case("Resize", x, None, scales, mode="linear", coordinate_transformation_mode=coordinate, name="linear_" + coordinate)
        f.case("Resize", x, None, None, sizes, mode="linear", coordinate_transformation_mode=coordinate, name="sized_" + coordinate)
        f.case("Resize", x, None, scales, mode="nearest", coordinate_transformation_mode=coordinate, name="nearest_" + coordinate)
    for nearest in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"):
        f.case("Resize", x, None, None, sizes, mode="nearest", nearest_mode=nearest, name=nearest)
    f.case("Resize", x, None, Fixed([2, 2], np.float32), axes=[2, 3], name="axes")
    return f
