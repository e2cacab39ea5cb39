#!/usr/bin/env python3
"""Makes the tiny language models of this folder: fp32.tflite, int8.tflite, tokens.npy.

A decoder with the signatures of litert-torch's generative exports: `prefill_16` (tokens, input_pos, kv_cache_k_i, kv_cache_v_i in; the
caches out) and `decode` (the same for one token; the logits beside the caches). It is trained for half a minute on sums such as
"31+8=39;", one character a token. `--like` chooses the details of the block: Llama's, Gemma's or Qwen's; `--mask` gives both signatures
the input `mask`, as exports with an attention mask of the caller's have it.

Needs: pip install tensorflow ai-edge-quantizer
"""
import argparse
import pathlib

import numpy as np
import tensorflow as tf
from tensorflow.compiler.tf2xla.python import xla

CHARACTERS = "0123456789+=;"
CACHE, PREFILL = 64, 16
WIDTH, HEADS, KV_HEADS, HEAD, HIDDEN, LAYERS = 32, 4, 2, 8, 64, 2
VOCABULARY = 16
HIDDEN_FROM_VIEW = -1e9  # what training adds to the scores of tokens to come


def sums(count, rng):
    """A text of `count` characters."""
    text = ""
    while len(text) < count:
        a, b = rng.integers(0, 50, 2)
        text += f"{a}+{b}={a + b};"
    return np.array([CHARACTERS.index(c) for c in text[:count]], np.int32)


class Decoder(tf.Module):
    def __init__(self, like, mask):
        super().__init__()
        self.like, self.with_mask = like, mask
        rng = np.random.default_rng(7)
        self.trained = []

        def weight(*shape, scale=None):
            value = rng.normal(0, scale or shape[-2] ** -0.5, shape).astype(np.float32) if len(shape) > 1 else np.zeros(shape, np.float32)
            self.trained.append(tf.Variable(value))
            return self.trained[-1]

        self.embedding = weight(VOCABULARY, WIDTH, scale=WIDTH ** -0.5)
        self.head = weight(WIDTH, VOCABULARY)
        self.last_norm = weight(WIDTH)
        self.layers = [{
            "norm": weight(WIDTH), "q": weight(WIDTH, HEADS * HEAD), "k": weight(WIDTH, KV_HEADS * HEAD), "v": weight(WIDTH, KV_HEADS * HEAD),
            "o": weight(HEADS * HEAD, WIDTH), "ffn_norm": weight(WIDTH), "gate": weight(WIDTH, HIDDEN), "up": weight(WIDTH, HIDDEN),
            "down": weight(HIDDEN, WIDTH), "q_bias": weight(HEADS * HEAD), "k_bias": weight(KV_HEADS * HEAD), "v_bias": weight(KV_HEADS * HEAD),
            "q_norm": weight(HEAD), "k_norm": weight(HEAD)} for _ in range(LAYERS)]

    @staticmethod
    def norm(x, weight):
        return x * tf.math.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 1e-6) * (1.0 + weight)

    @staticmethod
    def rotate(x, positions):
        """Rotary embedding of [rows, heads, HEAD] at positions [rows]."""
        half = HEAD // 2
        angles = tf.cast(positions, tf.float32)[:, None, None] * (10000.0 ** (-np.arange(half, dtype=np.float32) / half))
        a, b = x[..., :half], x[..., half:]
        return tf.concat([a * tf.cos(angles) - b * tf.sin(angles), b * tf.cos(angles) + a * tf.sin(angles)], -1)

    def attention(self, layer, x, positions, keys, values, visible):
        """x [rows, WIDTH]; keys and values [length, KV_HEADS, HEAD] with this call's own in them; visible [rows, length], added."""
        q = x @ layer["q"] + (layer["q_bias"] if self.like == "qwen" else 0.0)
        q = tf.reshape(q, [-1, HEADS, HEAD])
        q = self.norm(q, layer["q_norm"]) if self.like == "qwen" else q
        q = self.rotate(q, positions) * HEAD ** -0.5
        repeat = HEADS // KV_HEADS
        keys, values = (tf.transpose(tf.repeat(each, repeat, axis=1), [1, 2, 0]) for each in (keys, values))
        scores = tf.matmul(tf.transpose(q, [1, 0, 2]), keys) + visible
        mixed = tf.matmul(tf.nn.softmax(scores), values, transpose_b=True)
        return tf.reshape(tf.transpose(mixed, [1, 0, 2]), [-1, HEADS * HEAD]) @ layer["o"]

    def new_keys(self, layer, x, positions):
        k = tf.reshape(x @ layer["k"] + (layer["k_bias"] if self.like == "qwen" else 0.0), [-1, KV_HEADS, HEAD])
        k = self.norm(k, layer["k_norm"]) if self.like == "qwen" else k
        v = tf.reshape(x @ layer["v"] + (layer["v_bias"] if self.like == "qwen" else 0.0), [-1, KV_HEADS, HEAD])
        return self.rotate(k, positions), v

    def blocks(self, x, positions, remember, visible):
        """`remember(i, keys, values)` gives the keys and values that layer i looks at."""
        x = x * WIDTH ** 0.5 if self.like == "gemma" else x
        for i, layer in enumerate(self.layers):
            normed = self.norm(x, layer["norm"])
            keys, values = remember(i, *self.new_keys(layer, normed, positions))
            x = x + self.attention(layer, normed, positions, keys, values, visible)
            normed = self.norm(x, layer["ffn_norm"])
            gate = tf.nn.gelu(normed @ layer["gate"], approximate=True) if self.like == "gemma" else tf.nn.silu(normed @ layer["gate"])
            x = x + (gate * (normed @ layer["up"])) @ layer["down"]
        logits = self.norm(x, self.last_norm) @ self.head
        return 30.0 * tf.tanh(logits / 30.0) if self.like == "gemma" else logits

    def train_step(self, tokens):
        rows = tf.shape(tokens)[1]
        hidden = HIDDEN_FROM_VIEW * (1.0 - tf.linalg.band_part(tf.ones([rows, rows]), -1, 0))
        one = lambda row: self.blocks(tf.gather(self.embedding, row), tf.range(rows), lambda i, k, v: (k, v), hidden)
        logits = tf.map_fn(one, tokens, fn_output_signature=tf.float32)
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tokens[:, 1:], logits[:, :-1]))

    def step(self, tokens, input_pos, caches, mask=None):
        """What a signature computes: the caches with this call's keys and values in them, and the logits."""
        if mask is None:
            seen = tf.range(CACHE)[None, :] <= input_pos[:, None]
            visible = tf.where(seen, 0.0, -1e9)
        else:
            visible = tf.reshape(mask, [-1, CACHE])
        out = {}

        def remember(i, *new):
            both = []
            for kind, value in zip("kv", new):
                name = f"kv_cache_{kind}_{i}"
                start = tf.stack([0, input_pos[0], 0, 0])
                out[name] = xla.dynamic_update_slice(caches[name], value[None], start)
                both.append(out[name][0])
            return both

        logits = self.blocks(tf.gather(self.embedding, tokens[0]), input_pos, remember, visible)
        return out, logits[None]

    def signature(self, rows, with_logits):
        specs = {"tokens": tf.TensorSpec([1, rows], tf.int32), "input_pos": tf.TensorSpec([rows], tf.int32)}
        if self.with_mask:
            specs["mask"] = tf.TensorSpec([1, 1, rows, CACHE], tf.float32)
        names = [f"kv_cache_{kind}_{i}" for i in range(LAYERS) for kind in "kv"]
        specs |= {name: tf.TensorSpec([1, CACHE, KV_HEADS, HEAD], tf.float32) for name in names}

        @tf.function(input_signature=[specs])
        def call(inputs):
            out, logits = self.step(inputs["tokens"], inputs["input_pos"], inputs, inputs.get("mask"))
            return out | ({"logits": logits} if with_logits else {})

        @tf.function
        def named(**inputs):
            return call(inputs)

        return named.get_concrete_function(**{name: tf.TensorSpec(spec.shape, spec.dtype, name=name) for name, spec in specs.items()})


