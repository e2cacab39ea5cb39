"""Pairs without a fault, as they are or changed in ways that must not alarm anybody."""
import numpy as np
from net import Net
from pair import Fault, LEAST, Unsuitable, layer_places, refit, variant


def clean(name):
    return variant("CLEAN", name)


def well_calibrated(pair):
    """Ranges that cost as much as a fault are one, however natural."""
    net = pair.quant.copy()
    scaled_ranges(pair, lambda t, x: 1)(net, None, 1)
    if max(a - b for a, b in zip(pair.measure(net), pair.before)) >= LEAST:
        raise Unsuitable("poorly calibrated")


@clean("as_is")
def _(pair, rng):
    well_calibrated(pair)
    yield Fault(None, lambda net, fp32, x: {}, [1])


def scaled_ranges(pair, factor):
    """Ranges that the data need, times `factor(map)`: the base is one with exactly the needed ranges."""
    def edit(net, fp32, x):
        before = net.copy()
        for model, scaled in ((before, False), (net, True)):
            for group in net.groups():
                bounds = pair.bounds(group)
                if bounds and net.free(group):
                    by = factor(group[0], x) if scaled else 1
                    scale, zero = model.grid_for(group[0], bounds[0] * by, bounds[1] * by)
                    model.regrid(group, scale, zero)
        return {"ranges": float(x), "_before": before}
    return edit


@clean("percentile")
def _(pair, rng):
    """All ranges a little smaller than what the data reach, as percentile methods choose them; inputs keep theirs."""
    inputs = {int(t) for t in pair.quant.graph.inputs} | {int(o.outputs[0]) for k, o in enumerate(pair.quant.ops) if pair.quant.types[k] == "QUANTIZE"}
    yield Fault(None, scaled_ranges(pair, lambda t, x: 1 if t in inputs else x), [0.85, 0.9, 0.93, 0.96, 0.98])


@clean("wide")
def _(pair, rng):
    yield Fault(None, scaled_ranges(pair, lambda t, x: 1 + (x - 1) * ((t * 7919) % 13) / 12), [1.6, 1.4, 1.2])


@clean("renamed")
def _(pair, rng):
    well_calibrated(pair)
    def edit(net, fp32, x):
        for t, tensor in enumerate(net.tensors):
            tensor.name = f"t{t}".encode()
        return {}
    yield Fault(None, edit, [1])


@clean("retrained")
def _(pair, rng):
    """Weights of a few epochs more: no fault, though the output may move."""
    well_calibrated(pair)
    if pair.later is None:
        raise Unsuitable("no later state")
    later = Net(pair.later)
    layers = {k: pair.float_layer(k) for k in pair.quant.layers()}
    if later.types != pair.fp32.types or None in layers.values():
        raise Unsuitable("other layers")

    def edit(net, fp32, x):
        for k, f in layers.items():
            values = later.data(later.slot(f, 1))
            if values is None:
                return None
            bias = later.data(later.slot(f, 2)) if later.slot(f, 2) >= 0 else None
            net.set_weights(k, values.astype(np.float64).reshape(net.data(net.slot(k, 1)).shape), len(net.scale(net.slot(k, 1))) > 1)
            if bias is not None and net.slot(k, 2) >= 0:
                net.set_bias(k, bias.astype(np.float64))
        return {}
    yield Fault(None, edit, [1])


@clean("dead_channel")
def _(pair, rng):
    """A channel whose weights are next to nothing, with a scale to match and a bias of zero: natural after pruning."""
    well_calibrated(pair)
    for k, w, b, out in layer_places(pair, rng, need_bias=True, need_float=True):
        f = pair.float_layer(k)
        if len(pair.quant.scale(w)) < 4:
            continue

        def edit(net, fp32, x):
            c = int(x)
            values, bias = fp32.data(fp32.slot(f, 1)), fp32.data(fp32.slot(f, 2))
            view = fp32.weight_view(f, values)
            view[c] *= 1e-7 / np.abs(view[c]).max()
            bias[c] = 0
            fp32.set_data(fp32.slot(f, 1), values)
            fp32.set_data(fp32.slot(f, 2), bias)
            net.set_weights(k, values.astype(np.float64).reshape(net.data(w).shape), True)
            net.set_bias(k, bias.astype(np.float64))
            refit(pair, fp32, net)
            return {"channel": c}
        yield Fault(None, edit, [0, 1, 2], fp32_changes=True)
