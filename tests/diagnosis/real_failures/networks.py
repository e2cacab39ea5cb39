"""Small networks, one function each: inputs of one record, what a Keras model gives. Classifiers end with a softmax."""

import keras
from keras import layers as L, ops
from data import BANDS, FRAMES, LENGTH, LINES, SENSORS, SIDE, STEPS, WORDS


def normed(x, layer, act="relu"):
    x = L.BatchNormalization()(layer(x))
    return L.Activation(act)(x) if act else x


def conv(x, n, k=3, stride=1, act="relu", **more):
    return normed(x, L.Conv2D(n, k, strides=stride, padding="same", use_bias=False, **more), act)


def separable(side=SIDE, channels=3, classes=8):
    """Depthwise-separable CNN."""
    i = L.Input((side, side, channels), name="image")
    x = conv(i, 8, stride=2)
    for n, stride in ((16, 1), (24, 2), (24, 1)):
        x = normed(x, L.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False), "relu6")
        x = conv(x, n, 1)
    x = L.GlobalAveragePooling2D(name="pool")(x)
    return keras.Model(i, L.Dense(classes, activation="softmax", name="head")(x))


def scaled_inside(channels=3):
    """The same behind a layer that takes 0..255."""
    i = L.Input((SIDE, SIDE, channels), name="image")
    return keras.Model(i, separable(SIDE, channels)(L.Rescaling(1 / 255.0, name="to_one")(i)))


def residual(classes=8):
    """Residual CNN."""
    i = L.Input((SIDE, SIDE, 3), name="image")
    x = conv(i, 12, stride=2)
    for n in (12, 20):
        x = x if x.shape[-1] == n else conv(x, n, 1, 2)
        y = conv(conv(x, n), n, act=None)
        x = L.ReLU()(L.Add()([x, y]))
    x = L.Dense(24, activation="relu", name="wide")(L.GlobalMaxPooling2D()(x))
    return keras.Model(i, L.Dense(classes, activation="softmax", name="head")(x))


def keywords(frames=FRAMES, classes=6):
    """1-D convolutions over the bands of a sound."""
    i = L.Input((frames, BANDS), name="sound")
    x = i
    for n, k, stride in ((16, 5, 2), (24, 5, 2), (24, 3, 1)):
        x = normed(x, L.Conv1D(n, k, strides=stride, padding="same", use_bias=False))
    x = L.GlobalAveragePooling1D(name="pool")(x)
    return keras.Model(i, L.Dense(classes, activation="softmax", name="head")(x))


def vision_transformer(classes=8):
    """Patches of 6 by 6 pixels, two blocks of attention."""
    i = L.Input((SIDE, SIDE, 3), name="image")
    x = L.Reshape((16, 24))(L.Conv2D(24, 6, strides=6, name="patch")(i))
    x = PlaceOfPatch()(x)
    for n in range(2):
        x = attend(x, 24, name=f"block{n}")
    x = L.GlobalAveragePooling1D(name="pool")(L.LayerNormalization()(x))
    return keras.Model(i, L.Dense(classes, activation="softmax", name="head")(x))


class PlaceOfPatch(L.Layer):
    """Adds a learned vector per place."""

    def build(self, shape):
        self.place = self.add_weight(shape=(1, *shape[1:]), initializer="random_normal", name="place")

    def call(self, x):
        return x + self.place


def attend(x, width, name, bias=None):
    """A block of a transformer; `bias` is added to the scores of attention."""
    y = L.LayerNormalization(name=name + "_norm")(x)
    q, k, v = (L.Dense(width, name=f"{name}_{part}")(y) for part in "qkv")
    scores = ops.matmul(q, ops.transpose(k, (0, 2, 1))) * width**-0.5
    scores = scores if bias is None else scores + bias
    x = x + L.Dense(width, name=name + "_out")(ops.matmul(L.Softmax(name=name + "_attention")(scores), v))
    y = L.Dense(2 * width, activation="gelu", name=name + "_wide")(L.LayerNormalization(name=name + "_norm2")(x))
    return x + L.Dense(width, name=name + "_narrow")(y)