def train(decoder, steps):
    rng = np.random.default_rng(11)
    optimizer = tf.keras.optimizers.Adam(4e-3)

    @tf.function
    def update(tokens):
        with tf.GradientTape() as tape:
            loss = decoder.train_step(tokens)
        pairs = [(g, v) for g, v in zip(tape.gradient(loss, decoder.trained), decoder.trained) if g is not None]
        optimizer.apply_gradients(pairs)
        return loss

    optimizer.build(decoder.trained)
    for step in range(steps):
        loss = update(np.stack([sums(CACHE, rng) for _ in range(24)]))
        if step % 100 == 0:
            print(f"step {step}: loss {loss:.3f}", flush=True)


def quantized(path):
    """Weights in 8 bits per channel, activations in float, as AI Edge Quantizer's dynamic range recipe makes it."""
    from ai_edge_quantizer import quantizer, recipe
    make = quantizer.Quantizer(str(path))
    make.load_quantization_recipe(recipe.dynamic_wi8_afp32())
    return make.quantize().quantized_model


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--like", choices=["llama", "gemma", "qwen"], default="llama")
    parser.add_argument("--mask", action="store_true")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    arguments = parser.parse_args()
    tf.random.set_seed(1)
    decoder = Decoder(arguments.like, arguments.mask)
    train(decoder, arguments.steps)
    signatures = {f"prefill_{PREFILL}": decoder.signature(PREFILL, False), "decode": decoder.signature(1, True)}
    folder = arguments.out / "saved"
    tf.saved_model.save(decoder, str(folder), signatures)
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder), signature_keys=list(signatures))
    path = arguments.out / "fp32.tflite"
    path.write_bytes(converter.convert())
    (arguments.out / "int8.tflite").write_bytes(quantized(path))
    np.save(arguments.out / "tokens.npy", np.stack([sums(CACHE, np.random.default_rng(i)) for i in (101, 102)]))
    import shutil
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
