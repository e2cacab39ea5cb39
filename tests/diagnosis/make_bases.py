#!/usr/bin/env python3
"""Train small networks on scikit-learn's digits and quantize them in several ways: make_bases.py FOLDER [NAME…]

FOLDER/NET-SCHEME/{fp32.tflite, quant.tflite, data.h5}, early.tflite (the same network after one epoch) and later.tflite (some epochs more).
Needs tensorflow, scikit-learn and h5py. The pairs are what plant_faults.py starts from."""
import os
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", TF_NUM_INTRAOP_THREADS="1", OMP_NUM_THREADS="1")
import pathlib, sys
import h5py, keras, numpy as np, tensorflow as tf
from keras import layers as L
from sklearn.datasets import load_digits

RECORDS = 32


def conv(x, n, k=3, act="relu", stride=1):
    x = L.Conv2D(n, k, strides=stride, padding="same", use_bias=False)(x)
    x = L.BatchNormalization()(x)
    return activate(x, act)


def dw(x, act="relu", stride=1):
    x = L.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(x)
    x = L.BatchNormalization()(x)
    return activate(x, act)


def activate(x, act):
    if act is None:
        return x
    if act == "leaky":
        return L.LeakyReLU(negative_slope=0.2)(x)
    if act == "prelu":
        return L.PReLU(shared_axes=[1, 2] if len(x.shape) == 4 else None)(x)
    if act == "hswish":
        return x * L.ReLU(max_value=6)(x + 3.0) * (1.0 / 6.0)
    return L.Activation(act)(x)


def residual_prelu():
    i = L.Input((8, 8, 1), batch_size=1)
    x = conv(i, 12, act="prelu")
    for _ in range(3):
        y = conv(x, 12, act="prelu")
        y = conv(y, 12, act=None)
        x = activate(L.Add()([x, y]), "prelu")
    x = L.GlobalAveragePooling2D()(x)
    return keras.Model(i, L.Dense(10)(x)), "logits"


def inverted():
    i = L.Input((8, 8, 1), batch_size=1)
    x = conv(i, 8, act="relu6")
    for n in range(3):
        y = conv(x, 24, 1, act="relu6")
        y = dw(y, "relu6")
        y = conv(y, 8, 1, act=None)
        x = L.Add()([x, y])
    x = conv(x, 32, 1)
    x = L.AveragePooling2D(8)(x)
    x = L.Reshape((32,))(x)
    return keras.Model(i, L.Softmax()(L.Dense(10)(x))), "prob"


def inception_dw():
    i = L.Input((8, 8, 1), batch_size=1)
    x = conv(i, 8)
    for _ in range(2):
        a, b, c = conv(x, 8, 1), conv(conv(x, 6, 1), 8, 3), conv(L.MaxPooling2D(3, 1, "same")(x), 8, 1, act=None)
        x = dw(L.Concatenate()([a, b, c]))
    x = L.MaxPooling2D(2)(x)
    x = L.Flatten()(x)
    return keras.Model(i, L.Dense(10)(L.Dense(24, activation="relu")(x))), "logits"


def separable_leaky():
    i = L.Input((8, 8, 1), batch_size=1)
    x = conv(i, 12, act="leaky")
    for n in (16, 20, 24):
        x = dw(x, "leaky")
        x = conv(x, n, 1, act="leaky")
    x = L.GlobalAveragePooling2D()(x)
    return keras.Model(i, L.Dense(10, activation="sigmoid")(x)), "sigmoid"


def hswish_se():
    i = L.Input((8, 8, 1), batch_size=1)
    x = conv(i, 12, act="hswish")
    for _ in range(2):
        y = dw(x, "hswish")
        s = L.GlobalAveragePooling2D(keepdims=True)(y)
        s = L.Conv2D(6, 1, activation="relu")(s)
        s = L.Conv2D(12, 1, activation="sigmoid")(s)
        y = L.Multiply()([y, s])
        x = L.Add()([x, conv(y, 12, 1, act=None)])
    x = conv(x, 24, 1, act="hswish")
    x = L.GlobalAveragePooling2D()(x)
    return keras.Model(i, L.Dense(10)(x)), "logits"


def two_heads():
    i = L.Input((8, 8, 1), batch_size=1)
    x = conv(i, 8, stride=2)
    x = conv(x, 12)
    z = L.Dense(16, activation="relu")(L.Flatten()(x))
    c = L.Dense(10, name="class")(z)
    y = L.Reshape((4, 4, 4))(L.Dense(64, activation="relu")(z))
    y = L.Conv2DTranspose(8, 2, strides=2, activation="relu")(y)
    y = L.Conv2D(1, 3, padding="same", activation="sigmoid", name="picture")(y)
    return keras.Model(i, [c, y]), "two"


