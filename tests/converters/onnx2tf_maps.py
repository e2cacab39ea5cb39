"""onnx2tf on what onnx_maps.py exported: channels last, transposes taken out, float, float16 and all its kinds of quantization."""

import pathlib
import shutil
import sys
import tempfile

import numpy as np
import onnx2tf
from ai_edge_litert.interpreter import Interpreter

from store_data import store_data

# It checks itself on pictures from the Internet wherever an input could be one.
onnx2tf.onnx2tf.download_test_image_data = lambda: np.random.default_rng(0).random((20, 128, 128, 3), np.float32)

OUT = pathlib.Path(sys.argv[1])  # convert.py's first argument
RECIPES = {
    "float32": "float", "float16": "float16", "dynamic_range_quant": "dynamic_range", "integer_quant": "int8_float_io",
    "full_integer_quant": "int8", "integer_quant_with_int16_act": "int16_float_io", "full_integer_quant_with_int16_act": "int16",
}  # fmt: skip


def networks():
    return sorted(path.parent.name for path in OUT.glob("onnx_maps/*/float.onnx"))


def records(folder, kind):
    """Per record the model's inputs in ONNX' order and layout."""
    with np.load(folder / f"{kind}.npz") as stored:
        count = 1 + max(int(key.split("_")[0]) for key in stored)
        return [[stored[f"{r}_{k}"] for k in range(len(stored) // count)] for r in range(count)]


def as_wanted(array, shape):
    """With its channels last where the model has them there."""
    shape = tuple(shape)
    if array.shape == shape or array.ndim < 3:
        return array
    last = np.moveaxis(array, 1, -1)
    return np.ascontiguousarray(last) if last.shape == shape else array


def input_details(model):
    """In the order of ONNX' names x0, x1 …"""
    interpreter = Interpreter(str(model))
    return sorted(interpreter.get_input_details(), key=lambda detail: detail["name"].split("x")[-1].split(":")[0])


def convert(source, out, calibration, quantized):
    """`calibration`: the files that -cind wants."""
    onnx2tf.convert(input_onnx_file_path=str(source / "float.onnx"), output_folder_path=str(out), non_verbose=True, verbosity="error",
                    output_integer_quantized_tflite=quantized, output_dynamic_range_quantized_tflite=quantized,
                    custom_input_op_name_np_data_path=calibration)  # fmt: skip


def calibration_files(source, scratch):
    files = []
    for k, values in enumerate(map(np.concatenate, zip(*records(source, "calibration")))):
        values = np.moveaxis(values, 1, -1) if values.ndim > 2 else values  # as onnx2tf lays inputs out
        path = scratch / f"x{k}.npy"
        np.save(path, values.astype(np.float32))
        files.append([f"x{k}", str(path), np.zeros((1,) * values.ndim, np.float32), np.ones((1,) * values.ndim, np.float32)])
    return files


def recipes(name, folder):
    source = OUT / "onnx_maps" / name
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        made = scratch / "all"
        calibration = calibration_files(source, scratch)
        try:
            convert(source, made, calibration, True)
        except Exception as error:  # noqa: BLE001: converters raise whatever they like
            made = scratch / "plain"
            yield "int8", lambda e=error: (_ for _ in ()).throw(e)
            convert(source, made, calibration, False)
        shapes = [detail["shape"] for detail in input_details(made / "float_float32.tflite")]
        store_data(folder, [[as_wanted(value, shape) for value, shape in zip(record, shapes)] for record in records(source, "test")])
        for suffix, recipe in RECIPES.items():
            model = made / f"float_{suffix}.tflite"
            if model.exists():
                yield recipe, lambda m=model, r=recipe: shutil.copy(m, folder / f"{r}.tflite")
