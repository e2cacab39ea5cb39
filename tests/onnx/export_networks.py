#!/usr/bin/env python3
"""Writes the networks of zoo.py as ONNX, float and quantized: export_networks.py FOLDER [NAME…] [--exporter dynamo|script]

FOLDER/NAME.EXPORTER/ gets float.onnx, what ONNX Runtime's quantizer makes of it, and data.npz. Needs torch, torchvision, transformers, onnx,
onnxscript and onnxruntime from PyPI."""
import argparse
import logging
import pathlib
import warnings

import numpy as np
import onnxruntime.quantization as quantization
import torch
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType
from onnxruntime.quantization.shape_inference import quant_pre_process

import zoo

STATIC = {
    "qdq_u8": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8},
    "qdq_u8_channels": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QUInt8, "per_channel": True},
    "qdq_s8_channels": {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8, "per_channel": True},
}


class Records(CalibrationDataReader):
    def __init__(self, data):
        count = len(next(iter(data.values())))
        self.left = [{name: values[i:i + 1] for name, values in data.items()} for i in range(count)]

    def get_next(self):
        return self.left.pop() if self.left else None


def export(module, feeds, exporter, path):
    names = [f"input{i}" for i in range(len(feeds))]
    args = tuple(feed[:1] for feed in feeds)
    if exporter == "dynamo":
        torch.onnx.export(module, args, str(path), dynamo=True, input_names=names, external_data=False, opset_version=20)
    else:
        torch.onnx.export(module, args, str(path), dynamo=False, input_names=names, opset_version=17)
    return names


def quantize(folder, data):
    """Twins of float.onnx; the quantizer wants shapes, which its own step before finds."""
    prepared = folder / "prepared.onnx"
    try:
        quant_pre_process(str(folder / "float.onnx"), str(prepared), skip_optimization=True, skip_symbolic_shape=True)
    except Exception:
        prepared = folder / "float.onnx"
    asked = {kind: {"quant_format": QuantFormat.QDQ, **options} for kind, options in STATIC.items()}
    asked["qoperator"] = {"quant_format": QuantFormat.QOperator, "activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    for kind, options in asked.items():
        attempt(folder, kind, lambda path: quantization.quantize_static(str(prepared), path, Records(data), **options))
    attempt(folder, "dynamic", lambda path: quantization.quantize_dynamic(str(prepared), path, weight_type=QuantType.QUInt8))


def attempt(folder, kind, make):
    """The quantizer does not take every network."""
    try:
        make(str(folder / f"{kind}.onnx"))
    except Exception as error:
        print(f"{folder.name}: {kind}: {type(error).__name__}: {error}", flush=True)


def write(name, exporter, target):
    folder = target / f"{name}.{exporter}"
    folder.mkdir(parents=True, exist_ok=True)
    module, feeds = zoo.network(name)
    names = export(module, feeds, exporter, folder / "float.onnx")
    data = {each: feed.numpy() for each, feed in zip(names, feeds)}
    np.savez(folder / "data.npz", **{each: values[:, None] for each, values in data.items()})
    quantize(folder, data)
    (folder / "prepared.onnx").unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=list(zoo.NETWORKS))
    parser.add_argument("--exporter", choices=["dynamo", "script"], action="append")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    for name in options.names or zoo.NETWORKS:
        for exporter in options.exporter or ["dynamo", "script"]:
            try:
                write(name, exporter, options.folder)
                print(f"{name}.{exporter}: written", flush=True)
            except Exception as error:
                print(f"{name}.{exporter}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", flush=True)


if __name__ == "__main__":
    main()
