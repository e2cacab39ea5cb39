"""Twins that are not twins: the quantized model comes from another network than the float model that it is compared with."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers as L
import bases, convert, data, networks
from case import Pair, case


def copy_of(base):
    """The same network with the same weights, to be changed by training."""
    model = keras.models.clone_model(base.model)
    model.set_weights(base.model.get_weights())
    return model


def twin(name, base, cause, fix, said, fixed_by, other, scheme=convert.static, **truth):
    """Registers `base()` in float beside the quantized `other(base)`."""

    @case(name, "twin", cause, fix, said, r"\*", fixed_by, **truth)
    def make():
        b = base()
        return Pair(b.float, scheme(other(b), b.x), b.task, fix=b.right(scheme))


def other_run(network, source, **training):
    return lambda b: bases.make(network, source, b.prepare, 500, **training).model


def trained_further(b, rate=2e-3):
    """Some epochs on other data of the same kind."""
    raw, y = data.pictures(1200, 900)
    return bases.fit(copy_of(b), b.prepare(raw), y, epochs=3, rate=rate)


def pruned(b, kept=0.45):
    """The smallest weights of every layer set to zero, without training after."""
    model = copy_of(b)
    for layer in model.layers:
        weights = layer.get_weights()
        if weights and weights[0].ndim > 1:
            limit = np.quantile(np.abs(weights[0]), 1 - kept)
            layer.set_weights([np.where(np.abs(weights[0]) < limit, 0, weights[0]), *weights[1:]])
    return model


def statistics(b, change):
    """The network with batch normalization's statistics replaced by `change(layer, mean, variance)`."""
    model = copy_of(b)
    for layer in model.layers:
        if isinstance(layer, L.BatchNormalization):
            *rest, mean, variance = layer.get_weights()
            layer.set_weights([*rest, *change(layer, mean, variance)])
    return model


def lost_statistics(b):
    return statistics(b, lambda layer, mean, variance: (np.zeros_like(mean), np.ones_like(variance)))


def last_batch(b):
    """Statistics of the last batch of training alone, which held two classes."""
    model = copy_of(b)
    for layer in model.layers:
        if isinstance(layer, L.BatchNormalization):
            layer.momentum = 0.0
    model(b.prepare(b.raw[b.labels < 2][:32]), training=True)
    return model


def other_order(b):
    """The head's classes in alphabetical order instead of the order of the labels."""
    model = copy_of(b)
    kernel, bias = model.get_layer("head").get_weights()
    order = np.random.default_rng(5).permutation(len(bias))
    model.get_layer("head").set_weights([kernel[:, order], bias[order]])
    return model


def without_softmax(b):
    """The network up to its logits."""
    head = b.model.get_layer("head")
    logits = L.Dense(head.units, name="logits")
    model = keras.Model(b.model.inputs, logits(head.input))
    logits.set_weights(head.get_weights())
    return model


