"""Structure, what comes in: features of different scales, far from zero, with outliers, of small values; tables with a large row."""

import dataclasses, functools
import keras
import numpy as np
from keras import layers as L, ops
import bases, convert, data, networks
from case import Pair, Task, case

MEANS = np.array([43200, 98000, 800], np.float32)
DEVIATIONS = np.array([24900, 2500, 570], np.float32)


def folded(layer, rows, mean, deviation):
    """Puts (x - mean) / deviation of the input's `rows` into a layer's kernel and bias, which then takes x."""
    kernel, bias = layer.get_weights()
    kernel[..., rows, :] /= np.asarray(deviation, np.float32)[:, None]
    offset = np.broadcast_to(mean, np.shape(deviation))[:, None] * kernel[..., rows, :]
    bias -= offset.reshape(-1, len(bias)).sum(0)
    layer.set_weights([kernel, bias])


def weather():
    """Ten learned columns and three raw ones, joined."""
    small, raw = L.Input((10,), name="columns"), L.Input((3,), name="raw")
    x = L.Concatenate(name="join")([L.Dense(10, activation="relu", name="learn")(small), raw])
    for name, width in (("mix", 24), ("then", 16)):
        x = L.Dense(width, activation="relu", name=name)(x)
    return keras.Model([small, raw], L.Dense(4, activation="softmax", name="head")(x))


@functools.cache
def weathers(seed=111):
    """(network that takes normalized columns, the same that takes raw ones, the inputs of both for calibration and test)."""
    seed = bases.begin(seed)
    normal, plain = weather(), weather()
    small, raw, y = data.tables(bases.TRAIN, seed)
    bases.fit(normal, [small, (raw - MEANS) / DEVIATIONS], y, epochs=30)
    plain.set_weights(normal.get_weights())
    folded(plain.get_layer("mix"), slice(10, 13), MEANS, DEVIATIONS)
    test, test_raw, target = data.tables(bases.TEST, seed + 1)
    inputs = {"columns": small, "raw": raw}
    task = Task({"columns": test, "raw": test_raw}, target)
    normalize = lambda x: {**x, "raw": (x["raw"] - MEANS) / DEVIATIONS}
    return normal, plain, inputs, task, normalize


def joined(name, cause, scheme):
    @case(
        name,
        "structure",
        cause,
        "normalize the raw columns before the network",
        "input_scales",
        "join|mix|raw|concat",
        "normalize",
        "join|mix|raw",
    )
    def make():
        normal, plain, x, task, normalize = weathers()
        return Pair(
            convert.float_model(plain),
            scheme(plain, x),
            task,
            fix=scheme(normal, normalize(x)),
            fix_fp32=convert.float_model(normal),
            fix_task=dataclasses.replace(task, inputs=normalize(task.inputs)),
        )


joined("join_int8", "seconds and pascals joined with learned columns about 1: one scale for all", convert.static)
joined(
    "join_dynamic",
    "seconds and pascals set the range that is chosen per run, learned columns vanish",
    convert.edge_dynamic,
)
joined(
    "join_weights",
    "weights of columns in seconds and pascals are tiny beside the others and round to zero",
    convert.edge_weights,
)


def sensors():
    """Convolutions over the steps of six sensors, without padding."""
    i = L.Input((data.STEPS, data.SENSORS), name="sensors")
    x = L.Conv1D(16, 5, activation="relu", name="first")(i)
    x = L.MaxPooling1D(2)(L.Conv1D(24, 3, activation="relu", name="second")(x))
    x = L.Dense(24, activation="relu", name="wide")(L.Flatten()(x))
    return keras.Model(i, L.Dense(5, activation="softmax", name="head")(x))


@functools.cache
def sensor_base(seed=123):
    return bases.make(sensors, data.series, bases.same, seed, epochs=12)


def in_units(name, cause, fix, said, place, offset, units, scheme):
    """Registers the sensors' network for values offset + units * x, its normalization folded into the first layer."""

    @case(name, "structure", cause, fix, said, place, "normalize", place)
    def make():
        b = sensor_base()
        plain = sensors()
        plain.set_weights(b.model.get_weights())
        folded(plain.get_layer("first"), slice(0, data.SENSORS), offset, units)
        measured = lambda inputs: {"sensors": (offset + np.asarray(units) * inputs["sensors"]).astype(np.float32)}
        task = dataclasses.replace(b.task, inputs=measured(b.task.inputs))
        return Pair(
            convert.float_model(plain),
            scheme(plain, measured(b.x)),
            task,
            fix=b.right(scheme),
            fix_fp32=b.float,
            fix_task=b.task,
        )


