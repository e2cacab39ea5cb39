"""BIAS_CORRUPT and BIAS_OVERFLOW."""
import zlib
import numpy as np
from pair import Fault, layer_places, refit, shuffled, variant


def bias_fault(pair, rng, damage, strengths, also_cause=(), accept=None):
    """`damage(net, op, real bias, strength)` changes the bias."""
    for k, w, b, out in layer_places(pair, rng, need_bias=True):
        if accept and not accept(k):
            continue

        def edit(net, fp32, x):
            return damage(net, k, net.bias(k), x)
        yield Fault(out, edit, strengths, [b], also_cause)


@variant("BIAS_CORRUPT", "stated_scale")
def _(pair, rng):
    def damage(net, op, bias, x):
        net.set_bias(op, bias, stated=x)
        return {"factor": float(x)}
    strengths = np.geomspace(1.1, 8, 14) if rng.random() < 0.5 else 1 / np.geomspace(1.1, 8, 14)
    yield from bias_fault(pair, rng, damage, strengths)


@variant("BIAS_CORRUPT", "rolled_scales")
def _(pair, rng):
    def damage(net, op, bias, x):
        scale = net.accumulator(op)
        if len(scale) < 2:
            return None
        net.set_bias(op, bias, stated=np.roll(scale, int(x)) / scale)
        return {"by": int(x)}
    yield from bias_fault(pair, rng, damage, [1])


@variant("BIAS_CORRUPT", "noise")
def _(pair, rng):
    def damage(net, op, bias, x):
        net.set_bias(op, bias + x * np.abs(bias).max() * np.random.default_rng(3).standard_normal(bias.shape))
        return {"relative": float(x)}
    yield from bias_fault(pair, rng, damage, np.geomspace(0.02, 2, 16))


@variant("BIAS_CORRUPT", "sign")
def _(pair, rng):
    def damage(net, op, bias, x):
        net.set_bias(op, -bias)
        return {}
    yield from bias_fault(pair, rng, damage, [1])


@variant("BIAS_CORRUPT", "one_channel")
def _(pair, rng):
    def damage(net, op, bias, x):
        c = int(zlib.crc32(net.name(net.slot(op, 2)).encode()) % len(bias))
        bias[c] += x * np.abs(bias).max()
        net.set_bias(op, bias)
        return {"channel": c, "by": float(x)}
    sign = 1 if rng.random() < 0.5 else -1
    yield from bias_fault(pair, rng, damage, sign * np.geomspace(0.1, 20, 20))


@variant("BIAS_CORRUPT", "zero")
def _(pair, rng):
    def damage(net, op, bias, x):
        net.set_bias(op, bias * 0)
        return {}
    yield from bias_fault(pair, rng, damage, [1])


@variant("BIAS_CORRUPT", "shifted")
def _(pair, rng):
    def damage(net, op, bias, x):
        net.set_bias(op, np.roll(bias, int(x)))
        return {}
    yield from bias_fault(pair, rng, damage, [1, -1])


@variant("BIAS_CORRUPT", "other_layer")
def _(pair, rng):
    def damage(net, op, bias, x):
        others = [k for k in net.layers() if k != op and net.slot(k, 2) >= 0 and net.data(net.slot(k, 2)) is not None
                  and net.data(net.slot(k, 2)).shape == bias.shape]
        if not others:
            return None
        net.set_bias(op, net.bias(others[int(x) % len(others)]))
        return {"of": others[int(x) % len(others)]}
    yield from bias_fault(pair, rng, damage, [0, 1, 2])


@variant("BIAS_OVERFLOW", "int16")
def _(pair, rng):
    def damage(net, op, bias, x):
        codes = net.data(net.slot(op, 2)).astype(np.int64)
        if np.abs(codes).max() <= 32767:
            return None
        net.set_data(net.slot(op, 2), np.clip(codes, -32768, 32767))
        return {"channels": np.flatnonzero(np.abs(codes) > 32767).tolist()}
    yield from bias_fault(pair, rng, damage, [1], ["BIAS_CORRUPT"])


@variant("BIAS_OVERFLOW", "wrap16")
def _(pair, rng):
    def damage(net, op, bias, x):
        codes = net.data(net.slot(op, 2)).astype(np.int64)
        if np.abs(codes).max() <= 32767:
            return None
        net.set_data(net.slot(op, 2), (codes + 32768) % 65536 - 32768)
        return {"channels": np.flatnonzero(np.abs(codes) > 32767).tolist()}
    yield from bias_fault(pair, rng, damage, [1], ["BIAS_CORRUPT"])


@variant("BIAS_OVERFLOW", "int32")
def _(pair, rng):
    """Channels whose weights are next to nothing get a scale so small that their bias does not fit."""
    for k, w, b, out in layer_places(pair, rng, need_bias=True, need_float=True):
        f = pair.float_layer(k)
        bias = pair.quant.bias(k)
        if len(pair.quant.scale(w)) < 2 or pair.quant.dtype(b) is not np.int32:
            continue
        order = shuffled(rng, np.flatnonzero(np.abs(bias) > 0.2 * np.abs(bias).max()))
        channels = order[:int(rng.integers(1, 4))]

        def edit(net, fp32, x):
            before = net.copy()
            weights = fp32.data(fp32.slot(f, 1))
            view = fp32.weight_view(f, weights)
            scale = net.scale(w)
            for c in channels:
                least = abs(bias[c]) / (2147483647.0 * net.scale(net.slot(k, 0))[0])   # scale of weights where the bias just fits
                tiny = least / x
                view[c] *= (tiny * 127) / max(np.abs(view[c]).max(), 1e-12)
                scale[c] = tiny
            fp32.set_data(fp32.slot(f, 1), weights)
            net.set_grid(w, scale)
            net.tensors[w].quantization.quantizedDimension = net.channel_axis(k)
            net.set_bias(k, bias)
            whole = before.real(w)
            before_view = before.weight_view(k, whole)
            for c in channels:
                before_view[c] = 0
            before.set_weights(k, whole, True)
            before.set_bias(k, bias)
            refit(pair, fp32, net, before)
            return {"channels": [int(c) for c in channels], "beyond": float(x), "_before": before}
        yield Fault(out, edit, np.geomspace(1.3, 30, 14), [b], ["BIAS_CORRUPT"], fp32_changes=True)