def masked_encoder(masked=-1e9, classes=5):
    """Text encoder that hides padding by adding `masked` to the scores."""
    tokens, mask = L.Input((LENGTH,), dtype="int32", name="tokens"), L.Input((LENGTH,), name="mask")
    bias = ops.expand_dims((1.0 - mask) * masked, 1)
    x = L.Embedding(WORDS, 24, name="table")(tokens)
    for n in range(2):
        x = attend(x, 24, f"block{n}", bias)
    x = L.Dense(24, activation="relu", name="first")(x[:, 0])
    return keras.Model([tokens, mask], L.Dense(classes, activation="softmax", name="head")(x))


def word_bag(classes=5, first=None):
    """Embedding, a convolution over words, the largest of each feature."""
    i = L.Input((LENGTH,), dtype="int32", name="tokens")
    x = L.Embedding(WORDS, 16, name="table", **({"embeddings_initializer": first} if first else {}))(i)
    x = normed(x, L.Conv1D(24, 3, padding="same", use_bias=False, name="pairs"))
    x = L.GlobalMaxPooling1D()(x)
    return keras.Model(i, L.Dense(classes, activation="softmax", name="head")(x))


def gated(classes=5):
    """GRU, unrolled."""
    i = L.Input((STEPS, SENSORS), name="sensors")
    x = L.GRU(20, unroll=True, reset_after=False, name="gru")(i)
    return keras.Model(i, L.Dense(classes, activation="softmax", name="head")(x))


def memory(classes=5):
    """LSTM, unrolled."""
    i = L.Input((STEPS, SENSORS), name="sensors")
    x = L.LSTM(16, unroll=True, name="lstm")(i)
    return keras.Model(i, L.Dense(classes, activation="softmax", name="head")(x))


def adder():
    """GRU of 48 unrolled steps that keeps a sum."""
    i = L.Input((48, 1), name="steps")
    return keras.Model(i, L.Dense(1, name="sum")(L.GRU(12, unroll=True, reset_after=False, name="gru")(i)))


def u_net():
    """A map from a picture, with a bridge over the narrow part."""
    i = L.Input((SIDE, SIDE, 1), name="image")
    a = conv(i, 8)
    b = conv(conv(a, 16, stride=2), 16)
    up = conv(L.UpSampling2D(2, name="up")(b), 8)
    x = conv(L.Concatenate(name="bridge")([a, up]), 8)
    return keras.Model(i, L.Conv2D(1, 3, padding="same", name="map")(x))


def autoencoder():
    """A spectrum through eight numbers."""
    i = L.Input((LINES,), name="spectrum")
    x = L.Dense(32, activation="relu", name="in")(i)
    x = L.Dense(8, name="code")(x)
    x = L.Dense(32, activation="relu", name="out")(x)
    return keras.Model(i, L.Dense(LINES, name="again")(x))


def detector(pixels=1.0):
    """Box (4 numbers, in parts of `pixels`) and scores of four shapes, joined in one output."""
    i = L.Input((SIDE, SIDE, 3), name="image")
    x = conv(conv(conv(i, 12, stride=2), 16, stride=2), 24, stride=2)
    x = L.Dense(32, activation="relu", name="wide")(L.Flatten()(x))
    box, scores = L.Dense(4, name="box")(x) * pixels, L.Dense(4, activation="softmax", name="scores")(x)
    return keras.Model(i, L.Concatenate(name="both")([box, scores]))


def dense(inputs, outputs, act=None, widths=(32, 24), name="columns"):
    """Fully connected layers over a record's columns."""
    x = i = L.Input((inputs,), name=name)
    for n, width in enumerate(widths):
        x = L.Dense(width, activation="relu", name=f"dense{n}")(x)
    return keras.Model(i, L.Dense(outputs, activation=act, name="head")(x))
