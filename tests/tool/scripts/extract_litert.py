"""Loads the models of folders that `visqerror extract` wrote in LiteRT, and compares what they give with the stored outputs.

For each folder: fp32.tflite on data.h5 gives reference.h5 but for the order of sums; quant.tflite on the stored integers of
quantized_inputs.h5 (extract --mode integer; data.h5 where that is absent) gives quantized_own.h5 (quantized.h5) to the bit.
Prints a line per folder that differs, then how many there were.
"""
import os
import sys

import h5py
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType


def quantized(values, detail):
    scale, zero_point = detail["quantization"]
    info = np.iinfo(detail["dtype"])
    steps = np.asarray(values, np.float32) / np.float32(scale)
    rounded = np.where(steps < 0, np.ceil(steps - 0.5), np.floor(steps + 0.5))
    return np.clip(rounded + zero_point, info.min, info.max).astype(detail["dtype"])


def feed(interpreter, record):
    for position, detail in enumerate(interpreter.get_input_details()):
        values = record[str(position)][()]
        if list(values.shape) != list(detail["shape"]):
            interpreter.resize_tensor_input(detail["index"], values.shape)
    interpreter.allocate_tensors()
    for position, detail in enumerate(interpreter.get_input_details()):
        values = record[str(position)][()]
        if values.dtype != detail["dtype"] and np.issubdtype(values.dtype, np.floating) and detail["quantization"][0] != 0:
            values = quantized(values, detail)
        interpreter.set_tensor(detail["index"], values.astype(detail["dtype"]))


def difference(model, data, outputs, exact):
    """What is wrong, or nothing."""
    interpreter = Interpreter(model, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    with h5py.File(data) as inputs, h5py.File(outputs) as stored:
        for number in sorted(inputs["value"], key=int):
            feed(interpreter, inputs["value"][number])
            interpreter.invoke()
            for detail in interpreter.get_output_details():
                found = interpreter.get_tensor(detail["index"]).astype(np.float64)
                expected = stored["value"][number][str(detail["index"])][()].astype(np.float64)
                if found.shape != expected.shape:
                    return f"{model}: {detail['name']}: shape {found.shape}, stored {expected.shape}"
                apart = np.abs(found - expected).max(initial=0)
                if apart > (0 if exact else 1e-5 * max(1, np.abs(expected).max(initial=0))):
                    return f"{model}: {detail['name']}: {apart} apart"
    return ""


def check(folder):
    def path(name):
        return os.path.join(folder, name)

    own = os.path.exists(path("quantized_inputs.h5"))
    return [
        difference(path("fp32.tflite"), path("data.h5"), path("reference.h5"), False),
        difference(path("quant.tflite"), path("quantized_inputs.h5" if own else "data.h5"),
                   path("quantized_own.h5" if own else "quantized.h5"), True),
    ]


for folder in sys.argv[1:]:
    for line in check(folder):
        if line:
            print(line)
print(len(sys.argv) - 1, "pairs")
