"""The QOperator form, with grids that are constant, and that are not."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("qoperators")
    rng, ms = f.rng, {"domain": "com.microsoft"}
    codes = lambda dtype, *shape: rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, endpoint=True).astype(dtype)
    # ONNX Runtime adds two products of uint8 and int8 in 16 bits where a CPU has no VNNI; these sums do not saturate.
    weights = lambda *shape: rng.integers(-64, 64, shape).astype(np.int8)
    grid = lambda scale, zero, dtype=np.uint8: [Fixed(np.float32(scale)), Fixed(dtype(zero))]
    x, y = codes(np.uint8, 1, 4, 6, 5), codes(np.uint8, 1, 4, 6, 5)
    w, bias = weights(6, 4, 3, 3), rng.integers(-9000, 9000, 6).astype(np.int32)
    per_channel = [Fixed((0.01 + 0.01 * rng.random(6)).astype(np.float32)), Fixed(np.zeros(6, np.int8))]
    f.case("QLinearConv", x, *grid(0.03, 120), Fixed(w), *grid(0.017, 0, np.int8), *grid(0.9, 128), Fixed(bias), pads=[1, 1, 1, 1])
    f.case("QLinearConv", x, *grid(0.03, 120), Fixed(w), *per_channel, *grid(0.9, 128), Fixed(bias), strides=[2, 1], name="per_channel")
    f.case("QLinearConv", x, np.float32(0.03), Fixed(np.uint8(120)), Fixed(w), np.float32(0.017), Fixed(np.int8(0)), np.float32(0.9),
           Fixed(np.uint8(128)), Fixed(bias), name="scales_are_inputs")
    a, b = codes(np.uint8, 2, 3, 4), weights(4, 5)
    f.case("QLinearMatMul", a, *grid(0.021, 99), Fixed(b), *grid(0.013, 3, np.int8), *grid(0.11, 130))
    f.case("QLinearMatMul", a, *grid(0.021, 99), codes(np.uint8, 2, 4, 5), *grid(0.013, 77), *grid(0.11, 130), name="batches")
    flat, rows, summand = codes(np.uint8, 3, 4), weights(5, 4), rng.integers(-900, 900, 5).astype(np.int32)
    columns = [Fixed((0.01 + 0.01 * rng.random(5)).astype(np.float32)), Fixed(np.zeros(5, np.int8))]
    f.case("QGemm", flat, *grid(0.021, 99), Fixed(rows), *columns, Fixed(summand), *grid(0.17, 130), transB=1, **ms)
    f.case("QGemm", flat, *grid(0.021, 99), Fixed(rows), *grid(0.013, 0, np.int8), Fixed(summand), alpha=0.5, transB=1, name="to_reals", **ms)
    f.case("QLinearAdd", x, *grid(0.031, 120), y, *grid(0.017, 90), *grid(0.052, 128), **ms)
    f.case("QLinearMul", x, *grid(0.031, 120), y, *grid(0.017, 90), *grid(0.057, 128), **ms)
    f.case("QLinearSigmoid", x, *grid(0.031, 120), *grid(1 / 256, 0), **ms)
    f.case("QLinearLeakyRelu", x, *grid(0.031, 120), *grid(0.029, 40), alpha=0.2, **ms)
    f.case("QLinearSoftmax", flat, *grid(0.031, 120), *grid(1 / 256, 0), axis=-1, opset=13, **ms)
    f.case("QLinearAveragePool", x, *grid(0.031, 120), *grid(0.023, 117), kernel_shape=[3, 2], strides=[2, 2], pads=[1, 0, 1, 0], **ms)
    f.case("QLinearGlobalAveragePool", x, *grid(0.031, 120), *grid(0.0071, 117), **ms)
    f.case("QLinearConcat", *grid(0.036, 118), x, *grid(0.031, 120), y, *grid(0.017, 90), axis=1, name="QLinearConcat", **ms)
    f.case("QLinearWhere", Fixed(rng.random((1, 4, 6, 5)) > 0.5), x, *grid(0.031, 120), y, *grid(0.017, 90), *grid(0.036, 118), **ms)
    return f
