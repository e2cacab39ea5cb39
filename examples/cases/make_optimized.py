#!/usr/bin/env python3
"""Makes optimized.npz beside it: what LiteRT's optimized kernels make of the first records of the digits, every feature map of digits/int8.tflite as
its stored integers, by name. It stands for a device, or a PC, whose kernels round ties otherwise than the reference kernels.

    pip install numpy h5py ai-edge-litert
"""
import pathlib

import h5py
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

HERE = pathlib.Path(__file__).resolve().parent
RECORDS = 4


def maps_of(interpreter, image):
    """What every operator makes of an image, by the tensor's name."""
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], image)
    interpreter.invoke()
    made = {int(index) for operator in interpreter._get_ops_details() for index in operator["outputs"]}
    return {tensor["name"]: interpreter.get_tensor(tensor["index"]) for tensor in interpreter.get_tensor_details() if tensor["index"] in made}


def main():
    interpreter = Interpreter(str(HERE.parent / "digits" / "int8.tflite"), experimental_preserve_all_tensors=True,
                              experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
    interpreter.allocate_tensors()
    details = interpreter.get_input_details()[0]
    scale, zero_point = details["quantization"]
    with h5py.File(HERE.parent / "digits" / "data.h5") as data:
        images = [np.array(data[f"value/{record}/0"]) for record in range(RECORDS)]
    codes = [np.clip(np.round(image / scale) + zero_point, -128, 127).astype(np.int8).reshape(details["shape"]) for image in images]
    records = [maps_of(interpreter, image) for image in codes]
    stacked = {name.replace("/", "_"): np.concatenate([record[name] for record in records]) for name in records[0]}
    np.savez_compressed(HERE / "optimized.npz", **stacked)


if __name__ == "__main__":
    main()
