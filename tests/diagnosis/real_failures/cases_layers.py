"""Structure, what layers do: pools, masks, normalization, scales of channels, heads, constants, states, few bits."""

import dataclasses, functools
import keras
import numpy as np
from keras import layers as L, ops
import bases, convert, data, networks
from case import Pair, case
from cases_twins import without_softmax


def needles(average=True):
    """Finds a small glyph in a black picture; its features are averaged by AVERAGE_POOL_2D or by MEAN."""
    i = L.Input((data.SIDE, data.SIDE, 1), name="image")
    x = networks.conv(networks.conv(i, 16, 5), 24)
    x = L.ActivityRegularization(l1=3e-3)(x)  # what makes features sparse
    x = L.Flatten()(L.AveragePooling2D(data.SIDE, name="average")(x)) if average else L.GlobalAveragePooling2D(name="mean")(x)
    x = L.BatchNormalization()(x)
    return keras.Model(i, L.Dense(12, activation="softmax", name="head")(x))


@case(
    "needle",
    "structure",
    "AVERAGE_POOL_2D over sparse features must keep their scale: the mean is less than a step",
    "MEAN (GlobalAveragePooling2D) with a scale of its own, or a maximum",
    "keeps_scale",
    "average",
    "own_scale",
    "average",
)
def needle():
    b = bases.make(needles, data.glyphs, bases.same, 151, epochs=7)
    other = needles(False)
    other.set_weights(b.model.get_weights())
    return Pair(b.float, b.right(), b.task, fix=convert.static(other, b.x), fix_fp32=convert.float_model(other))


def masked(name, scheme, cause):
    @case(name, "structure", cause, "mask with -30", "mask", "block|add|mul|sub|mask", "small_mask", "block|mask")
    def make():
        model, x, task = bases.encoder()
        other = networks.masked_encoder(-30.0)
        other.set_weights(model.get_weights())
        return Pair(convert.float_model(model), scheme(model, x), task, fix=scheme(other, x), fix_fp32=convert.float_model(other))


masked("mask_int8", convert.static, "padding is hidden by adding -1e9 to the scores of attention: their range is 1e9 wide")
masked("mask_edge", convert.edge8, "padding is hidden by adding -1e9 to the scores of attention: their range is 1e9 wide")
masked("mask_half", lambda m, x: convert.half(m), "padding is hidden by adding -1e9, which float16 does not hold")


def masked_head(value):
    """The keyword network with nine classes, three of which are not in use and masked by adding `value`."""
    logits = without_softmax(bases.keywords())
    inner = logits.layers[-1].input
    kernel, bias = logits.layers[-1].get_weights()
    wide = L.Dense(9, name="nine")
    mask = np.array([0] * 6 + [value] * 3, np.float32)
    model = keras.Model(logits.inputs, L.Softmax(name="probability")(wide(inner) + mask))
    wide.set_weights([np.concatenate([kernel, kernel[:, :3] * 0.7], 1), np.concatenate([bias, bias[:3]])])
    return model


@case(
    "mask_classes",
    "structure",
    "three unused classes are masked with -1e6 before the softmax",
    "mask with -30, or drop the classes",
    "mask",
    "nine|add|probability|head",
    "small_mask",
    "nine|add|probability",
)
def mask_classes():
    b, model, other = bases.keywords(), masked_head(-1e6), masked_head(-30.0)
    return Pair(
        convert.float_model(model), convert.static(model, b.x), b.task, fix=convert.static(other, b.x), fix_fp32=convert.float_model(other)
    )


def level(epsilon):
    """The keyword network behind a LayerNorm of every frame."""
    i = L.Input((data.FRAMES, data.BANDS), name="sound")
    return keras.Model(i, networks.keywords()(L.LayerNormalization(epsilon=epsilon, name="level")(i)))


def gated_sounds(n, seed):
    """Amplitudes that are exactly 0 in the frames of silence."""
    power, labels = data.sounds(n, seed)
    amplitude = np.sqrt(power)
    return np.where(amplitude.max(2, keepdims=True) > 0.9, amplitude, 0).astype(np.float32), labels