KELVIN = "temperatures of 290 K that differ by 1 K: the range begins at 0, its step is as large as what matters"
UNITS = "six sensors in units of their own (0.02 to 2000) share the input's scale"
NORMALIZE = "normalize the inputs before the network"
MIXED = [2000, 1, 0.02, 60, 1, 400]
in_units("kelvin_int8", KELVIN, NORMALIZE, "far_from_zero", "sensors|first", 290, [1.2] * 6, convert.static)
in_units("kelvin_edge", KELVIN, NORMALIZE, "far_from_zero", "sensors|first", 290, [0.7] * 6, convert.edge8)
in_units("kelvin_dynamic", KELVIN, NORMALIZE, "far_from_zero", "sensors|first", 290, [1.2] * 6, convert.edge_dynamic)
in_units("units_int8", UNITS, NORMALIZE, "input_scales", "sensors|first", 0, MIXED, convert.static)
in_units("units_dynamic", UNITS + " of every run", NORMALIZE, "input_scales", "sensors|first", 0, MIXED, convert.edge_dynamic)
in_units(
    "units_weights",
    "weights of sensors in large units are tiny beside the others and round to zero",
    NORMALIZE,
    "input_scales",
    "sensors|first",
    0,
    MIXED,
    convert.edge_weights,
)


def with_hot_pixels(n, seed):
    """Pictures with a few pixels up to 50 times as bright as white."""
    picture, labels = data.pictures(n, seed)
    rng = np.random.default_rng(seed + 7)
    hot = rng.random((n, data.SIDE, data.SIDE, 1)) < 0.004
    return np.where(hot, 255 * rng.uniform(10, 50, hot.shape), picture).astype(np.float32), labels


@case(
    "hot_pixels",
    "structure",
    "hot pixels, to 50 times white, set the ranges of the input and the first layers",
    "clip the input, or choose ranges by percentiles",
    "outliers",
    "image|conv2d/|^(?!.*(head|pool))",
    "clip",
    "image|conv",
)
def hot_pixels():
    b = bases.make(networks.separable, with_hot_pixels, bases.to_unit, 131, epochs=12)
    clipped = {"image": np.minimum(b.x["image"], 1.1)}
    return Pair(b.float, b.right(), b.task, fix=convert.static(b.model, clipped))


def soft_and_loud(n, seed):
    """Sounds that were recorded from near and from far: their power differs a thousand times."""
    power, labels = data.sounds(n, seed)
    return (power * np.exp(np.random.default_rng(seed + 3).uniform(-7, 0, (n, 1, 1)))).astype(np.float32), labels


def log_of_soft(power):
    return np.log(power + 1e-5).astype(np.float32)


@case(
    "log_inside",
    "structure",
    "the logarithm is taken inside the network: power from 0.0001 to 30 in 8 bits before it",
    "take the logarithm before the network",
    "wide_input",
    "sound|log",
    "log_outside",
    "sound|log",
)
def log_inside():
    b = bases.make(networks.keywords, soft_and_loud, log_of_soft, 137, epochs=12)
    i = L.Input(b.model.input_shape[1:], name="sound")
    model = keras.Model(i, b.model(ops.log(i + 1e-5)))
    task = dataclasses.replace(b.task, inputs={"sound": b.raw_test})
    return Pair(
        convert.float_model(model),
        convert.static(model, {"sound": b.raw}),
        task,
        fix=b.right(),
        fix_fp32=b.float,
        fix_task=b.task,
    )


def large_first_row(shape, dtype=None):
    """Embeddings of which that of the first word (1: begin) is 1000 times the others."""
    table = np.random.default_rng(17).uniform(-0.05, 0.05, shape).astype(np.float32)
    table[1] *= 1000
    return ops.convert_to_tensor(table)


@case(
    "large_row",
    "structure",
    "an embedding with one row (begin) far above the others: one scale for the table",
    "a scale per row, the table in float, or that row out of the table",
    "large_row",
    "table|gather|embedding",
    "row",
    "table|gather|embedding",
)
def large_row():
    network = lambda: networks.word_bag(first=large_first_row)
    b = bases.make(network, lambda n, s: data.texts(n, s)[::2], bases.same, 139, epochs=12, rate=2e-3)
    return Pair(b.float, b.right(), b.task)