def conv1d():
    i = L.Input((8, 8), batch_size=1)
    x = L.Conv1D(16, 3, padding="same", activation="relu")(i)
    x = L.Permute((2, 1))(x)
    x = L.Conv1D(16, 3, padding="same", activation="relu")(x)
    x = L.Permute((2, 1))(x)
    x = L.Conv1D(20, 3, padding="same")(x)
    x = L.MaxPooling1D(2)(activate(x, "leaky"))
    x = L.Flatten()(x)
    return keras.Model(i, L.Dense(10)(x)), "logits"


def mlp():
    i = L.Input((64,), batch_size=1)
    x = L.Dense(32, activation="tanh")(i)
    x = L.Dense(32, activation="relu")(x)
    x = L.Dense(24)(x)
    x = L.Dense(24, activation="sigmoid")(x)
    x = L.Dense(24, activation="relu")(x)
    return keras.Model(i, L.Softmax()(L.Dense(10)(x))), "prob"


def autoencoder():
    i = L.Input((64,), batch_size=1)
    x = L.Dense(40, activation="relu")(i)
    x = L.Dense(24, activation="relu")(x)
    x = L.Dense(12)(x)
    x = L.Dense(24, activation="relu")(x)
    x = L.Dense(40, activation="relu")(x)
    return keras.Model(i, L.Dense(64)(x)), "same"


def gru():
    i = L.Input((8, 8), batch_size=1)
    x = L.GRU(16, unroll=True, reset_after=False)(i)
    return keras.Model(i, L.Dense(10)(x)), "logits"


def lstm_unrolled():
    i = L.Input((8, 8), batch_size=1)
    x = L.LSTM(16, unroll=True)(i)
    return keras.Model(i, L.Dense(10)(L.Dense(16, activation="relu")(x))), "logits"


def attention():
    i = L.Input((8, 8), batch_size=1)
    x = L.Dense(16)(i)
    for _ in range(2):
        q, k, v = L.Dense(16)(x), L.Dense(16)(x), L.Dense(16)(x)
        a = L.Softmax()(keras.ops.matmul(q, keras.ops.transpose(k, (0, 2, 1))) * 0.25)
        x = L.Add()([x, L.Dense(16)(keras.ops.matmul(a, v))])
        x = L.Add()([x, L.Dense(16)(L.Dense(32, activation="relu")(x))])
    x = L.Flatten()(x)
    return keras.Model(i, L.Dense(10)(x)), "logits"


def upscaler():
    i = L.Input((4, 4, 1), batch_size=1)
    x = L.Conv2D(12, 3, padding="same", activation="relu")(i)
    y = L.Conv2D(12, 3, padding="same", activation="relu")(x)
    x = L.Add()([x, L.Conv2D(12, 3, padding="same")(y)])
    x = L.UpSampling2D(2)(x)
    x = L.Conv2D(8, 3, padding="same", activation="relu")(x)
    x = L.Concatenate()([x, L.UpSampling2D(2)(i)])
    return keras.Model(i, L.Conv2D(1, 3, padding="same")(x)), "picture"


def towers():
    i = L.Input((8, 8, 1), batch_size=1)
    x = conv(i, 10, act="leaky")
    a, b = conv(x, 6, 3, act=None), conv(dw(x), 10, 1, act="relu")
    x = dw(L.Concatenate()([a, b]), "leaky", stride=2)
    a, b, c = conv(x, 6, 1, act="relu"), conv(x, 4, 3, act=None), conv(x, 8, 3, act=None)
    x = dw(L.Concatenate()([a, b, c]), None)
    x = L.Concatenate()([L.GlobalAveragePooling2D()(x), L.GlobalMaxPooling2D()(x)])
    return keras.Model(i, L.Dense(10)(x)), "logits"


def regressor():
    i = L.Input((64,), batch_size=1)
    x = L.Dense(24, activation="leaky_relu")(i)
    y = L.Dense(24, activation="elu")(x)
    x = L.Concatenate()([x, y * 4.0])
    x = L.Dense(20, activation="relu6")(x)
    return keras.Model(i, L.Concatenate()([L.Dense(1)(x), L.Dense(3, activation="tanh")(x)])), "moments"


NETS = {f.__name__: f for f in (residual_prelu, inverted, inception_dw, separable_leaky, hswish_se, two_heads, conv1d, mlp, autoencoder, gru,
                                lstm_unrolled, attention, upscaler, towers, regressor)}