@case(
    "small_variance",
    "structure",
    "LayerNorm of silent frames: 1/sqrt(variance + 1e-9) reaches 30000 and sets its range",
    "a larger epsilon (1e-3)",
    "small_variance",
    "level|rsqrt",
    "epsilon",
    "level",
)
def small_variance():
    b = bases.make(lambda: level(1e-9), gated_sounds, bases.same, 163, epochs=12)
    other = level(1e-3)
    other.set_weights(b.model.get_weights())
    return Pair(
        b.float,
        b.right(),
        b.task,
        fix=convert.static(other, b.x),
        fix_fp32=convert.float_model(other),
    )


def unequal(base, first="batch_normalization", factors=np.logspace(-3, 0, 16)):
    """The same function with the first layer's channels times `factors` and the next layer's columns divided by them."""
    model = keras.models.clone_model(base.model)
    model.set_weights(base.model.get_weights())
    kinds = [[l for l in model.layers if isinstance(l, kind)] for kind in (L.BatchNormalization, L.Conv1D)]
    norm, follower = kinds[0][0], kinds[1][1]
    gamma, beta, *rest = norm.get_weights()
    norm.set_weights([gamma * factors, beta * factors, *rest])
    follower.set_weights([follower.get_weights()[0] / factors[:, None]])
    return model


def channels(name, cause, scheme):
    @case(
        name,
        "structure",
        cause,
        "equalize the channels (scale them in one layer, back in the next)",
        "channels_differ",
        "conv1d|relu",
        "equalize",
        "conv1d|relu",
    )
    def make():
        b = bases.keywords()
        model = unequal(b)
        return Pair(convert.float_model(model), scheme(model, b.x), b.task, fix=b.right(scheme), fix_fp32=b.float)


channels("channels_int8", "channels of a map differ 1000 times and share its scale", convert.static)
channels(
    "channels_weights",
    "weights of large channels are tiny beside those of small ones and round to zero",
    convert.edge_weights,
)


def head_cut(name, cause, fix, said, fixed_by, make_base, finish, back, place):
    """Registers `finish(network)`, whose int8 output cannot hold its values; the fix ends before `finish`, `back` is done outside."""

    @case(name, "structure", cause, fix, said, place, fixed_by, place)
    def make():
        b = make_base()
        model = keras.Model(b.model.inputs, finish(b.model.outputs[0]))
        task = dataclasses.replace(b.task, target=back(b.task.target), metric="r2log")
        return Pair(
            convert.float_model(model),
            convert.static(model, b.x),
            task,
            fix=b.right(),
            fix_fp32=b.float,
            fix_task=dataclasses.replace(task, post=back),
        )


@functools.cache
def logarithms(seed, low, high):
    """Network for a number that grows with the columns, from `low` to `high`."""

    def source(n, s):
        x, share = data.rates(n, s)
        level = np.clip((np.log(share) + 11) / 10, 0, 1)
        return x, (low + (high - low) * level).astype(np.float32)

    return bases.make(lambda: networks.dense(12, 1), source, bases.same, seed, "r2", "mse", epochs=30)


head_cut(
    "small_shares",
    "shares from 1e-5 to 0.1 behind a sigmoid in 8 bits, whose step is 1/256",
    "end with the logits, or predict the logarithm of the share",
    "small_output",
    "log_head",
    lambda: logarithms(171, -10.0, -2.0),
    lambda x: ops.sigmoid(x),
    lambda x: 1 / (1 + np.exp(-x)),
    "sigmoid|head|StatefulPartitionedCall|identity",
)
head_cut(
    "price_exp",
    "an output from 1 to 100000 through exp in 8 bits: most are less than a step",
    "end before exp, take it outside",
    "small_output",
    "log_head",
    lambda: logarithms(173, 0.0, 11.5),
    lambda x: ops.exp(x),
    np.exp,
    "exp|head|StatefulPartitionedCall|identity",
)
head_cut(
    "cubes",
    "a regression from 0.1 to 20000 (a cube) in 8 bits: small ones are less than a step",
    "predict the root or the logarithm",
    "small_output",
    "log_head",
    lambda: logarithms(177, 0.5, 27.0),
    lambda x: x * x * x,
    lambda x: np.maximum(x, 0.1) ** 3,
    "mul|head|StatefulPartitionedCall|identity",
)


