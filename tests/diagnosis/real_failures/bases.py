"""The trained networks that cases start from, each trained once per run of make_cases.py."""

import dataclasses, functools
import keras
import numpy as np
import convert, data, networks
from case import Task

TRAIN, TEST = 2400, 400
SHIFT = 0  # of all seeds, so that the whole set can be made again


@dataclasses.dataclass(eq=False)
class Base:
    """A trained model, its data as measured (raw), and how they are prepared for it: raw array -> array."""

    model: keras.Model
    name: str  # of the input
    raw: np.ndarray  # for training and calibration
    labels: np.ndarray
    raw_test: np.ndarray
    target: np.ndarray
    prepare: object
    metric: str = "acc"

    @property
    def x(self):
        """Prepared inputs for calibration."""
        return {self.name: self.prepare(self.raw)}

    @functools.cache
    def right(self, scheme=convert.static):
        """The model as `scheme` converts it with the right data."""
        return scheme(self.model, self.x)

    @property
    def float(self):
        return convert.float_model(self.model)

    @property
    def task(self):
        return Task({self.name: self.prepare(self.raw_test)}, self.target, self.metric)


def fit(model, x, y, loss="sparse_categorical_crossentropy", epochs=10, rate=3e-3, batch=32):
    """Trains with a rate that falls to zero."""
    steps = epochs * (len(y) // batch + 1)
    model.compile(keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(rate, steps)), loss)
    model.fit(x, y, epochs=epochs, batch_size=batch, verbose=0)
    return model


def begin(seed):
    """Starts all random numbers of a network's training; gives the seed of its data."""
    keras.utils.set_random_seed(SHIFT + seed)
    return SHIFT + seed


def make(network, source, prepare, seed, metric="acc", loss="sparse_categorical_crossentropy", **training):
    """Trains `network()` on `source(n, seed) -> (raw, target)`."""
    seed = begin(seed)
    raw, y = source(TRAIN, seed)
    raw_test, target = source(TEST, seed + 1)
    model = network()
    fit(model, prepare(raw), y, loss, **training)
    return Base(model, model.inputs[0].name, raw, y, raw_test, target, prepare, metric)


def to_unit(p):
    return (p / 255).astype(np.float32)


MEAN, DEVIATION = np.array([0.44, 0.42, 0.41], np.float32), np.array([0.19, 0.17, 0.18], np.float32)


def standardized(p):
    return ((p / 255 - MEAN) / DEVIATION).astype(np.float32)


def signed(p):
    return (p / 127.5 - 1).astype(np.float32)


def log_power(p):
    return np.log(p + 1e-3).astype(np.float32)


def same(p):
    return p


@functools.cache
def separable(seed=21):
    return make(networks.separable, data.pictures, to_unit, seed, epochs=12)


@functools.cache
def scaled_inside(seed=21):
    """`separable` behind its own scaling, so that it takes 0..255."""
    base = separable(seed)
    model = networks.scaled_inside()
    model.layers[-1].set_weights(base.model.get_weights())
    return dataclasses.replace(base, model=model, prepare=same)


@functools.cache
def residual(seed=33):
    return make(networks.residual, data.pictures, standardized, seed, epochs=8)


@functools.cache
def transformer(seed=45):
    return make(networks.vision_transformer, data.pictures, signed, seed, epochs=18, rate=2e-3)


@functools.cache
def keywords(seed=57):
    return make(networks.keywords, data.sounds, log_power, seed, epochs=12)


@functools.cache
def word_bag(seed=61):
    return make(networks.word_bag, lambda n, s: data.texts(n, s)[::2], same, seed, epochs=8)


@functools.cache
def gated(seed=73):
    return make(networks.gated, data.series, same, seed, epochs=10, rate=5e-3)


@functools.cache
def memory(seed=79):
    return make(networks.memory, data.series, same, seed, epochs=10, rate=5e-3)


@functools.cache
def adder(seed=83):
    return make(networks.adder, data.sums, same, seed, "r2", "mse", epochs=10, rate=5e-3)


@functools.cache
def u_net(seed=87):
    return make(networks.u_net, data.scenes, to_unit, seed, "r2", "mse", epochs=5)


@functools.cache
def autoencoder(seed=91):
    return make(networks.autoencoder, lambda n, s: (data.spectra(n, s),) * 2, same, seed, "r2", "mse", epochs=25)


@functools.cache
def encoder(seed=65):
    """Text encoder with its mask; its inputs are two, so `raw` is unused."""
    seed = begin(seed)
    tokens, mask, y = data.texts(TRAIN, seed)
    model = fit(networks.masked_encoder(), {"tokens": tokens, "mask": mask}, y, epochs=8, rate=2e-3)
    test_tokens, test_mask, target = data.texts(TEST, seed + 1)
    return model, {"tokens": tokens, "mask": mask}, Task({"tokens": test_tokens, "mask": test_mask}, target)


@functools.cache
def unit_detector(seed=99):
    """(detector with boxes in 0..1, its pictures, the task: which shape scores best)."""
    seed = begin(seed)
    picture, box, y = data.boxes(TRAIN, seed)
    model = networks.detector()
    fit(model, to_unit(picture), np.concatenate([box, np.eye(4, dtype=np.float32)[y]], 1), "mse", epochs=12)
    test, _, target = data.boxes(TEST, seed + 1)
    return model, {"image": to_unit(picture)}, Task({"image": to_unit(test)}, target, "acc", 4)


def detector(pixels=1.0):
    """The same with boxes in parts of `pixels`."""
    trained, inputs, task = unit_detector()
    model = networks.detector(pixels)
    model.set_weights(trained.get_weights())
    return model, inputs, task
