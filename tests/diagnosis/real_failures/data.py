"""Synthetic data, all made from a seed: pictures, sounds, tables, texts, series, scenes to draw maps and boxes of, spectra."""

import numpy as np

SIDE = 24  # pixels of a picture's side
FRAMES, BANDS = 40, 12
WORDS, LENGTH = 120, 20
STEPS, SENSORS = 24, 6
LINES = 48  # of a spectrum


def grid(n, rng, low=0.3, high=0.7):
    """Rows and columns of n pictures, in pixels from a random centre."""
    y, x = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)
    centre = rng.uniform(low * SIDE, high * SIDE, (2, n, 1, 1)).astype(np.float32)
    return y[None] - centre[0], x[None] - centre[1]


def pictures(n, seed):
    """RGB pictures in 0..255, and 8 classes: disc, ring, bars or cross, warm or cold."""
    rng = np.random.default_rng(seed)
    y, x = grid(n, rng)
    radius = rng.uniform(4.5, 8, (n, 1, 1)).astype(np.float32)
    far = np.hypot(y, x)
    shapes = np.stack(
        [
            far < radius,
            (far < radius) & (far > radius - 2.5),
            (far < radius) & (np.sin(2.1 * x) > 0),
            (np.minimum(abs(y), abs(x)) < 1.6) & (np.maximum(abs(y), abs(x)) < radius),
        ]
    )
    labels = rng.integers(0, 8, n)
    mask = shapes[labels % 4, np.arange(n)][..., None]
    warm = np.stack([rng.uniform(140, 250, n), rng.uniform(60, 180, n), rng.uniform(20, 110, n)], -1)
    colour = np.where((labels >= 4)[:, None], warm[:, ::-1], warm)[:, None, None, :]
    ground = rng.uniform(40, 130, (n, 1, 1, 1)) + rng.normal(0, 8, (n, 1, 1, 3))
    picture = np.where(mask, colour, ground) + rng.normal(0, 18, (n, SIDE, SIDE, 3))
    return np.clip(picture, 0, 255).astype(np.float32), labels


def glyphs(n, seed):
    """Black pictures in 0..1 with one glyph of 5x5 pixels, and its 12 classes."""
    rng = np.random.default_rng(seed)
    shapes = (np.random.default_rng(8).random((12, 5, 5)) < 0.5).astype(np.float32)
    labels = rng.integers(0, 12, n)
    picture = np.zeros((n, SIDE, SIDE, 1), np.float32)
    for k, (row, column) in enumerate(rng.integers(1, SIDE - 6, (n, 2))):
        picture[k, row : row + 5, column : column + 5, 0] = shapes[labels[k]] * rng.uniform(0.15, 1)
    return picture, labels


def sounds(n, seed):
    """Power of 12 bands over 40 frames, from 0 to some hundreds, and 6 classes of contours."""
    rng = np.random.default_rng(seed)
    t, f = np.mgrid[0 : 1 : FRAMES * 1j, 0 : 1 : BANDS * 1j].astype(np.float32)
    begin = rng.uniform(0, 0.3, (n, 1, 1))
    s = np.clip((t[None] - begin) / rng.uniform(0.4, 0.7, (n, 1, 1)), 0, 1)
    contours = np.stack([s, 1 - s, 1 - abs(2 * s - 1), abs(2 * s - 1), 0.5 + 0.5 * np.sin(12 * s), np.where(s < 0.5, 0.25, 0.75)])
    labels = rng.integers(0, 6, n)
    tone = 0.1 + 0.8 * contours[labels, np.arange(n)] + rng.normal(0, 0.06, (n, 1, 1))
    voiced = (s > 0) & (s < 1)
    loud = np.exp(rng.normal(0.5, 0.8, (n, 1, 1))) * np.exp(-(((f[None] - tone) / 0.08) ** 2)) * voiced
    power = loud + 0.2 * np.exp(rng.normal(0, 1, (n, FRAMES, BANDS)))
    return power.astype(np.float32), labels


def tables(n, seed):
    """10 columns about 0, 3 raw ones (seconds of the day, pascals, metres), and 4 classes that depend on all."""
    rng = np.random.default_rng(seed)
    small = rng.normal(0, 1, (n, 10)).astype(np.float32)
    raw = np.stack([rng.uniform(0, 86400, n), rng.normal(98000, 2500, n), rng.gamma(2, 400, n)], -1).astype(np.float32)
    a = np.tanh(small[:, 0]) + small[:, 1] * small[:, 2] + 0.5 * small[:, 3:6].sum(-1)
    b = np.sin(2 * np.pi * raw[:, 0] / 86400) + (raw[:, 1] - 98000) / 2500 + 0.8 * small[:, 6]
    return small, raw, (a > 0) * 2 + (b > 0)


