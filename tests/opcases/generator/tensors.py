"""Tensors as a case describes them: real values first, quantized when the operator that reads them is reached."""

import dataclasses

import numpy as np

NUMPY = {
    "float32": np.float32, "float16": np.float16, "float64": np.float64, "complex64": np.complex64, "bool": np.bool_, "string": object,
    "int4": np.int8, "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64, "resource": np.int32,
}
LIMITS = {
    "int4": (-8, 7), "int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
}


@dataclasses.dataclass(frozen=True)
class Scheme:
    """The types that one description of an operator is tried in."""

    activation: str
    weight: str
    bias: str
    per_channel: bool = True

    @property
    def quantized(self):
        return self.weight != "float32"


SCHEMES = {
    "float": Scheme("float32", "float32", "float32"),
    "int8": Scheme("int8", "int8", "int32"),
    "int8_tensor": Scheme("int8", "int8", "int32", per_channel=False),
    "uint8": Scheme("uint8", "uint8", "int32", per_channel=False),
    "int16": Scheme("int16", "int8", "int64"),
    "int16_tensor": Scheme("int16", "int8", "int64", per_channel=False),
    "int16_bias32": Scheme("int16", "int8", "int32"),
    "int4": Scheme("int8", "int4", "int32"),
    "int4_tensor": Scheme("int8", "int4", "int32", per_channel=False),
    "hybrid": Scheme("float32", "int8", "float32"),
    "hybrid_tensor": Scheme("float32", "int8", "float32", per_channel=False),
    "hybrid_uint8": Scheme("float32", "uint8", "float32", per_channel=False),
    "hybrid_int4": Scheme("float32", "int4", "float32"),
    "hybrid_int4_tensor": Scheme("float32", "int4", "float32", per_channel=False),
}