SCHEMES = {"residual_prelu": ("int8", "tensor8"), "inverted": ("int8", "tensor8", "uint8"), "inception_dw": ("int8", "int16", "uint8"),
           "separable_leaky": ("int8", "tensor8"), "hswish_se": ("int8", "int16"), "two_heads": ("int8", "int16"), "conv1d": ("int8", "tensor8"),
           "mlp": ("int8", "uint8"), "autoencoder": ("int8", "int16"), "gru": ("int8", "int16"), "lstm_unrolled": ("int8",),
           "attention": ("int8",), "upscaler": ("int8", "int16"), "towers": ("int8", "int16"), "regressor": ("int8", "tensor8")}
SCALES = {"residual_prelu": 1 / 16, "inverted": 1 / 8, "inception_dw": 1, "separable_leaky": 1 / 16}  # of the pixels, 0..16


def dataset(name, model):
    digits = load_digits()
    order = np.random.default_rng(5).permutation(len(digits.images))
    pictures = digits.images[order].astype(np.float32) * SCALES.get(name, 1 / 16)
    if name in ("hswish_se", "attention", "mlp"):
        pictures = (pictures - pictures.mean()) / pictures.std()
    x = pictures
    if name == "upscaler":
        x = pictures.reshape(-1, 4, 2, 4, 2).mean((2, 4))
    return x.reshape(-1, *model.input_shape[1:]), pictures, digits.target[order]


def moments(pictures):
    """Sum, and centre and slant of a picture."""
    total = pictures.sum((1, 2)) + 1e-6
    y, x = np.mgrid[-1:1:8j, -1:1:8j]
    return np.stack([total / 16, (pictures * y).sum((1, 2)) / total, (pictures * x).sum((1, 2)) / total, (pictures * x * y).sum((1, 2)) / total], 1)


def train(name, folder):
    keras.utils.set_random_seed(len(name))
    model, kind = NETS[name]()
    x, pictures, y = dataset(name, model)
    fit_model = keras.Model(model.input, model.output)
    ce, mse = keras.losses.SparseCategoricalCrossentropy, "mse"
    target, loss = {"logits": (y, ce(from_logits=True)), "prob": (y, ce()), "sigmoid": (np.eye(10, dtype="f4")[y], "binary_crossentropy"),
                    "two": ([y, pictures[..., None]], [ce(from_logits=True), mse]), "same": (x, mse), "moments": (moments(pictures), mse), "picture": (pictures[..., None], mse)}[kind]
    fit_model.compile(keras.optimizers.Adam(3e-3), loss)
    n = 1400
    part = [t[:n] for t in target] if isinstance(target, list) else target[:n]
    for epochs, file in ((1, "early"), (12, "fp32"), (2, "later")):
        fit_model.fit(x[:n], part, epochs=epochs, batch_size=32, verbose=0)
        (folder / f"{name}.{file}.tflite").write_bytes(float_model(model))
        if file == "fp32":
            weights = model.get_weights()
    model.set_weights(weights)
    return model, x


def float_model(model):
    return tf.lite.TFLiteConverter.from_keras_model(model).convert()


def quantize(model, x, scheme, calibration, io):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    converter.representative_dataset = lambda: ([x[k:k + 1]] for k in calibration)
    if scheme == "int16":
        converter.target_spec.supported_ops = [tf.lite.OpsSet.EXPERIMENTAL_TFLITE_BUILTINS_ACTIVATIONS_INT16_WEIGHTS_INT8]
    else:
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        if io == "int8":
            converter.inference_input_type = converter.inference_output_type = tf.int8
    if scheme in ("tensor8", "uint8"):
        converter._experimental_disable_per_channel = True
        converter._experimental_disable_per_channel_quantization_for_dense_layers = True
    return converter.convert()


def write_data(path, x):
    with h5py.File(path, "w") as f:
        for k in range(len(x)):
            f[f"value/{k}/0"] = x[k:k + 1]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or NETS:
        model, x = train(name, folder)
        test = x[1400:1400 + RECORDS]
        for scheme in SCHEMES[name]:
            io = "int8" if len(name) % 2 and scheme != "uint8" else "float"
            for calibrated, calibration in (("", range(0, 80)), ("-othercal", range(300, 312))):
                if scheme == "uint8" and calibrated:
                    continue
                try:
                    quantized = quantize(model, x, scheme, calibration, io)
                except Exception as e:  # an operator that this scheme does not know
                    print(name, scheme, str(e).strip()[:200], flush=True)
                    continue
                case = folder / f"{name}-{scheme}{calibrated}"
                case.mkdir(exist_ok=True)
                (case / "quant.tflite").write_bytes(quantized)
                (case / "fp32.tflite").write_bytes((folder / f"{name}.fp32.tflite").read_bytes())
                write_data(case / "data.h5", test)
        print(name, flush=True)


if __name__ == "__main__":
    main()
