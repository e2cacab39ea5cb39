#!/usr/bin/env python3
"""Makes the models and data of docs/cases beside it: small networks that fail in int8 as large ones do. Nothing is downloaded.

    python3 -m venv /tmp/cases && /tmp/cases/bin/pip install tensorflow-cpu scikit-learn h5py
    /tmp/cases/bin/python make_cases.py

Seeds are fixed, but another version of TensorFlow trains other weights. Made with TensorFlow 2.21, scikit-learn 1.9.
"""

import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["TF_DETERMINISTIC_OPS"] = "1"

import flatbuffers
import h5py
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tensorflow.lite.python import schema_py_generated as schema
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "digits"))

from make_digits import shorten_names  # noqa: E402

SEED = 11
layers = tf.keras.layers


def converter_of(model):
    """A converter of the model with its weights frozen to constants."""
    specs = [tf.TensorSpec(tensor.shape, tf.float32, name=tensor.name) for tensor in model.inputs]
    function = tf.function(lambda *inputs: model(list(inputs) if len(inputs) > 1 else inputs[0], training=False))
    return tf.lite.TFLiteConverter.from_concrete_functions([convert_variables_to_constants_v2(function.get_concrete_function(*specs))])


def float_model(model):
    return converter_of(model).convert()


def int8_model(model, calibration, per_channel=True, activations=tf.int8):
    """Weights int8, every activation int8 or int16, calibrated on lists of inputs."""
    converter = converter_of(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: iter(calibration)
    wide = tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
    converter.target_spec.supported_ops = [wide if activations == tf.int16 else tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = activations
    converter._experimental_disable_per_channel = not per_channel
    return converter.convert()


def write_records(name, records):
    """The plain HDF5 layout: /value/RECORD/INPUT."""
    with h5py.File(HERE / name, "w", libver=("earliest", "v108")) as file:
        for record, inputs in enumerate(records):
            for index, values in enumerate(inputs):
                file.create_dataset(f"value/{record}/{index}", data=values.astype(np.float32))


def write_models(case, models):
    for name, content in models.items():
        content = shorten_names(content, rb"functional(_\d+)*")
        (HERE / f"{case}_{name}.tflite").write_bytes(content)
        print(f"{case}_{name}: {len(content)} bytes")


def split_digits():
    """Images in 0..1, shape [n, 8, 8, 1], split into training and test parts."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[..., np.newaxis]
    return train_test_split(images, digits.target, test_size=400, random_state=SEED, stratify=digits.target)


def trained(build, images, labels, epochs):
    """Trained in batches of 32; the twin that is returned has batch 1."""
    model = build(None)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(images, labels, epochs=epochs, batch_size=32, verbose=0)
    exported = build(1)
    exported.set_weights(model.get_weights())
    return exported


# ---- Boxes in pixels and scores in 0..1, joined at the end ----


def detector():
    image = layers.Input((32, 32, 3), batch_size=1, name="image")
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu", name="stem")(image)
    x = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu", name="trunk")(x)
    boxes = layers.Conv2D(4, 1, activation="relu", name="boxes", kernel_initializer=tf.keras.initializers.RandomUniform(0, 60, SEED))(x)
    scores = layers.Conv2D(3, 1, activation="sigmoid", name="scores", bias_initializer=tf.keras.initializers.Constant(-1.0))(x)
    boxes = layers.Reshape((64, 4), name="box_list")(boxes)
    scores = layers.Reshape((64, 3), name="score_list")(scores)
    return tf.keras.Model(image, layers.Concatenate(name="detections")([boxes, scores]))


def make_detector():
    random = np.random.default_rng(SEED)
    images = [[random.random((1, 32, 32, 3), np.float32)] for _ in range(40)]
    model = detector()
    write_models("detector", {"fp32": float_model(model), "int8": int8_model(model, images[8:])})
    write_records("detector.h5", images[:8])


# ---- Depthwise layers, one scale for all channels ----


def mobilenet(batch):
    image = layers.Input((8, 8, 1), batch_size=batch, name="image")
    x = layers.Conv2D(16, 3, padding="same", activation="relu", name="stem")(image)
    for block in (1, 2, 3):
        x = layers.DepthwiseConv2D(3, padding="same", activation="relu", name=f"block_{block}_depthwise")(x)
        x = layers.Conv2D(16, 1, activation="relu", name=f"block_{block}_project")(x)
    x = layers.GlobalAveragePooling2D(name="average")(x)
    return tf.keras.Model(image, layers.Dense(10, activation="softmax", name="probabilities")(x))


def spread_channels(model, block, low, high):
    """Scales the channels of a depthwise layer, and what reads them by the inverse: the same function, as folded batch norms make it. Its
    outputs are scaled back in the next weights."""
    depthwise, project = model.get_layer(f"block_{block}_depthwise"), model.get_layer(f"block_{block}_project")
    weights, bias = depthwise.get_weights()
    readers, reader_bias = project.get_weights()
    factors = np.geomspace(low, high, weights.shape[2]).astype(np.float32)
    np.random.default_rng(SEED).shuffle(factors)
    depthwise.set_weights([weights * factors[:, np.newaxis], bias * factors])
    project.set_weights([readers / factors[:, np.newaxis], reader_bias])


def make_mobilenet():
    train_images, test_images, train_labels, test_labels = split_digits()
    model = trained(mobilenet, train_images, train_labels, 60)
    spread_channels(model, 2, 1 / 16, 16)
    calibration = [[image[np.newaxis]] for image in train_images[:200]]
    write_models("mobilenet", {"fp32": float_model(model), "per_tensor": int8_model(model, calibration, per_channel=False),
                               "per_channel": int8_model(model, calibration)})
    write_records("mobilenet.h5", [[image[np.newaxis]] for image in test_images[:64]])
    np.save(HERE / "mobilenet_labels.npy", test_labels[:64].astype(np.int32))


# ---- Attention, a few channels of the residual stream far larger than the others ----


def transformer(batch):
    rows = layers.Input((8, 8), batch_size=batch, name="rows")
    x = layers.Dense(16, name="embed")(rows)
    for block in (1, 2):
        q, k, v = (layers.Dense(16, name=f"block_{block}_{part}")(x) for part in ("query", "key", "value"))
        weights = layers.Softmax(name=f"block_{block}_weights")(layers.Dot((2, 2), name=f"block_{block}_scores")([q, k]))
        x = layers.Add(name=f"block_{block}_residual")([x, layers.Dot((2, 1), name=f"block_{block}_mix")([weights, v])])
        up = layers.Dense(32, activation="relu", name=f"block_{block}_up")(x)
        x = layers.Add(name=f"block_{block}_out")([x, layers.Dense(16, name=f"block_{block}_down")(up)])
    x = layers.Flatten(name="flatten")(x)
    return tf.keras.Model(rows, layers.Dense(10, activation="softmax", name="probabilities")(x))


def add_outlier(model, channel, value):
    """A channel of the residual stream that carries a large constant which no reader uses, as large language models have them."""
    weights, bias = model.get_layer("embed").get_weights()
    weights[:, channel], bias[channel] = 0, value
    model.get_layer("embed").set_weights([weights, bias])
    for block in (1, 2):
        for name in ("query", "key", "value", "up"):
            readers, reader_bias = model.get_layer(f"block_{block}_{name}").get_weights()
            readers[channel] = 0
            model.get_layer(f"block_{block}_{name}").set_weights([readers, reader_bias])
    final, final_bias = model.get_layer("probabilities").get_weights()
    final.reshape(8, 16, 10)[:, channel] = 0
    model.get_layer("probabilities").set_weights([final, final_bias])


def make_transformer():
    train_images, test_images, train_labels, test_labels = split_digits()
    model = trained(transformer, train_images[..., 0], train_labels, 60)
    add_outlier(model, 5, 300.0)
    calibration = [[image[np.newaxis, ..., 0]] for image in train_images[:200]]
    write_models("transformer", {"fp32": float_model(model), "int8": int8_model(model, calibration)})
    write_records("transformer.h5", [[image[np.newaxis, ..., 0]] for image in test_images[:64]])
    np.save(HERE / "transformer_labels.npy", test_labels[:64].astype(np.int32))


# ---- A state that is fed back, one step a record ----


def recurrent():
    """A leaky, slowly turning state: h' = 0.99 · rotate(h) + W x."""
    x, h = layers.Input((4,), batch_size=1, name="x"), layers.Input((8,), batch_size=1, name="h")
    turn = np.zeros((8, 8), np.float32)
    for pair in range(4):
        angle = 0.05 * (pair + 1)
        turn[2 * pair : 2 * pair + 2, 2 * pair : 2 * pair + 2] = 0.995 * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    state = layers.Add(name="state")([layers.Dense(8, use_bias=False, name="turn", kernel_initializer=tf.keras.initializers.Constant(turn))(h),
                                      layers.Dense(8, use_bias=False, name="drive")(x)])
    return tf.keras.Model([x, h], [layers.Dense(3, name="reading")(state), state])


def make_recurrent():
    tf.keras.utils.set_random_seed(SEED)
    random = np.random.default_rng(SEED)
    model, h, steps = recurrent(), np.zeros((1, 8), np.float32), []
    for _ in range(96):
        x = random.normal(0, 0.3, (1, 4)).astype(np.float32)
        steps.append([x, h])
        h = model([x, h])[1].numpy()
    write_models("recurrent", {"fp32": float_model(model), "int8": int8_model(model, steps), "int16x8": int8_model(model, steps, activations=tf.int16)})
    write_records("recurrent.h5", [[x, np.zeros((1, 8), np.float32)] for x, _ in steps[:64]])


# ---- A kernel that knows one scale only ----


def make_device():
    """digits/int8.tflite with the mistake of a device's kernel built in: its depthwise convolution takes the first channel's scale for all
    channels. It stands for the device."""
    content = (HERE.parent / "digits" / "int8.tflite").read_bytes()
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    graph = model.subgraphs[0]
    for operator in graph.operators:
        if model.operatorCodes[operator.opcodeIndex].builtinCode == schema.BuiltinOperator.DEPTHWISE_CONV_2D:
            for tensor in operator.inputs[1:]:
                quantization = graph.tensors[tensor].quantization
                quantization.scale = np.full_like(quantization.scale, quantization.scale[0])
    builder = flatbuffers.Builder(len(content))
    builder.Finish(model.Pack(builder), b"TFL3")
    write_models("device", {"int8": bytes(builder.Output())})


def main():
    tf.keras.utils.set_random_seed(SEED)
    make_detector()
    make_mobilenet()
    make_transformer()
    make_recurrent()
    make_device()


if __name__ == "__main__":
    main()
