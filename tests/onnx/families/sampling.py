"""Maps read at places of their own, within and beyond."""
import numpy as np

from family import Family


def cases():
    f = Family("sampling")
    maps = f.values(2, 3, 5, 6)
    places = (3 * f.rng.random((2, 4, 3, 2)) - 1.5).astype(np.float32)
    for mode in ("linear", "nearest", "cubic"):
        for padding in ("zeros", "border", "reflection"):
            for corners in (0, 1):
                f.case("GridSample", maps, places, mode=mode, padding_mode=padding, align_corners=corners, name=f"{mode}_{padding}_{corners}")
    space, deep = f.values(1, 2, 3, 4, 5), (3 * f.rng.random((1, 2, 3, 2, 3)) - 1.5).astype(np.float32)
    for mode in ("linear", "nearest"):
        f.case("GridSample", space, deep, mode=mode, padding_mode="reflection", name=f"three_axes_{mode}")
    return f
