#!/usr/bin/env python3
"""Makes int8_miscalibrated.tflite beside it: fp32.tflite quantized as int8.tflite is, but calibrated by mistake on images that were divided
by 255, as photographs are, where these go from 0 to 16 only. Every range comes out too narrow, most values are cut off. This is the model
that `diagnose` and `recommend` are shown with. Nothing is downloaded.

    python3 -m venv /tmp/digits && /tmp/digits/bin/pip install tensorflow-cpu==2.21.0 scikit-learn==1.9.0
    /tmp/digits/bin/python make_miscalibrated.py

With these versions it comes out as it was, byte for byte.
"""

import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tensorflow.lite.python.optimize.calibrator import Calibrator

HERE = pathlib.Path(__file__).resolve().parent
IMAGES = 200


def too_dark():
    """make_digits.py divides by 16."""
    for image in load_digits().images[:IMAGES]:
        yield [(image / 255.0).astype(np.float32)[np.newaxis, ..., np.newaxis]]


def main():
    calibrator = Calibrator((HERE / "fp32.tflite").read_bytes())
    content = calibrator.calibrate_and_quantize(too_dark, tf.int8, tf.int8, allow_float=False, activations_type=tf.int8)
    (HERE / "int8_miscalibrated.tflite").write_bytes(content)
    print(f"int8_miscalibrated: {len(content)} bytes")


if __name__ == "__main__":
    main()
