"""Conversions as users do them, with TensorFlow's converter and AI Edge Quantizer; and what LiteRT gives for a model."""

import contextlib, functools, io
import keras
import numpy as np
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


def slot(interpreter, detail, inputs):
    """The array in `inputs` that an input of a converted model takes: by name, else by shape."""
    for name, values in inputs.items():
        if name in detail["name"]:
            return values
    return next(v for v in inputs.values() if v.shape[1:] == tuple(detail["shape"][1:]))


def in_order(model_bytes, inputs):
    """The arrays of `inputs` in the order of the converted model's inputs."""
    interpreter = Interpreter(model_content=model_bytes)
    return [slot(interpreter, d, inputs) for d in interpreter.get_input_details()]


def stored(values, detail):
    """Real values as what the input stores."""
    if detail["dtype"] == values.dtype:
        return values
    scale, zero = detail["quantization"]
    limits = np.iinfo(detail["dtype"])
    return np.clip(np.round(values / scale) + zero, limits.min, limits.max).astype(detail["dtype"])


def run(model_bytes, inputs):
    """The first output of every record, in real values, as LiteRT computes them."""
    interpreter = Interpreter(model_content=model_bytes, num_threads=1)
    interpreter.allocate_tensors()
    details, out = interpreter.get_input_details(), interpreter.get_output_details()[0]
    arrays = [slot(interpreter, d, inputs) for d in details]
    results = []
    for k in range(len(arrays[0])):
        interpreter.reset_all_variables()
        for detail, values in zip(details, arrays):
            interpreter.set_tensor(detail["index"], stored(values[k : k + 1], detail))
        interpreter.invoke()
        results.append(interpreter.get_tensor(out["index"])[0].copy())
    results = np.array(results)
    scale, zero = out["quantization"]
    return results if results.dtype == np.float32 else (results.astype(np.float32) - zero) * np.float32(scale)
