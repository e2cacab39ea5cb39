"""Products of integers, and grids that are found at every run."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("integers")
    rng = f.rng
    codes = lambda dtype, *shape: rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, endpoint=True).astype(dtype)
    # ONNX Runtime adds two products of uint8 and int8 in 16 bits where a CPU has no VNNI; these sums do not saturate.
    weights = lambda *shape: rng.integers(-64, 64, shape).astype(np.int8)
    x, wide = codes(np.uint8, 2, 3, 4), codes(np.uint8, 1, 4, 6, 5)
    f.case("MatMulInteger", x, Fixed(weights(4, 5)), np.uint8(7), Fixed(np.int8(-3)))
    f.case("MatMulInteger", x, codes(np.uint8, 2, 4, 5), name="batches")
    f.case("MatMulInteger", codes(np.int8, 3, 4), Fixed(weights(4, 5)), None, Fixed(codes(np.int8, 5)), name="zero_point_per_column")
    f.case("ConvInteger", wide, Fixed(codes(np.uint8, 6, 4, 3, 3)), np.uint8(101), Fixed(np.uint8(120)), pads=[1, 0, 2, 1], strides=[2, 1])
    f.case("ConvInteger", wide, Fixed(codes(np.uint8, 4, 2, 3, 2)), group=2, dilations=[2, 1], name="groups")
    f.case("ConvInteger", codes(np.uint8, 2, 3, 9), Fixed(codes(np.uint8, 4, 3, 3)), np.uint8(3), auto_pad="SAME_UPPER", name="one_axis")
    f.case("DynamicQuantizeLinear", f.values(3, 5), count=3)
    f.case("DynamicQuantizeLinear", np.abs(f.values(3, 5)) + 1, count=3, name="positive")
    f.case("DynamicQuantizeLinear", np.zeros((2, 3), np.float32), count=3, name="zeros")
    for bits, block, depth in [(4, 32, 40), (4, 16, 64), (8, 32, 64)]:
        blocks = -(-depth // block)
        packed, scales = codes(np.uint8, 6, blocks, block * bits // 8), (0.1 * rng.random(6 * blocks) + 0.01).astype(np.float32)
        zeros = codes(np.uint8, 6 * ((blocks * bits + 7) // 8))
        attributes = {"K": depth, "N": 6, "bits": bits, "block_size": block, "domain": "com.microsoft"}
        rows = f.values(2, 3, depth)
        f.case("MatMulNBits", rows, Fixed(packed), Fixed(scales), name=f"MatMulNBits_{bits}_{block}", **attributes)
        f.case("MatMulNBits", rows, Fixed(packed), Fixed(scales), Fixed(zeros), name=f"MatMulNBits_zeros_{bits}_{block}", **attributes)
    f.case("MatMulNBits", rows, Fixed(packed), Fixed(scales), None, None, f.fixed(6), name="MatMulNBits_bias", **attributes)
    ms = {"domain": "com.microsoft"}
    a, b, scale = codes(np.uint8, 3, 4), weights(4, 5), np.float32(0.02)
    f.case("MatMulIntegerToFloat", a, Fixed(b), Fixed(scale), Fixed(np.float32(0.03)), Fixed(np.uint8(100)), Fixed(np.int8(4)), f.fixed(5), **ms)
    f.case("MatMulIntegerToFloat", a, Fixed(b), Fixed(scale), f.rng.random(5).astype(np.float32), name="scales_per_column", **ms)
    f.case("DynamicQuantizeMatMul", f.values(3, 4), Fixed(b), Fixed(np.float32(0.03)), Fixed(np.int8(2)), f.fixed(5), **ms)
    f.case("DynamicQuantizeMatMul", f.values(3, 4), Fixed(b), Fixed(np.float32(0.03)), name="dynamic_without_bias", **ms)
    return f
