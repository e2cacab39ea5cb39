"""PyTorch's ONNX export: what onnx2tf_maps.py converts further, in a surrounding without PyTorch."""

import numpy as np
import torch

import networks as torch_networks
from store import arrays


def networks():
    return list(torch_networks.NETWORKS)


def recipes(name, folder):
    module, inputs = torch_networks.build(name)
    for kind, count, seed in (("test", 3, 1), ("calibration", 4, 0)):
        records = [arrays(record) for record in torch_networks.records(inputs, count, seed)]
        np.savez(folder / f"{kind}.npz", **{f"{r}_{k}": value for r, record in enumerate(records) for k, value in enumerate(record)})
    names = [f"x{k}" for k in range(len(inputs))]
    yield "float", lambda: torch.onnx.export(module, inputs, str(folder / "float.onnx"), input_names=names, dynamo=False)
