"""Faults of a feature map's grid: ACT_CLIP, ACT_OUTLIER, NEGATIVE_CUT, LAST_LAYER, WRONG_ZERO_POINT, UNBALANCED_CONCAT, DEAD_SCALE."""
import numpy as np
from net import LAYERS, TIED
from pair import Fault, Unsuitable, culprit, fused, grouped, layer_places, shuffled, variant


def range_fault(pair, group, to_range, strengths, also_cause=()):
    """`to_range(strength)` -> low, high."""
    target = culprit(pair.quant, group)

    def edit(net, fp32, x):
        low, high = to_range(x)
        scale, zero = net.grid_for(target, low, high)
        net.regrid(group, scale, zero)
        return {"range": [float(v) for v in net.range(target)]}
    return Fault(target, edit, strengths, [t for t in group if t != target], also_cause)


SHRINK = np.linspace(0.97, 0.08, 24)


def clip(pair, rng, sides, **which):
    for first, group, (low, high) in grouped(pair, rng, **which):
        if sides == "two" and min(-low, high) < 0.1 * max(-low, high):
            continue
        if sides == "one":
            yield range_fault(pair, group, (lambda x: (low, high * x)) if high >= -low else (lambda x: (low * x, high)), SHRINK)
        elif sides == "low":
            if -low < 0.3 * high:
                continue
            yield range_fault(pair, group, lambda x: (low * x, high), SHRINK[:18], ["NEGATIVE_CUT"])
        else:
            yield range_fault(pair, group, lambda x: (low * x, high * x), SHRINK)


@variant("ACT_CLIP", "one")
def _(pair, rng):
    yield from clip(pair, rng, "one")


@variant("ACT_CLIP", "two")
def _(pair, rng):
    yield from clip(pair, rng, "two")


@variant("ACT_CLIP", "low")
def _(pair, rng):
    yield from clip(pair, rng, "low")


@variant("ACT_CLIP", "add")
def _(pair, rng):
    yield from clip(pair, rng, "both", kinds={"ADD", "MUL", "SUB"})


@variant("ACT_CLIP", "concat")
def _(pair, rng):
    yield from clip(pair, rng, "both", kinds={"CONCATENATION"})


@variant("ACT_CLIP", "input")
def _(pair, rng):
    yield from clip(pair, rng, "both", inputs=True)


def outlier(pair, rng, sides="both", **which):
    for first, group, (low, high) in grouped(pair, rng, **which):
        if set(group) & (set(pair.quant.graph.outputs) | last_inputs(pair.quant)):
            continue
        most = 4096 if pair.quant.dtype(first) is np.int16 else 128
        if sides == "both":
            yield range_fault(pair, group, lambda x: (low * x, high * x), np.geomspace(3, most, 16))
        else:
            yield range_fault(pair, group, (lambda x: (low, high * x)) if high >= -low else (lambda x: (low * x, high)), np.geomspace(3, most, 16))


@variant("ACT_OUTLIER", "both")
def _(pair, rng):
    yield from outlier(pair, rng)


@variant("ACT_OUTLIER", "one")
def _(pair, rng):
    yield from outlier(pair, rng, "one")


@variant("ACT_OUTLIER", "add")
def _(pair, rng):
    yield from outlier(pair, rng, kinds={"ADD", "MUL", "SUB"})


@variant("ACT_OUTLIER", "input")
def _(pair, rng):
    yield from outlier(pair, rng, inputs=True)


@variant("ACT_OUTLIER", "tied")
def _(pair, rng):
    yield from outlier(pair, rng, tied=True, inputs=False)


@variant("NEGATIVE_CUT", "cut")
def _(pair, rng):
    for first, group, (low, high) in grouped(pair, rng):
        if low > -0.02 * high or high <= 0 or pair.quant.dtype(first) is np.int16:
            continue
        yield range_fault(pair, group, lambda x: (0, high), [1], ["ACT_CLIP"])


@variant("NEGATIVE_CUT", "cut_linear")
def _(pair, rng):
    for first, group, (low, high) in grouped(pair, rng, kinds={"ADD", "LEAKY_RELU", "PRELU", "HARD_SWISH", "SUB", "MUL"}):
        if low > -0.01 * high or high <= 0 or pair.quant.dtype(first) is np.int16:
            continue
        yield range_fault(pair, group, lambda x: (0, high), [1], ["ACT_CLIP"])


