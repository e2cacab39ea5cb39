"""Evaluation with data or labels that neither model was made for: the pair is fine, both models are bad."""

import dataclasses
import numpy as np
import bases, convert
from case import Pair, case

FIX = "correct the evaluation, not the model"


def wrong(name, base, cause, meaning, change, scheme=convert.static):
    """Registers the well-made pair of `base()` with a task that `change(base)` gives; `meaning` is what must be put right."""

    @case(name, "evaluation", cause, FIX, "evaluation_" + meaning, r"\*|image|sound|sensors", meaning)
    def make():
        b = base()
        return Pair(b.float, b.right(scheme), b.task, given=change(b))


def other_input(prepare):
    """Task with raw test data prepared in another way."""
    return lambda b: dataclasses.replace(b.task, inputs={b.name: np.ascontiguousarray(prepare(b.raw_test)).astype(np.float32)})


def other_labels(change):
    return lambda b: dataclasses.replace(b.task, target=change(b.target))


def memory_nchw(prepare):
    def change(raw):
        x = prepare(raw)
        return np.ascontiguousarray(x.transpose(0, 3, 1, 2)).reshape(x.shape)

    return change


ORDER = np.random.default_rng(12).permutation(8)

wrong("eval_raw_separable", bases.separable, "evaluated with 0..255, both models take 0..1", "preparation", other_input(bases.same))
wrong("eval_raw_transformer", bases.transformer, "evaluated with 0..255, both models take -1..1", "preparation", other_input(bases.same))
wrong("eval_unit_residual", bases.residual, "evaluated with 0..1, mean and deviation forgotten", "preparation", other_input(bases.to_unit))
wrong(
    "eval_unit_scaled",
    bases.scaled_inside,
    "evaluated with 0..1, both models take 0..255",
    "preparation",
    other_input(bases.to_unit),
    convert.edge8,
)
wrong(
    "eval_standard_separable",
    bases.separable,
    "evaluated with standardized pictures, both models take 0..1",
    "preparation",
    other_input(bases.standardized),
)
wrong(
    "eval_bgr_residual", bases.residual, "evaluated with BGR pictures", "channels", other_input(lambda p: bases.standardized(p)[..., ::-1])
)
wrong("eval_bgr_separable", bases.separable, "evaluated with BGR pictures", "channels", other_input(lambda p: bases.to_unit(p)[..., ::-1]))
wrong("eval_nchw_separable", bases.separable, "evaluated with NCHW memory", "layout", other_input(memory_nchw(bases.to_unit)))
wrong("eval_power_keywords", bases.keywords, "evaluated with power, both models take its logarithm", "preparation", other_input(bases.same))
wrong("eval_labels_keywords", bases.keywords, "labels count from 1", "labels", other_labels(lambda y: y + 1))
wrong("eval_labels_residual", bases.residual, "labels count from 1", "labels", other_labels(lambda y: y + 1), convert.edge8)
wrong("eval_permuted_separable", bases.separable, "classes of the labels in another order", "labels", other_labels(lambda y: ORDER[y]))
wrong(
    "eval_shifted_series",
    bases.gated,
    "labels of the records before (an offset of one record)",
    "labels",
    other_labels(lambda y: np.roll(y, 1)),
)
