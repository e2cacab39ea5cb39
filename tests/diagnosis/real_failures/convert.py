"""Conversions as users do them, with TensorFlow's converter and AI Edge Quantizer."""

import contextlib, functools, io
import keras
import tensorflow as tf
from ai_edge_litert.interpreter import Interpreter
from ai_edge_quantizer import quantizer, recipe

CALIBRATION = 80  # records


def quietly(function, *arguments):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return function(*arguments)


def converted(model, set_up=lambda converter: None):
    """What TensorFlow's converter makes of a Keras model for one record."""
    inputs = [keras.Input(batch_shape=(1, *i.shape[1:]), dtype=i.dtype, name=i.name) for i in model.inputs]
    single = keras.Model(inputs, model(inputs if len(inputs) > 1 else inputs[0]), name=model.name)
    converter = tf.lite.TFLiteConverter.from_keras_model(single)
    set_up(converter)
    return quietly(converter.convert)


@functools.cache
def float_model(model):
    return converted(model)


def records(model, inputs, count=CALIBRATION):
    """Inputs, a dict of arrays, as records by name."""
    first = next(iter(inputs.values()))
    return [{i.name: inputs[i.name][k : k + 1] for i in model.inputs} for k in range(min(count, len(first)))]


def static(model, inputs, kind="int8", interface=None, per_tensor=False):
    """All values integers, ranges from `inputs`; `kind` is int8 or int16x8."""
    sets = {
        "int8": tf.lite.OpsSet.TFLITE_BUILTINS_INT8,
        "int16x8": tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8,
    }

    def set_up(c):
        c.optimizations = [tf.lite.Optimize.DEFAULT]
        c.representative_dataset = lambda: iter(records(model, inputs))
        c.target_spec.supported_ops = [sets[kind], tf.lite.OpsSet.TFLITE_BUILTINS]
        if interface:
            c.inference_input_type = c.inference_output_type = interface
        c._experimental_disable_per_channel = per_tensor
        c._experimental_disable_per_channel_quantization_for_dense_layers = per_tensor

    return converted(model, set_up)


def dynamic(model):
    """Weights in 8 bits, ranges of values chosen in every run."""
    return converted(model, lambda c: setattr(c, "optimizations", [tf.lite.Optimize.DEFAULT]))


def half(model):
    """Constants in float16."""

    def set_up(c):
        c.optimizations = [tf.lite.Optimize.DEFAULT]
        c.target_spec.supported_types = [tf.float16]

    return converted(model, set_up)


def edge(model, scheme, inputs=None):
    """AI Edge Quantizer with one of its recipes."""
    float_bytes = float_model(model)
    q = quantizer.Quantizer(float_bytes, getattr(recipe, scheme)())
    found = None
    if q.need_calibration:
        key = next(iter(Interpreter(model_content=float_bytes).get_signature_list()))
        found = quietly(q.calibrate, {key: records(model, inputs)})
    return bytes(quietly(q.quantize, found).quantized_model)


def edge8(model, inputs):
    """AI Edge Quantizer's static recipe in 8 bits."""
    return edge(model, "static_wi8_ai8", inputs)


def edge_dynamic(model, inputs=None):
    return edge(model, "dynamic_wi8_afp32")


def edge_weights(model, inputs=None):
    return edge(model, "weight_only_wi8_afp32")
