#!/usr/bin/env python3
"""One network of our own as ONNX and as TFLite, float and quantized, into data/formats. Needs torch, onnx, onnxscript, onnxruntime, litert-torch
and ai-edge-quantizer from PyPI."""
import logging
import os
import warnings

import litert_torch
import numpy as np
import onnx
import torch
from ai_edge_quantizer import quantizer, recipe
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
from torch import nn

from family import DATA
from export_networks import Records

FOLDER = os.path.join(DATA, "formats")
RECORDS = 4


class Block(nn.Module):
    """An inverted residual: depthwise between two pointwise convolutions, and a gate in place of the usual activation."""

    def __init__(self, channels):
        super().__init__()
        self.grow = nn.Sequential(nn.Conv2d(channels, 2 * channels, 1, bias=False), nn.BatchNorm2d(2 * channels), nn.ReLU6())
        self.spread = nn.Sequential(nn.Conv2d(2 * channels, 2 * channels, 3, padding=1, groups=2 * channels, bias=False), nn.BatchNorm2d(2 * channels), nn.ReLU())
        self.shrink = nn.Sequential(nn.Conv2d(2 * channels, channels, 1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return x + self.shrink(self.spread(self.grow(x)))


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 12, 3, stride=2, padding=1), nn.BatchNorm2d(12), nn.ReLU())
        self.first, self.second = Block(12), Block(12)
        self.branch = nn.Conv2d(12, 8, (1, 3), padding=(0, 1))
        self.pool = nn.MaxPool2d(2)
        self.hidden, self.scores = nn.Linear(20, 24), nn.Linear(24, 10)

    def forward(self, x):
        x = self.second(self.first(self.stem(x)))
        x = self.pool(torch.cat([x, torch.sigmoid(self.branch(x))], dim=1))
        return self.scores(torch.relu(self.hidden(x.mean(dim=(2, 3)))))


def settled():
    torch.manual_seed(7)
    module, pictures = Network(), torch.rand(RECORDS, 3, 20, 16)
    for norm in (m for m in module.modules() if isinstance(m, nn.BatchNorm2d)):
        norm.momentum = None
        nn.init.uniform_(norm.weight, 0.6, 1.4)
        nn.init.uniform_(norm.bias, -0.3, 0.3)
    with torch.no_grad():
        module(pictures)
    return module.eval(), pictures


def write_onnx(module, pictures):
    path = os.path.join(FOLDER, "float.onnx")
    torch.onnx.export(module, (pictures[:1],), path, dynamo=True, input_names=["image"], external_data=False, opset_version=18)
    model = onnx.load(path)
    for node in model.graph.node:  # what the exporter notes of the sources is longer than the network
        del node.metadata_props[:]
    for each in [*model.graph.value_info, *model.graph.initializer, *model.graph.input, *model.graph.output, model.graph, model]:
        del each.metadata_props[:]
    onnx.save(model, path)
    quantize_static(path, os.path.join(FOLDER, "qdq.onnx"), Records({"image": pictures.numpy()}), quant_format=QuantFormat.QDQ,
                    activation_type=QuantType.QInt8, weight_type=QuantType.QInt8, per_channel=True)


def write_float(module, pictures, path):
    litert_torch.convert(module, (pictures[:1],)).export(path)


def write_int8(module, pictures, path):
    floats = path + ".float"
    write_float(module, pictures, floats)
    made = quantizer.Quantizer(floats)
    os.remove(floats)
    made.load_quantization_recipe(recipe.static_wi8_ai8())
    data = [{"args_0": picture[None].numpy()} for picture in pictures]
    made.quantize(made.calibrate({"serving_default": data})).export_model(path, overwrite=True)
    os.chmod(path, 0o644)


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    os.makedirs(FOLDER, exist_ok=True)
    module, pictures = settled()
    write_onnx(module, pictures)
    write_float(module, pictures, os.path.join(FOLDER, "float.tflite"))
    last = litert_torch.to_channel_last_io(module, args=[0])
    write_int8(last, pictures.permute(0, 2, 3, 1).contiguous(), os.path.join(FOLDER, "int8_nhwc.tflite"))
    np.savez_compressed(os.path.join(FOLDER, "pictures.npz"), image=pictures[:2, None].numpy())


if __name__ == "__main__":
    main()