def quantization_aware(b, epochs=4, rate=5e-4):
    """Trained on with kernels rounded to 8 bits per channel in every step (gradients pass straight through)."""
    model = copy_of(b)
    optimizer, loss = keras.optimizers.Adam(rate), keras.losses.SparseCategoricalCrossentropy()
    kernels = [v for v in model.trainable_variables if len(v.shape) > 1]

    def rounded(v):
        step = tf.maximum(tf.reduce_max(tf.abs(v), list(range(len(v.shape) - 1)), keepdims=True) / 127, 1e-9)
        return tf.round(v / step) * step

    @tf.function
    def step(x, y):
        kept = [tf.identity(v.value) for v in kernels]
        for v in kernels:
            v.assign(rounded(v.value))
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        gradients = tape.gradient(value, [v.value for v in model.trainable_variables])
        for v, k in zip(kernels, kept):
            v.assign(k)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    optimizer.build(model.trainable_variables)
    x, y = b.prepare(b.raw), b.labels
    for batch in np.array_split(np.random.default_rng(1).permutation(len(y))[: epochs * len(y)], epochs * len(y) // 96):
        step(x[batch], y[batch])
    return model


CHECKPOINT = "quantize the float model given, or compare with the one that was quantized"
twin(
    "twin_run_separable",
    bases.separable,
    "quantized from another training run of the same network",
    CHECKPOINT,
    "other_weights",
    "same_model",
    other_run(networks.separable, data.pictures, epochs=12),
)
twin(
    "twin_run_keywords",
    bases.keywords,
    "quantized from another training run of the same network",
    CHECKPOINT,
    "other_weights",
    "same_model",
    other_run(networks.keywords, data.sounds, epochs=12),
    convert.edge8,
)
twin(
    "twin_finetuned",
    bases.residual,
    "quantized from a checkpoint that was trained further",
    CHECKPOINT,
    "trained_further",
    "same_model",
    trained_further,
    nothing_wrong=True,
)
twin(
    "twin_pruned",
    bases.separable,
    "quantized after pruning 55 % of the weights",
    "train after pruning, or quantize the model given",
    "pruned",
    "same_model",
    pruned,
)
twin(
    "twin_pruned_little",
    bases.residual,
    "quantized after pruning 20 % of the weights",
    "train after pruning, or quantize the model given",
    "pruned",
    "same_model",
    lambda b: pruned(b, 0.8),
)
twin(
    "twin_statistics_lost",
    bases.residual,
    "quantized from a checkpoint without the statistics of batch normalization (0 and 1)",
    "load the statistics, quantize again",
    "batch_norm",
    "batch_norm",
    lost_statistics,
)
twin(
    "twin_statistics_sound",
    bases.keywords,
    "quantized from a checkpoint without the statistics of batch normalization (0 and 1)",
    "load the statistics, quantize again",
    "batch_norm",
    "batch_norm",
    lost_statistics,
    convert.edge8,
)
twin(
    "twin_statistics_batch",
    bases.separable,
    "statistics of batch normalization are those of the last batch, of two classes",
    "average the statistics over the training data, quantize again",
    "batch_norm",
    "batch_norm",
    last_batch,
)
twin(
    "twin_classes",
    bases.separable,
    "classes in another order in the quantized model",
    "the same order of classes in both",
    "class_order",
    "class_order",
    other_order,
)
twin(
    "twin_classes_sound",
    bases.keywords,
    "classes in another order in the quantized model",
    "the same order of classes in both",
    "class_order",
    "class_order",
    other_order,
    convert.edge8,
)
twin(
    "twin_logits_quantized",
    bases.residual,
    "the quantized model ends before the softmax",
    "compare logits with logits",
    "softmax",
    "softmax",
    without_softmax,
)
twin(
    "twin_logits_words",
    bases.word_bag,
    "the quantized model ends before the softmax",
    "compare logits with logits",
    "softmax",
    "softmax",
    without_softmax,
)
twin(
    "twin_aware",
    bases.separable,
    "quantization-aware training moved the weights; nothing is wrong",
    "compare with the float model that training ended with",
    "trained_further",
    "same_model",
    quantization_aware,
    nothing_wrong=True,
)
twin(
    "twin_aware_sound",
    bases.keywords,
    "quantization-aware training moved the weights; nothing is wrong",
    "compare with the float model that training ended with",
    "trained_further",
    "same_model",
    quantization_aware,
    nothing_wrong=True,
)


@case("twin_logits_float", "twin", "the float model ends before the softmax", "compare logits with logits", "softmax", r"\*", "softmax")
def logits_float():
    b = bases.keywords()
    logits = without_softmax(b)
    return Pair(
        convert.float_model(logits),
        b.right(),
        b.task,
        fix=convert.static(logits, b.x),
        fix_fp32=convert.float_model(logits),
    )


@case(
    "twin_scaled",
    "twin",
    "the quantized model divides by 255 itself, the float model takes 0..1",
    "the same pre-processing in both models",
    "inner_scaling",
    r"\*|image|to_one",
    "inner_scaling",
)
def scaled():
    b, inside = bases.separable(), bases.scaled_inside()
    return Pair(b.float, convert.static(inside.model, inside.x), b.task, fix=b.right())


@case(
    "twin_normalized",
    "twin",
    "the quantized model takes mean and deviation off itself, the float model wants that done",
    "the same pre-processing in both models",
    "inner_scaling",
    r"\*|image|normalize",
    "inner_scaling",
)
def normalized():
    b = bases.residual()
    i = L.Input(b.model.input_shape[1:], name="image")
    model = keras.Model(i, b.model(L.Normalization(mean=bases.MEAN, variance=bases.DEVIATION**2, name="normalize")(i)))
    return Pair(b.float, convert.static(model, {"image": bases.to_unit(b.raw)}), b.task, fix=b.right())


def resized(b, other, shape):
    """The pair of `b` in float and of `other`, with its weights, for records cut to `shape`."""
    other.set_weights(b.model.get_weights())
    cut = np.ascontiguousarray(b.prepare(b.raw)[tuple(slice(n) for n in (None, *shape))])
    return Pair(b.float, convert.static(other, {b.name: cut}), b.task, fix=b.right())


@case(
    "twin_size_pictures",
    "twin",
    "quantized for 20x20 pictures, the float model takes 24x24",
    "quantize for the same size",
    "size",
    r"\*",
    "size",
)
def size_pictures():
    return resized(bases.separable(), networks.separable(20), (20, 20))


@case("twin_size_sounds", "twin", "quantized for 32 frames, the float model takes 40", "quantize for the same size", "size", r"\*", "size")
def size_sounds():
    return resized(bases.keywords(), networks.keywords(32), (32,))
