"""PyTorch's own results beside converted models."""

import numpy as np
import torch

from store_data import store_data  # noqa: F401: for who stores both


def arrays(values):
    return [value.detach().numpy() for value in values]


def store_outputs(folder, module, records):
    with torch.no_grad():
        results = [module(*record) for record in records]
    results = [result if isinstance(result, tuple) else (result,) for result in results]
    np.savez(folder / "torch.npz", **{f"{r}_{k}": value.numpy() for r, result in enumerate(results) for k, value in enumerate(result)})
