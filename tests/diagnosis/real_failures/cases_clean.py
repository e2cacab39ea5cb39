"""Conversions that are fine."""

import tensorflow as tf
import bases, convert
from case import Pair, case


def fine(name, base, scheme):
    """Registers `base()` converted by `scheme(model, inputs)`."""

    @case(name, "clean", "none", place="")
    def make():
        b = base()
        model, inputs, task = b if isinstance(b, tuple) else (b.model, b.x, b.task)
        return Pair(convert.float_model(model), scheme(model, inputs), task)


def integers(**options):
    return lambda model, inputs: convert.static(model, inputs, **options)


def recipe(name):
    return lambda model, inputs: convert.edge(model, name, inputs)


fine("ok_separable_int8", bases.separable, integers())
fine("ok_separable_int16x8", bases.separable, integers(kind="int16x8"))
fine("ok_separable_half", bases.separable, lambda model, inputs: convert.half(model))
fine("ok_scaled_uint8", bases.scaled_inside, integers(interface=tf.uint8))
fine("ok_residual_int8", bases.residual, integers(interface=tf.int8))
fine("ok_residual_recipe", bases.residual, recipe("static_wi8_ai8"))
fine("ok_residual_dynamic", bases.residual, lambda model, inputs: convert.dynamic(model))
fine("ok_transformer_dynamic", bases.transformer, recipe("dynamic_wi8_afp32"))
fine("ok_transformer_weights", bases.transformer, recipe("weight_only_wi8_afp32"))
fine("ok_keywords_int8", bases.keywords, integers())
fine("ok_keywords_uint8", bases.keywords, integers(interface=tf.uint8))
fine("ok_keywords_16", bases.keywords, recipe("static_wi8_ai16"))
fine("ok_words_int8", bases.word_bag, integers())
fine("ok_words_half", bases.word_bag, lambda model, inputs: convert.half(model))
fine("ok_gated_int8", bases.gated, integers())
fine("ok_memory_int8", bases.memory, integers())
fine("ok_u_net_int8", bases.u_net, integers())
fine("ok_spectra_int8", bases.autoencoder, integers())
fine("ok_spectra_weights", bases.autoencoder, recipe("weight_only_wi8_afp32"))
fine("ok_boxes_int8", bases.detector, integers())