@case(
    "constant_half",
    "structure",
    "a constant of 250000 is more than float16 holds (65504)",
    "scale outside the network",
    "half_overflow",
    "mul|head|watts|StatefulPartitionedCall|identity",
    "scale_outside",
    "mul|watts|StatefulPartitionedCall",
)
def constant_half():
    b = logarithms(179, 0.0, 1.0)
    watts = keras.Model(b.model.inputs, L.Rescaling(250000.0, name="watts")(b.model.outputs[0]))
    task = dataclasses.replace(b.task, target=b.task.target * 250000)
    return Pair(
        convert.float_model(watts),
        convert.half(watts),
        task,
        fix=convert.half(b.model),
        fix_fp32=b.float,
        fix_task=b.task,
    )


@case(
    "boxes_pixels",
    "structure",
    "boxes in pixels (to 640) joined with scores to 1: scores are less than a step",
    "boxes in 0..1, or an output of their own",
    "input_scales",
    "both|concat|box|StatefulPartitionedCall",
    "apart",
    "both|box|StatefulPartitionedCall",
)
def boxes_pixels():
    model, x, task = bases.detector(pixels=640.0)
    other = bases.detector()[0]
    return Pair(
        convert.float_model(model),
        convert.static(model, x),
        task,
        fix=convert.static(other, x),
        fix_fp32=convert.float_model(other),
    )


def slim(penalty=0.08):
    """The keyword network with its channels pressed to zero (network slimming), before they are cut out."""
    i = x = L.Input((data.FRAMES, data.BANDS), name="sound")
    for n, k, stride in ((24, 5, 2), (32, 5, 2), (32, 3, 1)):
        x = L.Conv1D(n, k, strides=stride, padding="same", use_bias=False)(x)
        x = L.ReLU()(L.BatchNormalization(gamma_regularizer=keras.regularizers.L1(penalty))(x))
    return keras.Model(i, L.Dense(6, activation="softmax", name="head")(L.GlobalAveragePooling1D(name="pool")(x)))


@functools.cache
def slimmed(seed=181):
    return bases.make(slim, data.sounds, bases.log_power, seed, epochs=16)


def dead(name, scheme):
    @case(
        name,
        "structure",
        "channels whose weights training pressed to zero: their scale is tiny, the bias ends at int32's limit",
        "cut these channels out, or a larger scale for them",
        "bias_limit",
        "conv1d|batch|relu",
        "bias",
        "conv1d|batch|relu",
    )
    def make():
        b = slimmed()
        return Pair(b.float, b.right(scheme), b.task, fix=convert.static(b.model, b.x, "int16x8"))


dead("dead_channels_edge", convert.edge8)
dead("dead_channels", convert.static)


@case(
    "sum_of_steps",
    "structure",
    "a state of 48 unrolled steps in int8: its rounding adds up",
    "16-bit values, or the state in float",
    "adds_up",
    r"\*|gru",
    "sixteen",
    "gru",
)
def sum_of_steps():
    b = bases.adder()
    return Pair(b.float, b.right(), b.task, fix=convert.static(b.model, b.x, "int16x8"))


def few_bits(name, base, scheme, better):
    @case(name, "structure", "4-bit weights everywhere", "8-bit weights", "few_bits", r"\*|.", "eight", ".")
    def make():
        b = base()
        return Pair(b.float, convert.edge(b.model, scheme), b.task, fix=convert.edge(b.model, better))


few_bits("four_bits_keywords", bases.keywords, "weight_only_wi4_afp32", "weight_only_wi8_afp32")
few_bits("four_bits_separable", bases.separable, "dynamic_wi4_afp32", "dynamic_wi8_afp32")
few_bits("four_bits_transformer", bases.transformer, "weight_only_wi4_afp32", "weight_only_wi8_afp32")


@case(
    "per_tensor",
    "structure",
    "depthwise weights with one scale for all channels",
    "weights per channel",
    "per_tensor",
    "depthwise|conv",
    "per_channel",
    "depthwise|conv",
)
def per_tensor():
    b = bases.separable()
    return Pair(b.float, convert.static(b.model, b.x, per_tensor=True), b.task, fix=b.right())
