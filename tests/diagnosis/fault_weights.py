"""WRONG_WEIGHTS, PER_TENSOR_WEIGHTS and WEIGHT_OUTLIER."""
import numpy as np
from net import Net, outputs_of
from pair import Fault, Unsuitable, fused, layer_places, refit, variant


def weights_fault(pair, rng, damage, strengths, also_cause=(), need_float=False, kinds=None):
    """`damage(net, op, real weights with the output channel first, strength)` returns details; the grid stays."""
    for k, w, b, out in layer_places(pair, rng, need_float=need_float, kinds=kinds):
        def edit(net, fp32, x):
            values = net.real(w)
            view = net.weight_view(k, values)
            details = damage(net, k, view, x)
            if details is None:
                return None
            scale, zero = net.scale(w), net.zero(w)
            shape = [-1] + [1] * (view.ndim - 1)
            codes = np.round(view / scale.reshape(shape)) + zero.reshape(shape)
            least = -127 if net.dtype(w) is np.int8 else 1
            net.set_data(w, np.moveaxis(np.clip(codes, least, least + 254), 0, net.channel_axis(k)))
            return details
        yield Fault(out, edit, strengths, [w], also_cause)


@variant("WRONG_WEIGHTS", "noise")
def _(pair, rng):
    def damage(net, op, view, x):
        view += x * np.sqrt((view ** 2).mean()) * np.random.default_rng(7).standard_normal(view.shape)
        return {"relative": float(x)}
    yield from weights_fault(pair, rng, damage, np.geomspace(0.05, 2, 16))


@variant("WRONG_WEIGHTS", "zero_channel")
def _(pair, rng):
    c0 = int(rng.integers(1 << 20))
    def damage(net, op, view, x):
        c = (c0 + int(x)) % len(view)
        if len(view) < 2:
            return None
        view[c] = 0
        return {"channel": c}
    yield from weights_fault(pair, rng, damage, [0, 1, 2, 3])


@variant("WRONG_WEIGHTS", "sign_channel")
def _(pair, rng):
    c0 = int(rng.integers(1 << 20))
    def damage(net, op, view, x):
        c = (c0 + int(x)) % len(view)
        view[c] *= -1
        return {"channel": c}
    yield from weights_fault(pair, rng, damage, [0, 1, 2, 3])


@variant("WRONG_WEIGHTS", "swapped_channels")
def _(pair, rng):
    c0 = int(rng.integers(1 << 20))
    def damage(net, op, view, x):
        if len(view) < 3:
            return None
        a, b = (c0 + int(x)) % len(view), (c0 + 2 * int(x) + 1) % len(view)
        if a == b:
            return None
        view[[a, b]] = view[[b, a]]
        return {"channels": [a, b]}
    yield from weights_fault(pair, rng, damage, [0, 1, 2, 3])


@variant("WRONG_WEIGHTS", "transposed")
def _(pair, rng):
    def damage(net, op, view, x):
        if view.ndim == 2 and view.shape[0] == view.shape[1]:
            view[:] = view.T.copy()
            return {"axes": "all"}
        if view.ndim == 4 and view.shape[1] == view.shape[2] > 1:
            view[:] = view.swapaxes(1, 2).copy()
            return {"axes": "height, width"}
        return None
    yield from weights_fault(pair, rng, damage, [1])


@variant("WRONG_WEIGHTS", "row_rolled")
def _(pair, rng):
    c0 = int(rng.integers(1 << 20))
    def damage(net, op, view, x):
        c = (c0 + int(x)) % len(view)
        view[c] = np.roll(view[c].ravel(), 1).reshape(view[c].shape)
        return {"channel": c}
    yield from weights_fault(pair, rng, damage, [0, 1, 2, 3])


@variant("WRONG_WEIGHTS", "early")
def _(pair, rng):
    if pair.early is None:
        raise Unsuitable("no earlier state")
    early = Net(pair.early)
    for k, w, b, out in layer_places(pair, rng, need_float=True):
        f = pair.float_layer(k)
        if early.types != pair.fp32.types or early.data(early.slot(f, 1)) is None:
            continue

        def edit(net, fp32, x):
            values = early.data(early.slot(f, 1)).reshape(net.data(w).shape)
            bias = net.bias(k)
            net.set_weights(k, values, len(net.scale(w)) > 1)
            if bias is not None:
                net.set_bias(k, bias)
            return {}
        yield Fault(out, edit, [1], [w])


@variant("PER_TENSOR_WEIGHTS", "plain")
def _(pair, rng):
    for k, w, b, out in layer_places(pair, rng, need_float=True):
        f = pair.float_layer(k)
        if len(pair.quant.scale(w)) < 2:
            continue

        def edit(net, fp32, x):
            scale = net.scale(w)
            bias = net.bias(k)
            net.set_weights(k, fp32.data(fp32.slot(f, 1)).astype(np.float64).reshape(net.data(w).shape), False)
            if bias is not None:
                net.set_bias(k, bias)
            return {"ratio": float(scale.max() / np.median(scale))}
        yield Fault(out, edit, [1], [w], ["WEIGHT_OUTLIER"], rounded=(k, f))


