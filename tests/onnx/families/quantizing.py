"""Operators that the reader cannot fold, since their scales are inputs."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("quantizing")
    x = f.values(2, 3, 4)
    scale = np.array([0.1, 0.02, 0.3], np.float32)
    f.case("QuantizeLinear", x, np.float32(0.05), Fixed(np.uint8(100)))
    f.case("QuantizeLinear", x, scale, Fixed([3, -5, 0], np.int8), axis=1, name="channels")
    codes = f.rng.integers(-128, 128, (2, 3, 4)).astype(np.int8)
    f.case("DequantizeLinear", codes, np.float32(0.05), Fixed(np.int8(-3)))
    f.case("DequantizeLinear", codes, scale, axis=1, name="dequantized_channels")
    return f