@variant("NEGATIVE_CUT", "waste")
def _(pair, rng):
    for first, group, (low, high) in grouped(pair, rng):
        if low < -0.02 * high or set(group) & set(pair.quant.graph.outputs) or pair.quant.dtype(first) is np.int16:
            continue
        yield range_fault(pair, group, lambda x: (-x * high, high), [1, 1.5, 2, 3, 4, 6, 8], ["ACT_OUTLIER"])


def last_inputs(net):
    """Maps that the model's outputs are read from: behind QUANTIZE, DEQUANTIZE, copies, SOFTMAX and LOGISTIC."""
    found, todo = set(), [int(t) for t in net.graph.outputs]
    while todo:
        t = todo.pop()
        found.add(t)
        if t in net.maker and (net.types[net.maker[t]] in TIED - {"CONCATENATION"} | {"DEQUANTIZE", "QUANTIZE", "SOFTMAX", "LOGISTIC", "TANH"}):
            todo += [int(s) for s in net.ops[net.maker[t]].inputs if s >= 0 and net.data(s) is None]
    return found


@variant("LAST_LAYER", "bits")
def _(pair, rng):
    last = last_inputs(pair.quant)
    for first, group, (low, high) in grouped(pair, rng):
        if set(group) & last:
            most = 14 if pair.quant.dtype(first) is np.int16 else 5.5
            yield range_fault(pair, group, lambda x: (low * 2 ** x, high * 2 ** x), np.arange(1.5, most, 0.5), ["ACT_OUTLIER"])


@variant("LAST_LAYER", "one")
def _(pair, rng):
    last = last_inputs(pair.quant)
    for first, group, (low, high) in grouped(pair, rng):
        if set(group) & last:
            most = 14 if pair.quant.dtype(first) is np.int16 else 5.5
            yield range_fault(pair, group, lambda x: (low, max(high, -low) * 2 ** x), np.arange(1.5, most, 0.5), ["ACT_OUTLIER"])


@variant("WRONG_ZERO_POINT", "beside")
def _(pair, rng):
    for first, group, _bounds in grouped(pair, rng):
        if pair.quant.dtype(first) is np.int16:
            continue
        least, most = pair.quant.codes(first)
        for sign in shuffled(rng, (-1, 1)):
            def edit(net, fp32, x, sign=sign):
                zero = int(net.zero(first)[0]) + sign * int(x)
                if not least <= zero <= most:
                    return None
                net.regrid(group, net.scale(first)[0], zero)
                return {"shift": sign * int(x)}
            target = culprit(pair.quant, group)
            yield Fault(target, edit, [5, 10, 15, 20, 30, 40, 60, 80, 100, 120], [t for t in group if t != target],
                        ["ACT_CLIP", "NEGATIVE_CUT"])


COPIES = TIED - {"CONCATENATION", "PACK"}


@variant("WRONG_ZERO_POINT", "copy")
def _(pair, rng):
    net = pair.quant
    for k in shuffled(rng, range(len(net.ops))):
        if net.types[k] not in COPIES or not net.quantized(net.ops[k].outputs[0]) or net.dtype(net.ops[k].outputs[0]) is np.int16:
            continue
        out = int(net.ops[k].outputs[0])
        source = int(net.ops[k].inputs[0])
        group = next(g for g in net.groups(without=k) if out in g)
        if source in group or len(net.ops[k].outputs) != 1:
            continue

        def edit(changed, fp32, x):
            zero = int(changed.zero(out)[0]) + int(x)
            if not changed.codes(out)[0] <= zero <= changed.codes(out)[1]:
                return None
            changed.regrid(group, changed.scale(out)[0], zero)
            return {"shift": int(x)}
        sign = 1 if rng.random() < 0.5 else -1
        yield Fault(out, edit, [sign * n for n in (2, 3, 5, 8, 12, 18, 27, 40)], [t for t in group if t != out] + [source])
        yield Fault(out, edit, [-sign * n for n in (2, 3, 5, 8, 12, 18, 27, 40)], [t for t in group if t != out] + [source])


@variant("WRONG_ZERO_POINT", "filter_codes")
def _(pair, rng):
    for k, w, b, out in layer_places(pair, rng):
        def edit(net, fp32, x):
            info = np.iinfo(net.dtype(w))
            net.set_data(w, np.clip(net.data(w).astype(np.int32) + int(x), info.min, info.max))
            return {"shift": int(x)}
        sign = 1 if rng.random() < 0.5 else -1
        yield Fault(out, edit, [sign * n for n in (1, 2, 3, 4, 6, 8, 11, 15, 20, 30)], [w], ["WRONG_WEIGHTS"])