def scaled_pair(pair, rng, k, f, w):
    """The layer behind, if it alone reads this layer's output and an output channel can be scaled here and unscaled there."""
    net = pair.quant
    out = int(net.ops[k].outputs[0])
    readers = net.readers.get(out, [])
    if fused(net, k) not in (0, 1) or fused(pair.fp32, f) not in (0, 1) or len(readers) != 1:
        return None
    after = readers[0]
    if net.types[after] not in ("CONV_2D", "DEPTHWISE_CONV_2D") or net.slot(after, 0) != out or pair.float_layer(after) is None:
        return None
    w2 = net.slot(after, 1)
    data = net.data(w2)
    fout = int(pair.fp32.ops[f].outputs[0])
    if data is None or len(net.readers[w2]) > 1 or pair.fp32.readers.get(fout) != [pair.float_layer(after)] or data.shape[-1] != len(net.scale(w)):
        return None
    if len(net.scale(w2)) < 2:
        return None
    return after


@variant("PER_TENSOR_WEIGHTS", "rescaled")
def _(pair, rng):
    """Some channels are made small, and large again by the layer behind, which does not change the float model's function."""
    for k, w, b, out in layer_places(pair, rng, need_float=True, kinds={"CONV_2D", "DEPTHWISE_CONV_2D"}):
        if len(pair.quant.scale(w)) < 2 or b < 0:
            continue
        f = pair.float_layer(k)
        after = scaled_pair(pair, rng, k, f, w)
        if after is None:
            continue
        seed = int(rng.integers(1 << 30))

        def edit(net, fp32, x):
            f2 = pair.float_layer(after)
            local = np.random.default_rng(seed)
            factors = np.where(local.random(len(net.scale(w))) < 0.6, 1 / (1 + local.random(len(net.scale(w))) * (x - 1)), 1.0)
            first = fp32.data(fp32.slot(f, 1)).astype(np.float64)
            fp32.weight_view(f, first)[:] *= factors.reshape([-1] + [1] * (first.ndim - 1))
            second = fp32.data(fp32.slot(f2, 1)).astype(np.float64) / factors
            fb = fp32.slot(f, 2)
            bias = fp32.data(fb).astype(np.float64) * factors
            fp32.set_data(fp32.slot(f, 1), first)
            fp32.set_data(fp32.slot(f2, 1), second)
            fp32.set_data(fb, bias)
            bias2 = net.bias(after)
            before = net.copy()
            for model, channels in ((before, True), (net, False)):
                model.set_weights(k, first, channels)
                model.set_bias(k, bias)
                model.set_weights(after, second, True)
                if bias2 is not None:
                    model.set_bias(after, bias2)
            return {"ratio": float(1 / factors.min()), "_before": before}
        yield Fault(out, edit, [2, 3, 4, 6, 8, 12, 16], [w], ["WEIGHT_OUTLIER"], fp32_changes=True, rounded=(k, f))


def weight_outlier(pair, rng, per_channel):
    for k, w, b, out in layer_places(pair, rng, need_float=True, kinds={"CONV_2D", "FULLY_CONNECTED"}):
        f = pair.float_layer(k)
        data = pair.fp32.slot(f, 0)
        if data not in pair.maps or (per_channel and len(pair.quant.scale(w)) < 2):
            continue
        values = np.concatenate([v.reshape(-1, v.shape[-1]) for v in pair.maps[data]])
        size = pair.quant.data(w).shape[-1]
        if values.shape[1] != size:
            continue
        loud = np.sqrt((values ** 2).mean(0))
        quiet = np.argsort(loud)[:max(1, size // 8)]
        place = int(quiet[rng.integers(len(quiet))])
        seed = int(rng.integers(1 << 30))

        def edit(net, fp32, x):
            local = np.random.default_rng(seed)
            weights = fp32.data(fp32.slot(f, 1)).astype(np.float64)
            channels = [int(local.integers(len(weights)))] if not per_channel else range(len(weights)) if seed % 2 else [int(local.integers(len(weights)))]
            for c in channels:
                spot = (c, *[int(local.integers(n)) for n in weights.shape[1:-1]], place)
                weights[spot] = x * np.abs(weights).max() * (1 if local.random() < 0.5 else -1) if not per_channel else \
                    x * np.abs(weights[c]).max() * (1 if local.random() < 0.5 else -1)
            fp32.set_data(fp32.slot(f, 1), weights)
            bias = net.bias(k)
            before = net.copy()
            for model, channelwise in ((before, True), (net, per_channel)):
                if model is before and per_channel:
                    continue
                if model is before and net.dtype(w) is np.uint8:
                    continue
                model.set_weights(k, weights.reshape(net.data(w).shape), channelwise)
                if bias is not None:
                    model.set_bias(k, bias)
            refit(pair, fp32, net, before)
            details = {"channels": list(channels)[:8], "times_max": float(x)}
            if not per_channel and net.dtype(w) is not np.uint8:
                return details | {"_before": before}
            if x != 1:  # no integer weights could hold the outlier well: what the same pair loses where it is no outlier
                mild, mild_fp32 = pair.quant.copy(), pair.fp32.copy()
                edit(mild, mild_fp32, 1)
                details["_before_sqnr"] = pair.measure(mild, outputs_of(mild_fp32.bytes(), pair.records))
            return details
        yield Fault(out, edit, np.geomspace(3, 100, 14), [w], [] if per_channel else ["PER_TENSOR_WEIGHTS"], fp32_changes=True,
                    rounded=(k, f))


@variant("WEIGHT_OUTLIER", "tensor")
def _(pair, rng):
    yield from weight_outlier(pair, rng, False)


@variant("WEIGHT_OUTLIER", "channel")
def _(pair, rng):
    yield from weight_outlier(pair, rng, True)
