"""The TFLite converter of TensorFlow on Keras networks, with every kind of quantization that it offers; AI Edge Quantizer on top."""

import h5py
import numpy as np
import tensorflow as tf

import quantizer_recipes

L = tf.keras.layers


def chain(shape, *layers):
    return lambda: tf.keras.Sequential([tf.keras.Input(shape), *(layer() for layer in layers)])


def residual():
    x = inputs = tf.keras.Input((12, 12, 3))
    x = L.ReLU()(L.BatchNormalization()(L.Conv2D(8, 3, padding="same", use_bias=False)(x)))
    y = L.BatchNormalization()(L.Conv2D(8, 3, padding="same")(x))
    x = L.ReLU()(L.Add()([x, y]))
    return tf.keras.Model(inputs, L.Dense(4, activation="softmax")(L.GlobalAveragePooling2D()(x)))


def branches():
    inputs = tf.keras.Input((12, 12, 3))
    parts = [L.Conv2D(4, size, padding="same", activation=kind)(inputs) for size, kind in ((1, "relu"), (3, "tanh"), (5, "sigmoid"))]
    return tf.keras.Model(inputs, L.Conv2D(4, 1)(L.Concatenate()(parts)))


def excite():
    inputs = tf.keras.Input((8, 8, 8))
    x = L.DepthwiseConv2D(3, padding="same")(inputs)
    y = L.Dense(8, activation="sigmoid")(L.Dense(4, activation="relu")(L.GlobalAveragePooling2D()(x)))
    return tf.keras.Model(inputs, L.Multiply()([x, L.Reshape((1, 1, 8))(y)]))


def attention():
    inputs = tf.keras.Input((6, 16))
    x = L.LayerNormalization()(inputs)
    x = L.Add()([inputs, L.MultiHeadAttention(2, 8)(x, x)])
    return tf.keras.Model(inputs, L.Dense(16, activation="gelu")(L.LayerNormalization()(x)))


def image(*layers):
    return chain((12, 12, 3), lambda: L.Conv2D(8, 3, padding="same"), *layers, lambda: L.Conv2D(4, 1))


NETWORKS = {
    "mlp": chain((16,), lambda: L.Dense(32, activation="relu"), lambda: L.BatchNormalization(), lambda: L.Dense(4, activation="softmax")),
    "conv1d": chain((32, 4), lambda: L.Conv1D(8, 5, padding="same", activation="relu"), lambda: L.MaxPool1D(2), lambda: L.Dense(3)),
    "residual": residual, "branches": branches, "excite": excite, "attention": attention,
    "bn_first": image(lambda: L.BatchNormalization(), lambda: L.ReLU()), "relu6": image(lambda: L.ReLU(6.0)),
    "leaky": image(lambda: L.LeakyReLU(0.1)), "prelu": image(lambda: L.PReLU(shared_axes=[1, 2])), "elu": image(lambda: L.ELU()),
    "swish": image(lambda: L.Activation("swish")), "gelu": image(lambda: L.Activation("gelu")),
    "softplus": image(lambda: L.Activation("softplus")), "hard_sigmoid": image(lambda: L.Activation("hard_sigmoid")),
    "stride2": image(lambda: L.Conv2D(8, 3, strides=2, padding="same")), "dilated": image(lambda: L.Conv2D(8, 3, dilation_rate=2)),
    "separable": image(lambda: L.SeparableConv2D(8, 3, padding="same")), "transposed": image(lambda: L.Conv2DTranspose(8, 3, 2, padding="same")),
    "max_pool": image(lambda: L.MaxPool2D(2)), "avg_pool": image(lambda: L.AveragePooling2D(2)), "zero_pad": image(lambda: L.ZeroPadding2D(1)),
    "upsample": image(lambda: L.UpSampling2D(2)), "bilinear": image(lambda: L.UpSampling2D(2, interpolation="bilinear")),
    "flatten": chain((6, 6, 2), lambda: L.Flatten(), lambda: L.Dense(5)), "layer_norm": chain((6, 8), lambda: L.LayerNormalization(), lambda: L.Dense(4)),
    "lstm": chain((5, 4), lambda: L.LSTM(8), lambda: L.Dense(3)), "gru": chain((5, 4), lambda: L.GRU(8), lambda: L.Dense(3)),
    "embedding": chain((6,), lambda: L.Embedding(32, 8), lambda: L.GlobalAveragePooling1D(), lambda: L.Dense(4)),
}  # fmt: skip


def networks():
    return list(NETWORKS)


def int8(c, tf_types):
    c.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    c.inference_input_type = c.inference_output_type = tf_types


def int16(c, _):
    c.target_spec.supported_ops = [tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8]


SETTINGS = {
    "dynamic_range": lambda c: None, "float16": lambda c: setattr(c.target_spec, "supported_types", [tf.float16]),
    "int8": lambda c: int8(c, tf.int8), "uint8": lambda c: int8(c, tf.uint8), "int8_float_io": lambda c: int8(c, tf.float32),
    "int16": lambda c: int16(c, None),
}  # fmt: skip


def convert(model, recipe, records, path):
    one = tf.keras.Input(batch_shape=(1, *model.input_shape[1:]), dtype=model.inputs[0].dtype, name="input")
    converter = tf.lite.TFLiteConverter.from_keras_model(tf.keras.Model(one, model(one), name=model.name))
    if recipe != "float":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
        SETTINGS[recipe](converter)
    if recipe.startswith(("int", "uint")):
        converter.representative_dataset = lambda: ([record] for record in records)
    path.write_bytes(converter.convert())


def records_of(name, model, count, seed):
    random, shape = np.random.default_rng(seed), (1, *model.input_shape[1:])
    if name == "embedding":
        return [random.integers(0, 32, shape).astype(np.float32) for _ in range(count)]
    return [random.standard_normal(shape).astype(np.float32) for _ in range(count)]


def recipes(name, folder):
    tf.keras.utils.set_random_seed(sum(name.encode()))
    model = NETWORKS[name]()
    for layer in model.layers:
        if isinstance(layer, L.BatchNormalization):
            layer.moving_mean.assign(tf.random.uniform(layer.moving_mean.shape, -0.5, 0.5))
            layer.moving_variance.assign(tf.random.uniform(layer.moving_variance.shape, 0.5, 2))
    with h5py.File(folder / "data.h5", "w") as file:
        for r, record in enumerate(records_of(name, model, 3, 1)):
            file[f"value/{r}/0"] = record
    calibration = records_of(name, model, 8, 0)
    for recipe in ("float", *SETTINGS):
        yield recipe, lambda r=recipe: convert(model, r, calibration, folder / f"{r}.tflite")
    if (folder / "float.tflite").exists():
        yield from quantizer_recipes.recipes(folder / "float.tflite", [[record] for record in calibration])
