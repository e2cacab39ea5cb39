"""Test data and PyTorch's own results beside converted models."""

import h5py
import numpy as np
import torch


def arrays(values):
    return [value.detach().numpy() for value in values]


def store_data(folder, records):
    """`records`: per record the arrays of the model's inputs."""
    with h5py.File(folder / "data.h5", "w") as file:
        for r, record in enumerate(records):
            for i, array in enumerate(record):
                file[f"value/{r}/{i}"] = array


def store_outputs(folder, module, records):
    with torch.no_grad():
        results = [module(*record) for record in records]
    results = [result if isinstance(result, tuple) else (result,) for result in results]
    np.savez(folder / "torch.npz", **{f"{r}_{k}": value.numpy() for r, result in enumerate(results) for k, value in enumerate(result)})
