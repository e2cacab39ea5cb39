#!/usr/bin/env python3
"""Makes the files beside it: a small network that reads scikit-learn's handwritten digits, as fp32, int8 and int16x8 models, each in
.tflite and .circle form, with test data and labels. Nothing is downloaded.

    python3 -m venv /tmp/digits && /tmp/digits/bin/pip install tensorflow-cpu==2.21.0 scikit-learn==1.9.0 h5py
    /tmp/digits/bin/python make_digits.py

The weights are those of the fp32.tflite that is there: with these versions, every file comes out as it was, byte for byte. `--train` trains
new ones, which differ from machine to machine, however the seeds are fixed: other instructions round otherwise.
"""

import os
import pathlib
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ["TF_DETERMINISTIC_OPS"] = "1"

import h5py
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2
from tensorflow.lite.python import schema_py_generated as schema

HERE = pathlib.Path(__file__).resolve().parent
SEED = 7
RECORDS = 64


def load():
    """Images in 0..1, shape [n, 8, 8, 1], split into training and test parts."""
    digits = load_digits()
    images = (digits.images / 16.0).astype(np.float32)[..., np.newaxis]
    return train_test_split(images, digits.target, test_size=400, random_state=SEED, stratify=digits.target)


def build(batch):
    """A convolution, a depthwise-separable block with a residual connection, pooling, two dense layers, softmax: 11 operators."""
    layers = tf.keras.layers
    image = layers.Input((8, 8, 1), batch_size=batch, name="image")
    stem = layers.Conv2D(16, 3, padding="same", activation="relu", name="stem")(image)
    x = layers.DepthwiseConv2D(3, padding="same", activation="relu6", name="spatial")(stem)
    x = layers.Conv2D(16, 1, name="pointwise")(x)
    x = layers.ReLU(name="residual_relu")(layers.Add(name="residual")([stem, x]))
    x = layers.MaxPooling2D(2, name="pool")(x)
    x = layers.Conv2D(32, 3, padding="same", activation="relu", name="features")(x)
    x = layers.AveragePooling2D(2, name="average")(x)
    x = layers.Flatten(name="flatten")(x)
    x = layers.Dense(32, activation="relu", name="hidden")(x)
    logits = layers.Dense(10, name="logits")(x)
    return tf.keras.Model(image, layers.Softmax(name="probabilities")(logits), name="digits")


def train(images, labels):
    """The weights of a new network, trained in batches of 32."""
    model = build(batch=None)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(images, labels, epochs=80, batch_size=32, verbose=0)
    return model.get_weights()


def weights_of(tflite):
    """Those that a network was converted with: TFLite keeps output channels first, of a dense layer and of a convolution, Keras last."""
    model = schema.ModelT.InitFromPackedBuf(tflite, 0)
    graph = model.subgraphs[0]
    operators = schema.BuiltinOperator
    layouts = {operators.CONV_2D: (1, 2, 3, 0), operators.DEPTHWISE_CONV_2D: (1, 2, 3, 0), operators.FULLY_CONNECTED: (1, 0)}
    weights = []
    for node in graph.operators:
        layout = layouts.get(model.operatorCodes[node.opcodeIndex].builtinCode)
        if layout is None:
            continue
        tensors = [graph.tensors[index] for index in node.inputs[1:3]]
        kernel, bias = (np.frombuffer(bytes(model.buffers[each.buffer].data), np.float32).reshape(each.shape) for each in tensors)
        weights += [kernel.transpose(layout), bias]
    return weights


def converter_of(model):
    """A converter of the model with its weights frozen to constants."""
    function = tf.function(lambda image: model(image, training=False))
    spec = tf.TensorSpec((1, 8, 8, 1), tf.float32, name="image")
    frozen = convert_variables_to_constants_v2(function.get_concrete_function(spec))
    return tf.lite.TFLiteConverter.from_concrete_functions([frozen])


