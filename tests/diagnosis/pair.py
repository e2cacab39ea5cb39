"""What all planted faults share: a pair of models that fit each other, a place to damage, and where such places are."""
import numpy as np
from net import Net, maps_of, outputs_of, sqnr, to_uint8

LEAST, MOST = 4.0, 15.0   # dB that a fault should cost
ALONE = 6.0               # dB by which a fault of weights may be worse than the weights' rounding alone
CAUSES = {}               # variant name -> (cause, name, function)


class Unsuitable(Exception):
    """A base that has no place for a fault."""


class Pair:
    """A base, what its maps hold, and which tensors and layers of its two models stand for each other."""

    def __init__(self, name, fp32, quant, records, early=None, later=None, u8=False):
        self.name, self.records, self.early, self.later = name, records, early, later
        self.fp32 = Net(fp32)
        self.quant = Net(quant)
        if u8:
            to_uint8(self.quant)
        self.wanted = outputs_of(self.fp32.bytes(), records)
        self.before = self.measure(self.quant)
        self._maps = self._partners = None

    def measure(self, net, wanted=None):
        found = outputs_of(net.bytes(), self.records)
        wanted = self.wanted if wanted is None else wanted
        if [w.shape for w in wanted] != [f.shape for f in found]:
            raise Unsuitable("outputs differ in shape")
        return sqnr(wanted, found)

    @property
    def maps(self):
        """Real values of the float model's maps."""
        if self._maps is None:
            self._maps = maps_of(self.fp32.bytes(), self.records)
        return self._maps

    @property
    def partners(self):
        """Quantized map -> float map, by what they hold."""
        if self._partners is None:
            few = self.records[:4]
            fmaps = {t: np.concatenate([v.ravel() for v in values[:len(few)]]) for t, values in self.maps.items()}
            qmaps = {t: np.concatenate([v.ravel() for v in values]) for t, values in maps_of(self.quant.bytes(), few).items()}
            self._partners, used = {}, set()
            for t in self.quant.maps():
                if t not in qmaps:
                    continue
                best, chosen = 0.5, None
                for f, values in fmaps.items():
                    if values.shape == qmaps[t].shape and f not in used:
                        error = float(((values - qmaps[t]) ** 2).mean() / ((values ** 2).mean() + 1e-12))
                        same = self.fp32.name(f) == self.quant.name(t)
                        if error - 0.1 * same < best:
                            best, chosen = error - 0.1 * same, f
                if chosen is not None:
                    self._partners[t] = chosen
        return self._partners

    def bounds(self, group, maps=None):
        """What the float maps of a group reach; None where none is known."""
        maps = self.maps if maps is None else maps
        values = [v for t in group if t in self.partners for v in maps[self.partners[t]]]
        return None if not values else (min(0.0, min(v.min() for v in values)), max(0.0, max(v.max() for v in values)))

    def float_layer(self, op):
        """The float model's layer with the same weights."""
        if self.quant.slot(op, 1) < 0 or self.quant.scale(self.quant.slot(op, 1)) is None:
            return None
        mine = self.quant.real(self.quant.slot(op, 1))
        best = None
        for k in self.fp32.layers():
            t = self.fp32.slot(k, 1)
            other = self.fp32.data(t)
            if mine is None or other is None or other.dtype != np.float32 or other.size != mine.size or self.fp32.types[k] != self.quant.types[op]:
                continue
            norm = np.linalg.norm(mine) * np.linalg.norm(other)
            cosine = float((mine.ravel() * other.ravel()).sum() / norm) if norm > 0 else 0
            if cosine > 0.95 and (best is None or cosine > best[0]):
                best = cosine, k
        return None if best is None else best[1]


class Fault:
    """A place and a way to damage it. `edit(net, fp32, strength)` damages copies in place, and returns details or None."""

    def __init__(self, tensor, edit, strengths, also=(), also_cause=(), fp32_changes=False, rounded=None):
        self.tensor, self.edit, self.strengths = tensor, edit, list(strengths)
        self.also, self.also_cause, self.fp32_changes = list(also), list(also_cause), fp32_changes
        self.rounded = rounded  # (quantized layer, float layer) whose weights' rounding must be what the fault costs


def variant(cause, name):
    def register(function):
        CAUSES[f"{cause.lower()}-{name}"] = (cause, name, function)
        return function
    return register


def shuffled(rng, items):
    items = list(items)
    rng.shuffle(items)
    return items


def grouped(pair, rng, kinds=None, inputs=None, tied=None):
    """Groups of maps whose grid is free: (first tensor, group, what the data need)."""
    net = pair.quant
    for group in shuffled(rng, net.groups()):
        first = group[0]
        kind = net.types[net.maker[first]] if first in net.maker else "INPUT"
        made = {net.types[net.maker[t]] if t in net.maker else "INPUT" for t in group}
        if kinds and not made & kinds:
            continue
        is_input = first in net.graph.inputs or kind == "QUANTIZE"
        if inputs is not None and inputs != is_input:
            continue
        if tied is not None and tied != (len(group) > 1):
            continue
        bounds = pair.bounds(group)
        if bounds is None or not net.free(group) or bounds[1] - bounds[0] <= 0:
            continue
        yield first, group, bounds


def culprit(net, group):
    """The tensor to name: a CONCATENATION's output, else the first of the group."""
    for t in group:
        if t in net.maker and net.types[net.maker[t]] == "CONCATENATION":
            return t
    return group[0]


def layer_places(pair, rng, need_bias=False, need_float=False, kinds=None):
    net = pair.quant
    for k in shuffled(rng, net.layers()):
        w, b = net.slot(k, 1), net.slot(k, 2)
        if kinds and net.types[k] not in kinds:
            continue
        if not net.quantized(w) or net.data(w) is None or len(net.readers[w]) > 1 or not net.quantized(net.slot(k, 0)):
            continue
        if need_bias and (b < 0 or net.data(b) is None or len(net.readers[b]) > 1 or not np.any(net.data(b))):
            continue
        if need_float and pair.float_layer(k) is None:
            continue
        yield k, w, b, int(net.ops[k].outputs[0])


def fused(net, op):
    options = net.ops[op].builtinOptions
    return getattr(options, "fusedActivationFunction", 0)


def refit(pair, fp32, *nets):
    """After a change of the float model: ranges grow and shrink as its maps do."""
    maps = maps_of(fp32.bytes(), pair.records)
    for group in pair.quant.groups():
        old, new = pair.bounds(group), pair.bounds(group, maps)
        if old is None or not pair.quant.free(group):
            continue
        low, high = pair.quant.range(group[0])
        def follow(bound, was, now):
            return bound * now / was if abs(was) > 1e-6 else (now if now else bound)
        wanted = follow(low, old[0], new[0]), follow(high, old[1], new[1])
        width, was = wanted[1] - wanted[0], high - low
        if not np.isfinite(width) or width <= 0 or (abs(wanted[0] - low) < 0.02 * was and abs(wanted[1] - high) < 0.02 * was):
            continue
        for net in nets:
            scale, zero = net.grid_for(group[0], *wanted)
            net.regrid(group, scale, zero)