@dataclasses.dataclass(eq=False)
class Tensor:
    role: str  # input, const, variable, result
    shape: tuple = ()
    use: str = "activation"  # activation, weight, bias (typed by the scheme), plain (typed by `type`)
    type: str = ""
    low: float = -3.0
    high: float = 3.0
    values: object = None  # of a const or, for both records, of an input
    records: object = None  # values of an input, one per record
    scale: object = None
    zero: object = None
    axis: object = None  # of a weight: channels have scales of their own where the scheme says so
    like: object = None  # quantized as this tensor is
    of: object = None  # the two tensors whose scales a bias multiplies
    pot: bool = False  # power-of-two scale
    signature: object = None
    sparsity: object = None
    block: int = 0  # blockwise quantization, block size
    block_scales: object = None
    spans: object = None  # fixed (low, high) of a result's scale
    factor: float = 1.0  # of a bias' scale

    stored: object = None  # as the file or the interpreter holds it: a const's array, an input's list of arrays
    real: object = None  # the same as real values
    index: int = -1

    def quantized(self):
        return self.scale is not None

    def real_of(self, stored):
        if not self.quantized():
            return stored
        scale, zero = (self._spread(v, np.ndim(stored)) for v in (self.scale, self.zero))
        return (np.asarray(scale, np.float32) * (np.asarray(stored, np.int64) - zero).astype(np.float32)).astype(np.float32)

    def stored_of(self, real):
        """Half away from zero, clamped to the type."""
        if not self.quantized():
            return np.asarray(real).astype(NUMPY[self.type])
        real = np.asarray(real, np.float64)
        scale, zero = (self._spread(v, real.ndim) for v in (self.scale, self.zero))
        steps = real / np.asarray(scale, np.float64)
        return np.clip(np.trunc(steps + np.copysign(0.5, steps)) + zero, *LIMITS[self.type]).astype(NUMPY[self.type])

    def _spread(self, values, rank):
        values = np.asarray(values)
        return values.reshape([-1 if i == (self.axis or 0) else 1 for i in range(rank)]) if values.ndim else values

    def set_range(self, low, high):
        """The parameters that a converter would choose for these values."""
        low, high = min(0.0, float(low)), max(0.0, float(high))
        if high - low < 1e-6:
            high = low + 1.0
        if self.type == "int16":
            self.scale, self.zero = np.float32(max(-low, high) / 32767), 0
        else:
            bottom, top = LIMITS[self.type]
            self.scale = np.float32((high - low) / (top - bottom))
            self.zero = int(np.clip(round(bottom - low / self.scale), bottom, top))
        if self.pot:
            self.scale = np.float32(2.0 ** np.ceil(np.log2(self.scale)))
            if self.type != "int16":
                self.zero = int(np.clip(round(bottom - low / self.scale), bottom, top))

    def resolve(self, scheme, rng, count):
        """Gives an input or a constant its type, quantization and values; a result its type."""
        if not self.type:
            self.type = {"activation": scheme.activation, "weight": scheme.weight, "bias": scheme.bias}[self.use]
        if self.role == "result":
            if self.like is not None:
                self.scale, self.zero, self.axis = self.like.scale, self.like.zero, self.like.axis
            elif self.spans is not None and self.type in ("int8", "uint8", "int16", "int4"):
                self.set_range(*self.spans)
            return
        if self.stored is not None or self.role == "variable":
            return
        drawn = self._draw(rng, count)
        self._choose_scale(scheme, drawn)
        stored = [self.stored_of(v) for v in drawn]
        self.stored = stored if self.role == "input" else stored[0]
        self.real = [self.real_of(v) for v in stored] if self.role == "input" else self.real_of(stored[0])
        if self.role == "const":
            self.shape = np.shape(self.stored)
        else:
            self.shape = np.shape(stored[0])

    def _draw(self, rng, count):
        number = count if self.role == "input" else 1
        if self.records is not None:
            return [np.asarray(v, NUMPY[self.type]) if self.use == "plain" else np.asarray(v, np.float32) for v in self.records]
        if self.values is not None:
            value = np.asarray(self.values, NUMPY[self.type] if self.use == "plain" else np.float32)
            return [value] * number
        if self.use == "plain" and self.type == "bool":
            return [rng.random(self.shape) < 0.5 for _ in range(number)]
        if self.use == "plain" and self.type in NUMPY and np.issubdtype(NUMPY[self.type], np.integer):
            return [rng.integers(int(self.low), int(self.high), self.shape, NUMPY[self.type], endpoint=True) for _ in range(number)]
        return [rng.uniform(self.low, self.high, self.shape).astype(np.float32) for _ in range(number)]

    def _choose_scale(self, scheme, drawn):
        if self.use == "plain" or self.scale is not None or self.type in ("float32", "string", "bool"):
            return
        if self.like is not None:
            self.scale, self.zero, self.axis = self.like.scale, self.like.zero, self.like.axis
        elif self.use == "bias":
            data, weight = self.of
            self.scale = np.asarray(np.float32(data.scale) * np.asarray(weight.scale, np.float32) * np.float32(self.factor), np.float32)
            self.zero, self.axis = np.zeros(self.scale.shape, np.int64), 0
            self.scale, self.zero = (self.scale, self.zero) if self.scale.ndim else (np.float32(self.scale), 0)
        elif self.use == "weight" and self.type != "uint8":
            top = LIMITS[self.type][1]
            if self.axis is not None and scheme.per_channel:
                others = tuple(i for i in range(drawn[0].ndim) if i != self.axis)
                self.scale = (np.maximum(np.abs(drawn[0]).max(axis=others), 1e-3) / top).astype(np.float32)
                self.zero = np.zeros(self.scale.shape, np.int64)
            else:
                self.scale, self.zero, self.axis = np.float32(np.abs(drawn[0]).max(initial=1e-3) / top), 0, None
        else:
            every = np.concatenate([np.ravel(v) for v in drawn]) if self.role == "const" or self.values is not None or self.records is not None else []
            self.set_range(np.min(every) if np.size(every) else self.low, np.max(every) if np.size(every) else self.high)
            self.axis = None


def x(*shape, **more):
    """A graph input of the scheme's activation type."""
    return Tensor("input", shape, **more)


def const(values=None, shape=(), **more):
    """A constant of the scheme's activation type."""
    return Tensor("const", tuple(shape), values=values, **more)


def weights(*shape, axis=0, low=-1.0, high=1.0, **more):
    return Tensor("const", shape, use="weight", axis=axis, low=low, high=high, **more)


def bias(count, **more):
    return Tensor("const", (count,), use="bias", low=-1.0, high=1.0, **more)


def plain_input(type, *shape, low=0, high=10, **more):
    """A graph input that is never quantized."""
    return Tensor("input", shape, use="plain", type=type, low=low, high=high, **more)


def plain(values, type="int32"):
    """A constant that is never quantized: axes, sizes, indices."""
    return Tensor("const", use="plain", type=type, values=values)


def y(**more):
    """A result of the scheme's activation type; its scale is taken from the values where nothing else is said."""
    return Tensor("result", **more)


def plain_y(type="int32", **more):
    return Tensor("result", use="plain", type=type, **more)


def variable(*shape, type="float32", **more):
    return Tensor("variable", shape, use="plain", type=type, **more)
