"""Calibration with the wrong data: the float model and the evaluation are right, all ranges are wrong together."""

import numpy as np
import bases, convert, data
from case import Pair, case

FIX = "calibrate again, everything, with representative data prepared as in evaluation"


def wrong(name, base, cause, inputs, scheme=convert.static):
    """Registers the pair of `base()` that is calibrated with `inputs(base)`, an array."""

    @case(name, "calibration", cause, FIX, "calibration", r"\*|image|sound|sensors|spectrum", "calibrate")
    def make():
        b = base()
        return Pair(b.float, scheme(b.model, {b.name: inputs(b).astype(np.float32)}), b.task, fix=b.right(scheme))


def one_class(b):
    return b.prepare(b.raw[b.labels == 2])


def broken_record(b):
    """One record of the calibration holds values that no record has."""
    x = b.prepare(b.raw[: convert.CALIBRATION]).copy()
    x[7] *= 300
    return x


def nchw(b):
    """Pictures stored as channels, rows, columns, given to a model that reads rows, columns, channels."""
    x = b.prepare(b.raw[: convert.CALIBRATION])
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2)).reshape(x.shape)


def noise(b):
    x = b.prepare(b.raw[: convert.CALIBRATION])
    return np.random.default_rng(3).uniform(0, 1, x.shape)


def wide_noise(b):
    x = b.prepare(b.raw[: convert.CALIBRATION])
    return np.random.default_rng(3).normal(0, 60, x.shape)


def zeros(b):
    return np.zeros_like(b.prepare(b.raw[:4]))


wrong("cal_raw_separable", bases.separable, "calibrated with pictures in 0..255, the network takes 0..1", lambda b: b.raw)
wrong(
    "cal_raw_residual",
    bases.residual,
    "calibrated with pictures in 0..255, the network takes standardized ones",
    lambda b: b.raw,
    convert.edge8,
)
wrong("cal_raw_transformer", bases.transformer, "calibrated with pictures in 0..255, the network takes -1..1", lambda b: b.raw)
wrong("cal_unit_residual", bases.residual, "calibrated with 0..1, without mean and deviation", lambda b: bases.to_unit(b.raw))
wrong(
    "cal_unit_scaled",
    bases.scaled_inside,
    "calibrated with 0..1, the network takes 0..255 and scales them itself",
    lambda b: bases.to_unit(b.raw),
)
wrong(
    "cal_standard_separable",
    bases.separable,
    "calibrated with standardized pictures, the network takes 0..1",
    lambda b: bases.standardized(b.raw),
)
wrong("cal_bgr_separable", bases.separable, "calibrated with BGR pictures", lambda b: b.x["image"][..., ::-1])
wrong("cal_nchw_residual", bases.residual, "calibrated with NCHW memory in an NHWC network", nchw)
wrong("cal_one_picture", bases.residual, "calibrated with one picture", lambda b: b.prepare(b.raw[5:6]))
wrong("cal_one_class", bases.keywords, "calibrated with sounds of one class", one_class)
wrong("cal_broken_record", bases.separable, "one calibration picture with values 300 times too large", broken_record)
wrong("cal_broken_sound", bases.keywords, "one calibration sound with values 300 times too large", broken_record, convert.edge8)
wrong("cal_noise_residual", bases.residual, "calibrated with uniform random numbers", noise)
wrong("cal_noise_series", bases.gated, "calibrated with random numbers 60 times too large", wide_noise)
wrong("cal_zeros_separable", bases.separable, "calibrated with zeros", zeros)
wrong("cal_zeros_spectra", bases.autoencoder, "calibrated with zeros", zeros)
wrong("cal_power_keywords", bases.keywords, "calibrated with power, the network takes its logarithm", lambda b: b.raw)
wrong("cal_silence_keywords", bases.keywords, "calibrated with silence", lambda b: b.prepare(np.zeros_like(b.raw[:4])))
wrong("cal_raw_u_net", bases.u_net, "calibrated with pictures in 0..255, the network takes 0..1", lambda b: b.raw)
wrong("cal_dark_u_net", bases.u_net, "calibrated with pictures scaled twice, 0..1/255", lambda b: b.prepare(b.raw) / 255)


@case(
    "cal_raw_detector",
    "calibration",
    "calibrated with pictures in 0..255, the network takes 0..1",
    FIX,
    "calibration",
    r"\*|image",
    "calibrate",
)
def detector():
    model, x, task = bases.detector()
    return Pair(convert.float_model(model), convert.static(model, {"image": x["image"] * 255}), task, fix=convert.static(model, x))


@case(
    "cal_short_texts",
    "calibration",
    "calibrated with texts of one word, the rest padding",
    FIX,
    "calibration",
    r"\*|tokens",
    "calibrate",
)
def texts():
    base = bases.word_bag()
    short = np.where(np.arange(data.LENGTH)[None] < 2, base.raw[:20], 0).astype(np.int32)
    return Pair(base.float, convert.static(base.model, {"tokens": short}), base.task, fix=base.right())


def averaged(name, base):
    """Registers `base()` as AI Edge Quantizer converts it: its ranges are moving averages over the calibration's records."""

    @case(
        name,
        "calibration",
        "ranges are averages over the records of calibration, larger values are cut off",
        "ranges from the smallest and largest values of all records",
        "cut_off",
        ".",
        "wider",
    )
    def make():
        b = base()
        return Pair(b.float, b.right(convert.edge8), b.task, fix=b.right())


averaged("cal_average_u_net", bases.u_net)
averaged("cal_average_transformer", bases.transformer)