@variant("WRONG_ZERO_POINT", "filter_zero")
def _(pair, rng):
    for k, w, b, out in layer_places(pair, rng):
        if pair.quant.dtype(w) is not np.uint8:
            raise Unsuitable("kernels ignore the zero point of int8 weights")

        def edit(net, fp32, x):
            net.set_grid(w, net.scale(w), net.zero(w) + int(x))
            return {"shift": int(x)}
        sign = 1 if rng.random() < 0.5 else -1
        yield Fault(out, edit, [sign * n for n in (1, 2, 3, 4, 6, 8, 11, 15, 20, 30)], [w], ["WRONG_WEIGHTS"])


@variant("UNBALANCED_CONCAT", "small")
def _(pair, rng):
    """One branch of a concatenation is made small, and large again by the depthwise convolution behind."""
    net = pair.quant
    for cat in shuffled(rng, [k for k, kind in enumerate(net.types) if kind == "CONCATENATION"]):
        out = int(net.ops[cat].outputs[0])
        readers = net.readers.get(out, [])
        if len(readers) != 1 or net.types[readers[0]] != "DEPTHWISE_CONV_2D":
            continue
        after = readers[0]
        for branch in shuffled(rng, [int(t) for t in net.ops[cat].inputs]):
            k = net.maker.get(branch)
            if k is None or net.types[k] not in LAYERS or net.readers[branch] != [cat] or fused(net, k) not in (0, 1):
                continue
            f, f2 = pair.float_layer(k), pair.float_layer(after)
            if f is None or f2 is None:
                continue
            widths = [net.tensors[t].shape[-1] for t in net.ops[cat].inputs]
            start = int(sum(widths[:list(net.ops[cat].inputs).index(branch)]))
            stop = start + int(net.tensors[branch].shape[-1])

            def edit(changed, fp32, x):
                weights = fp32.data(fp32.slot(f, 1)).astype(np.float64) / x
                bias = fp32.data(fp32.slot(f, 2)).astype(np.float64) / x
                behind = fp32.data(fp32.slot(f2, 1)).astype(np.float64)
                behind[..., start:stop] *= x
                fp32.set_data(fp32.slot(f, 1), weights)
                fp32.set_data(fp32.slot(f, 2), bias)
                fp32.set_data(fp32.slot(f2, 1), behind)
                channels = len(changed.scale(changed.slot(k, 1))) > 1
                if len(changed.scale(changed.slot(after, 1))) < 2:
                    return None
                changed.set_weights(k, weights, channels)
                changed.set_bias(k, bias)
                bias2 = changed.bias(after)
                changed.set_weights(after, behind, True)
                changed.set_bias(after, bias2)
                bounds = [(np.min(v), np.max(v)) for t in net.ops[cat].inputs if int(t) != branch and int(t) in pair.partners
                          for v in pair.maps[pair.partners[int(t)]]]
                group = next(g for g in changed.groups() if out in g)
                scale, zero = changed.grid_for(out, min(b[0] for b in bounds), max(b[1] for b in bounds))
                changed.regrid(group, scale, zero)
                return {"small_branch": changed.name(branch), "ratio": float(x)}
            yield Fault(out, edit, np.geomspace(17, 20000 if net.dtype(out) is np.int16 else 200, 12), [int(t) for t in net.ops[cat].inputs], ["ACT_OUTLIER"], fp32_changes=True)


VALUES = [0.0, 1e-30, 1e30, float("nan"), float("inf"), 1e-25, 1e20, -1.0]


@variant("DEAD_SCALE", "activation")
def _(pair, rng):
    for first, group, _bounds in grouped(pair, rng):
        def edit(net, fp32, x):
            for t in group:
                net.set_grid(t, [VALUES[int(x)]], net.zero(t))
            return {"value": str(VALUES[int(x)])}
        target = culprit(pair.quant, group)
        yield Fault(target, edit, shuffled(rng, range(len(VALUES) - 1)), [t for t in group if t != target])


@variant("DEAD_SCALE", "filter")
def _(pair, rng):
    for k, w, b, out in layer_places(pair, rng):
        one = rng.random() < 0.5

        def edit(net, fp32, x):
            scale = net.scale(w)
            dimension = net.axis(w)
            scale[int(rng.integers(len(scale))) if one else slice(None)] = VALUES[int(x)]
            net.set_grid(w, scale, net.zero(w))
            net.tensors[w].quantization.quantizedDimension = dimension
            return {"value": str(VALUES[int(x)]), "all": not one}
        yield Fault(out, edit, shuffled(rng, range(len(VALUES))), [w])