def texts(n, seed):
    """Tokens (0: padding, 1: begin), their mask, and 5 classes, each with words of its own."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, n)
    tokens = rng.integers(52, WORDS, (n, LENGTH))
    own = 2 + labels[:, None] * 10 + rng.integers(0, 10, (n, LENGTH))
    tokens = np.where(rng.random((n, LENGTH)) < 0.16, own, tokens)
    tokens[:, 0] = 1
    mask = np.arange(LENGTH)[None] < rng.integers(8, LENGTH + 1, n)[:, None]
    return np.where(mask, tokens, 0).astype(np.int32), mask.astype(np.float32), labels


def series(n, seed):
    """24 steps of 6 sensors about 0, and 5 classes: which movement, in which sensors."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 5, n)
    t = np.arange(STEPS)[None, :, None] / STEPS
    phase, speed = rng.uniform(0, 1, (n, 1, 1)), 1 + labels[:, None, None] + rng.normal(0, 0.15, (n, 1, 1))
    lag = np.arange(SENSORS)[None, None] / SENSORS
    return (np.sin(2 * np.pi * (speed * t + phase + lag)) + rng.normal(0, 0.9, (n, STEPS, SENSORS))).astype(np.float32), labels


def sums(n, seed):
    """48 steps of one input, and the sum of all steps, slowly forgotten."""
    x = np.random.default_rng(seed).normal(0, 1, (n, 48, 1)).astype(np.float32)
    return x, (x * 0.98 ** np.arange(47, -1, -1)[None, :, None]).sum(1) / 4


def scenes(n, seed):
    """Noisy grey pictures in 0..255 with three blobs, and the map of what is there without noise, in 0..1."""
    rng = np.random.default_rng(seed)
    clean = np.zeros((n, SIDE, SIDE), np.float32)
    for _ in range(3):
        y, x = grid(n, rng, 0.1, 0.9)
        clean += rng.uniform(0.2, 0.6, (n, 1, 1)) * np.exp(-(y**2 + x**2) / rng.uniform(6, 30, (n, 1, 1)))
    clean = np.clip(clean, 0, 1)[..., None].astype(np.float32)
    noisy = 255 * np.clip(0.15 + 0.7 * clean + rng.normal(0, 0.12, clean.shape), 0, 1)
    return noisy.astype(np.float32), clean


def boxes(n, seed):
    """Pictures of `pictures`, and per picture 4 numbers of the box in 0..1 and the class of 4 shapes."""
    rng = np.random.default_rng(seed)
    y, x = grid(n, rng)
    half = rng.uniform(4, 7, (2, n, 1, 1)).astype(np.float32)
    inside = (abs(y) < half[0]) & (abs(x) < half[1])
    patterns = np.stack([inside, inside & (np.sin(1.6 * x) > 0), inside & (np.sin(1.6 * y) > 0), inside & (np.sin(x + y) > 0)])
    labels = rng.integers(0, 4, n)
    mask = patterns[labels, np.arange(n)][..., None]
    picture = np.where(mask, rng.uniform(150, 240, (n, 1, 1, 3)), rng.uniform(10, 90, (n, 1, 1, 3))) + rng.normal(0, 12, (n, SIDE, SIDE, 3))
    centre = [-y[:, 0, 0], -x[:, 0, 0]]
    box = np.stack(
        [centre[0] - half[0, :, 0, 0], centre[1] - half[1, :, 0, 0], centre[0] + half[0, :, 0, 0], centre[1] + half[1, :, 0, 0]], -1
    )
    return np.clip(picture, 0, 255).astype(np.float32), (box / SIDE).astype(np.float32), labels


def spectra(n, seed):
    """Spectra of 48 lines: sums of three of eight known substances, and noise."""
    rng = np.random.default_rng(seed)
    line = np.arange(LINES)[None, :]
    known = np.random.default_rng(4)
    peaks = sum(
        known.uniform(0.3, 1, (8, 1)) * np.exp(-(((line - known.uniform(3, 45, (8, 1))) / known.uniform(1, 3, (8, 1))) ** 2))
        for _ in range(3)
    )
    shares = rng.gamma(1, 0.5, (n, 8)) * (rng.random((n, 8)) < 0.4)
    return (shares @ peaks + rng.normal(0, 0.02, (n, LINES))).astype(np.float32)


def rates(n, seed):
    """12 columns about 0, and a share that follows from them, from 1e-5 to 0.2."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (n, 12)).astype(np.float32)
    log_odds = -6 + 0.8 * x[:, :6].sum(-1) + 0.5 * np.tanh(x[:, 6] * x[:, 7])
    return x, (1 / (1 + np.exp(-log_odds)))[:, None].astype(np.float32)