def quantized(model, calibration, activations):
    """Full-integer model: int8 weights per channel, activations int8 or int16."""
    converter = converter_of(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([image[np.newaxis]] for image in calibration)
    if activations == tf.int16:
        ops = tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8
    else:
        ops = tf.lite.OpsSet.TFLITE_BUILTINS_INT8
    converter.target_spec.supported_ops = [ops]
    converter.inference_input_type = converter.inference_output_type = activations
    return converter.convert()


def shorten_names(tflite, prefix=b"digits_1"):
    """TensorFlow names a fused tensor after everything that was fused: "digits_1/stem_1/Relu;digits_1/stem_1/BiasAdd;…". The first part,
    without what Keras counts, is enough here: "stem/Relu". Shortened in place, which leaves the file's alignment as it is."""
    content = bytearray(tflite)
    model = schema.Model.GetRootAs(content, 0)
    subgraph = model.Subgraphs(0)
    tensors = [subgraph.Tensors(i) for i in range(subgraph.TensorsLength())]
    tensors.sort(key=lambda tensor: model.Buffers(tensor.Buffer()).DataLength() > 0)  # feature maps choose before constants
    names = set()
    for tensor in tensors:
        table = tensor._tab
        old = tensor.Name()
        new = re.sub(prefix + b"/", b"", old.split(b";")[0])
        new = re.sub(rb"_\d+/", b"/", new)
        if new in names:
            new = old
        names.add(new)
        start = table.Indirect(table.Pos + table.Offset(10))  # of the string: length, bytes, zero
        content[start : start + 4 + len(old)] = len(new).to_bytes(4, "little") + new + bytes(len(old) - len(new))
    return bytes(content)


def as_circle(tflite):
    """The same model as a circle file. The formats share their layout but for a few slots (Tensor 10, SubGraph 5, QuantizationDetails
    2), none of which may be in use here: then only the identifier and the version (TFLite 3, circle 0) differ."""
    model = schema.ModelT.InitFromPackedBuf(tflite, 0)
    for subgraph in model.subgraphs:
        assert subgraph.debugMetadataIndex == -1, "SubGraph 5 means something else in circle"
        for tensor in subgraph.tensors:
            assert tensor.externalBuffer == 0, "Tensor 10 means something else in circle"
            assert tensor.quantization is None or tensor.quantization.detailsType == 0
    assert tflite[4:8] == b"TFL3"
    circle = bytearray(tflite[:4] + b"CIR0" + tflite[8:])
    root = schema.Model.GetRootAs(circle, 0)._tab
    version = root.Pos + root.Offset(4)
    circle[version : version + 4] = bytes(4)
    return bytes(circle)


def write_data(images, labels):
    """The plain HDF5 layout: group /value, a group per record, in it a dataset per graph input, both named by their decimal index."""
    with h5py.File(HERE / "data.h5", "w", libver=("earliest", "v108")) as file:
        value = file.create_group("value")
        for record, image in enumerate(images):
            value.create_group(str(record)).create_dataset("0", data=image[np.newaxis])
    np.save(HERE / "labels.npy", labels.astype(np.int32))


def accuracy(content, images, labels):
    """Top-1 accuracy as LiteRT's reference kernels compute it."""
    reference = tf.lite.experimental.OpResolverType.BUILTIN_REF
    interpreter = tf.lite.Interpreter(model_content=content, experimental_op_resolver_type=reference)
    interpreter.allocate_tensors()
    source, sink = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    hits = 0
    for image, label in zip(images, labels):
        value = image[np.newaxis]
        if source["dtype"] != np.float32:
            scale, zero_point = source["quantization"]
            limits = np.iinfo(source["dtype"])
            value = np.clip(np.round(value / scale) + zero_point, limits.min, limits.max).astype(source["dtype"])
        interpreter.set_tensor(source["index"], value)
        interpreter.invoke()
        hits += int(np.argmax(interpreter.get_tensor(sink["index"])) == label)
    return hits / len(labels)


def main():
    tf.keras.utils.set_random_seed(SEED)
    train_images, test_images, train_labels, test_labels = load()
    weights = train(train_images, train_labels) if "--train" in sys.argv[1:] else weights_of((HERE / "fp32.tflite").read_bytes())
    model = build(batch=1)
    model.set_weights(weights)
    contents = {
        "fp32": converter_of(model).convert(),
        "int8": quantized(model, train_images[:200], tf.int8),
        "int16x8": quantized(model, train_images[:200], tf.int16),
    }
    for name, content in contents.items():
        content = shorten_names(content)
        (HERE / f"{name}.tflite").write_bytes(content)
        (HERE / f"{name}.circle").write_bytes(as_circle(content))
        print(f"{name}: {len(content)} bytes, accuracy {accuracy(content, test_images, test_labels):.4f} "
              f"on {len(test_labels)} test images, {accuracy(content, test_images[:RECORDS], test_labels[:RECORDS]):.4f} "
              f"on the {RECORDS} in data.h5")
    write_data(test_images[:RECORDS], test_labels[:RECORDS])


if __name__ == "__main__":
    main()
