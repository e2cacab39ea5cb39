"""Normalizations by rows, groups and neighbours, and ONNX Runtime's forms that are fused with what stands before."""
import numpy as np

from family import Family, Fixed


def cases():
    f = Family("normalizing", opset=23)
    x, rows, ms = f.values(2, 6, 4, 3), f.values(2, 3, 8), {"domain": "com.microsoft"}
    f.case("LayerNormalization", rows, f.fixed(8), f.fixed(8), count=3, name="all_outputs")
    f.case("LayerNormalization", x, f.fixed(4, 3), axis=2, epsilon=1e-3, count=3, name="two_axes")
    f.case("LayerNormalization", rows, Fixed(np.float32([1.5])), f.fixed(8), name="one_scale")
    f.case("LayerNormalization", rows, f.fixed(8), None, name="no_bias")
    f.case("RMSNormalization", rows, f.fixed(8), epsilon=1e-3)
    f.case("RMSNormalization", x, f.fixed(4, 3), axis=2, name="rms_two_axes")
    f.case("SimplifiedLayerNormalization", rows, f.fixed(8))
    f.case("GroupNormalization", x, f.fixed(6), f.fixed(6), num_groups=3)
    f.case("LpNormalization", x, axis=1, p=1)
    f.case("LpNormalization", x, name="two_norm")
    f.case("LpNormalization", np.zeros((2, 3), np.float32), name="of_zeros")
    f.case("MeanVarianceNormalization", x)
    f.case("MeanVarianceNormalization", x, axes=[1, -1], name="own_axes")
    f.case("LRN", x, size=3)
    f.case("LRN", x, size=5, alpha=0.3, beta=0.6, bias=1.5, name="wide_window")
    f.case("BatchNormalization", f.values(3, 4), f.fixed(4), f.fixed(4), f.fixed(4), Fixed(np.abs(f.values(4)) + 0.1), name="batch_norm_of_rows")
    f.case("InstanceNormalization", f.values(2, 3, 5), f.fixed(3), f.fixed(3), name="instance_one_axis")
    f.case("InstanceNormalization", f.values(1, 3, 2, 3, 4), f.fixed(3), f.fixed(3), name="instance_three_axes")
    f.case("SkipLayerNormalization", rows, f.values(2, 3, 8), f.fixed(8), f.fixed(8), f.fixed(8), count=4, **ms)
    f.case("SkipLayerNormalization", rows, f.values(1, 3, 8), f.fixed(8), epsilon=1e-3, name="skip_repeats", **ms)
    f.case("SkipSimplifiedLayerNormalization", rows, f.values(2, 3, 8), f.fixed(8), f.fixed(8), count=4, **ms)
    f.case("BiasGelu", rows, f.fixed(8), **ms)
    f.case("FastGelu", rows, f.fixed(8), **ms)
    f.case("FastGelu", rows, name="fast_without_bias", **ms)
    f.case("QuickGelu", rows, alpha=1.5, **ms)
    f.case("Gelu", rows, name="gelu_of_runtime", **ms)
    return f
